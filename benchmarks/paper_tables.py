"""The tables of the five papers, made anew: `benchmarks/paper_tables.py`.

    ./payload-id python benchmarks/paper_tables.py --seed 5
    ./payload-id python benchmarks/paper_tables.py "ZZV V" "NGK III"

Each table is a script in `benchmarks/papers/`, whose head says what the paper's conditions are and
what is chosen here because the paper does not print it. Each prints its figures beside the paper's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "papers"
TABLES = {  # name: script, arguments of a whole run, of a short one
    "ZZV III": ("zzv_table3", "--tasks a b c --limits public", "--tasks c"),
    "ZZV IV": ("zzv_table4", "--trials 40", "--trials 5"),
    "ZZV V": ("zzv_table5", "--trials 3", "--trials 1 --pounds 5"),
    "NGK III": ("ngk_table3", "", "--trials 2"),
    "NGK figure 6": ("ngk_table3", "--summary", "--summary --trials 1"),
    "TBEN I": ("tben_table1", "", "--trials 1"),
    "WKS figure 6": ("wks_figure6", "--trials 10", "--trials 1"),
    "ZLEFL II to V": ("zlefl_tables", "--trials 8", "--trials 1"),
}


def main() -> int:
    """Make the tables that were asked for; return 0 if all of them were made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", choices=[[], *TABLES],
                        help=f"some of {', '.join(TABLES)} (default: all)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--short", action="store_true", help="few trials, to see that it works")
    given = parser.parse_args()
    failed = []
    for name in given.tables or TABLES:
        script, whole, short = TABLES[name]
        print(f"\n{name}", flush=True)
        chosen = [*(short if given.short else whole).split(), "--seed", str(given.seed)]
        if subprocess.run([sys.executable, FOLDER / f"{script}.py", *chosen]).returncode:
            failed.append(name)
    if failed:
        print(f"Not made: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
