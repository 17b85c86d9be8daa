"""`./payload-id lint`: style, format, types and the order of imports, whichever of them fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = (
    ("ruff", "check", "--no-cache"),
    ("ruff", "format", "--check", "--no-cache"),
    ("mypy",),
    ("lint-imports", "--no-cache"),
)


def main() -> int:
    """Run each tool; 1: one of them has found something."""
    folder = Path(sys.executable).parent
    failed = [tool for tool in TOOLS if subprocess.call([folder / tool[0], *tool[1:]], cwd=ROOT)]
    for tool in failed:
        print(f"lint: {' '.join(tool)} has found something, named above.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
