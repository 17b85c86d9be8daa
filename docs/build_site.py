"""Build the site of the documentation: `./payload-id docs`, into site/.

The reference pages are written first, from the code. MkDocs and its theme live in an environment of
their own, `.venv-docs`, made at the first call from requirements-docs.lock. Warnings are errors: a
link that leads nowhere fails the build.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-docs.lock"
ENVIRONMENT = ROOT / ".venv-docs"
STAMP = ENVIRONMENT / "made-from"


def main(arguments: Sequence[str]) -> int:
    """Make the environment where it is missing or out of date, build; return the exit code."""
    try:
        prepare()
    except (OSError, subprocess.CalledProcessError) as error:
        print(
            f"The environment of the site could not be made: {error}. Check the network and the "
            f"disk, delete {ENVIRONMENT} and run the same command again.",
            file=sys.stderr,
        )
        return 1
    subprocess.run([sys.executable, ROOT / "docs" / "reference.py"], check=True)
    mkdocs = [ENVIRONMENT / "bin" / "python", "-m", "mkdocs"]
    done = subprocess.run([*mkdocs, *(arguments or ("build", "--strict", "--clean"))], cwd=ROOT)
    if not arguments and done.returncode == 0:
        print(f"built: {ROOT / 'site' / 'index.html'}")
    return done.returncode


def prepare() -> None:
    """Install what the lock file pins, unless that has been done."""
    value = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if STAMP.is_file() and STAMP.read_text() == value:
        return
    uv = [sys.executable, "-m", "uv"]
    python = ENVIRONMENT / "bin" / "python"
    subprocess.run([*uv, "venv", "--clear", "-p", sys.executable, ENVIRONMENT], check=True)
    subprocess.run(
        [*uv, "pip", "install", "--require-hashes", "-p", python, "-r", LOCK], check=True
    )
    STAMP.write_text(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
