"""The tables of the five papers, made anew: `benchmarks/paper_tables.py`.

    ./payload-id python benchmarks/paper_tables.py --seed 5
    ./payload-id python benchmarks/paper_tables.py "ZZV V" "NGK III" --page

Each table is a script in `benchmarks/papers/`, whose head says what the paper's conditions are and
what is chosen here because the paper does not print it. Each prints its figures beside the paper's.
With --page they replace those in docs/papers.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "papers"
PAGE = FOLDER.parents[1] / "docs" / "papers.md"
BEGIN, END = "<!-- {}: written by benchmarks/paper_tables.py -->\n", "<!-- end -->\n"
ASCII = str.maketrans("│┃━─┏┳┓┡╇┩└┴┘├┼┤", "||--++++++++++++")  # lines of tables, a byte each
TABLES = {  # name: script, arguments of a whole run, of a short one
    "ZZV III": ("zzv_table3", "--trials 1", "--tasks c"),
    "ZZV IV": ("zzv_table4", "--trials 100", "--trials 10"),
    "ZZV V": ("zzv_table5", "--trials 1", "--trials 1 --pounds 5"),
    "NGK III": ("ngk_table3", "--trials 4", "--trials 1"),
    "NGK III, as hard": (
        "ngk_table3",
        "--trials 4 --pose-noise 0.05 0.3",
        "--trials 1 --pose-noise 0.05 0.3",
    ),
    "NGK III, poses late": ("ngk_table3", "--trials 4 --lag 0.16", "--trials 1 --lag 0.16"),
    "NGK figures 4, 5": (
        "ngk_table3",
        "--sweep --trials 2 --pose-noise 0.05 0.3",
        "--sweep --trials 1",
    ),
    "NGK figure 6": ("ngk_table3", "--summary", "--summary --trials 1"),
    "TBEN I": ("tben_table1", "", "--trials 1"),
    "WKS figure 6": ("wks_figure6", "--trials 10", "--trials 1"),
    "ZLEFL II to V": ("zlefl_tables", "--trials 8", "--trials 1"),
    "ZLEFL intervals": ("zlefl_tables", "--intervals", "--intervals"),
}


def onto_page(name: str, command: str, printed: str) -> None:
    """Replace a table on the page; raise KeyError where the page has no place for it."""
    page, begin = PAGE.read_text("utf-8"), BEGIN.format(name)
    before, found, after = page.partition(begin)
    if not found:
        raise KeyError(f"{PAGE} has no line {begin!r}.")
    inner = (line.strip() for line in printed.strip().splitlines())
    lines = "\n".join(x.translate(ASCII) for x in inner if not x.startswith(("┏", "└")))
    text = f"\n`{command}`\n\n```text\n{lines}\n```\n\n"
    PAGE.write_text(f"{before}{begin}{text}{END}{after.partition(END)[2]}", "utf-8")


def main() -> int:
    """Make the tables that were asked for; return 0 if all of them were made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", choices=[[], *TABLES],
                        help=f"some of {'; '.join(TABLES)} (default: all)")  # fmt: skip
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--short", action="store_true", help="few trials, to see that it works")
    parser.add_argument("--page", action="store_true", help="write them into docs/papers.md")
    given = parser.parse_args()
    failed = []
    for name in given.tables or TABLES:
        script, whole, short = TABLES[name]
        print(f"\n{name}", flush=True)
        chosen = [*(short if given.short else whole).split(), "--seed", str(given.seed)]
        command = [sys.executable, str(FOLDER / f"{script}.py"), *chosen]
        kept = subprocess.PIPE if given.page else None
        done = subprocess.run(command, stdout=kept, text=True, encoding="utf-8")
        if done.returncode:
            failed.append(name)
        elif given.page:
            print(done.stdout)
            onto_page(name, f"{script}.py {' '.join(chosen)}", done.stdout)
    if failed:
        print(f"Not made: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
