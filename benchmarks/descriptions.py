"""What becomes of robot descriptions as people have them: a robot file, or one sentence.

`./payload-id python benchmarks/descriptions.py FOLDER` drafts a robot file (`new-robot`) of every
URDF and xacro file below a folder and prints a line for each: the arm that was found, or what was
said instead; then how often what was said. It fetches nothing: put checkouts of vendors' packages
there, or the cache of the package robot_descriptions. A xacro file that another one includes is no
description of its own. Exit code 1 where anything ended in a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from payload_id.cli.main import main as payload_id

INCLUDED = re.compile(r"""include\s+filename\s*=\s*["'][^"']*?([^"'/]+)["']""")
DRAFTED, TRACEBACK, MACROS = "drafted", "traceback", "has no links"
NAMES = re.compile(r"'[^']*'|\b[\w./-]*[/\d][\w./-]*|\(.*?\)")  # what differs within a class


def drafted(path: Path) -> tuple[str, str]:
    """Return what became of a description, and what was said."""
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        line = ["new-robot", str(path), "--out", str(Path(folder, "robot.yaml"))]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = payload_id(line)
            except SystemExit as end:
                code = int(end.code or 0)
            except Exception:
                return TRACEBACK, traceback.format_exc().splitlines()[-1]
    if code == 0:
        return DRAFTED, " ".join(out.getvalue().splitlines()[0].partition(": ")[2].split())
    said = " ".join(err.getvalue().split()).replace(str(path), path.name)
    kind = MACROS if MACROS in said else NAMES.sub("*", said.replace(path.name, "*"))[:100]
    return (TRACEBACK if "Traceback" in said else kind), said


def descriptions(folder: Path) -> list[Path]:
    """Return all descriptions below a folder, without xacro files that others include."""
    found = sorted(p for p in folder.rglob("*") if p.suffix in (".urdf", ".xacro"))
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in found)
    parts = {name for text in texts for name in INCLUDED.findall(text)}
    return [path for path in found if path.name not in parts]


def main() -> int:
    """Print the rows; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with descriptions, at any depth")
    parser.add_argument("--refused", action="store_true", help="leave out what was drafted")
    arguments = parser.parse_args()
    paths, count = descriptions(arguments.folder), Counter[str]()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for path, (kind, said) in zip(paths, pool.map(drafted, paths), strict=True):
            count[kind] += 1
            if kind not in (DRAFTED, MACROS) or not arguments.refused:
                print(f"{path.relative_to(arguments.folder)}: {said}", flush=True)
    print(f"{len(paths)} files:")
    for kind, number in count.most_common():
        print(f"{number:6d}  {kind}")
    return int(bool(count[TRACEBACK]))


if __name__ == "__main__":
    sys.exit(main())
