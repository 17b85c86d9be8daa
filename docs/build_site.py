"""Build the site of the documentation: `./payload-id docs`, into site/.

The reference pages are written first, from the code. MkDocs and its theme (group `docs` in
pyproject.toml) are installed at the first call. Warnings are errors: a link that leads nowhere
fails the build.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = [sys.executable, "-m", "uv", "pip", "install", "--native-tls", "-p", sys.executable]
WANTED = ["--require-hashes", "-c", "requirements.lock", "-r", "pyproject.toml", "--group", "docs"]


def main(arguments: Sequence[str]) -> int:
    """Install what is missing, write the reference, build; return the exit code."""
    if subprocess.run([*UV, *WANTED], cwd=ROOT).returncode:
        print("MkDocs could not be installed: see above; check the network.", file=sys.stderr)
        return 1
    subprocess.run([sys.executable, ROOT / "docs" / "reference.py"], check=True)
    mkdocs = [sys.executable, "-m", "mkdocs"]
    done = subprocess.run([*mkdocs, *(arguments or ("build", "--strict", "--clean"))], cwd=ROOT)
    if not arguments and done.returncode == 0:
        print(f"built: {ROOT / 'site' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
