"""Every figure that the documentation quotes, made anew: all benchmarks, one after the other.

What each prints is shown and kept in a folder. `--short` runs each for about a minute, to see that
it works; its figures are those of few trials. `--page` writes the tables of the papers into
docs/papers.md. A name is the first word of a command, or that of a paper's table.

    ./payload-id python benchmarks/all.py --list
    ./payload-id python benchmarks/all.py --short
    ./payload-id python benchmarks/all.py scenes drawn_arms
    ./payload-id python benchmarks/all.py "ZZV V" "NGK III" --seed 5 --page
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bench import ROOT, show

PAGE = ROOT / "docs" / "papers.md"
BEGIN, END = "<!-- {}: written by benchmarks/all.py -->\n", "<!-- end -->\n"
ASCII = str.maketrans("│┃━─┏┳┓┡╇┩└┴┘├┼┤", "||--++++++++++++")  # lines of tables, a byte each


@dataclass(frozen=True)
class Benchmark:
    """One command.

    Attributes:
        name: Of the script, or of a paper's table.
        question: What it answers.
        quoted: Page of the documentation that quotes it; empty: none.
        minutes: About how long it takes on two cores.
        command: Script and arguments with which the documentation's figures are made.
        short: What a short run has beside them.
    """

    name: str
    question: str
    quoted: str
    minutes: float
    command: str
    short: str = "--trials 1"


BENCHMARKS = (
    Benchmark("timing", "What does a sample and an update cost?", "benchmarks.md", 1,
              "timing", "--trials 1 --long 15"),
    Benchmark("nodes", "What do nodes cost and hold, with and without a run?", "", 2,
              "nodes", "--seconds 5 --rates 250"),
    Benchmark("containment", "Does an interval ever miss the truth?", "proofs.md", 240,
              "containment --trials 10000 --workers 2", "--trials 8"),
    Benchmark("broken", "Is a bound that is broken noticed?", "proofs.md", 20,
              "containment --broken --trials 200", "--trials 4"),
    Benchmark("team_containment", "Does a team's interval ever miss the truth?", "teams.md", 60,
              "team_containment --trials 125 --seed 30000", "--trials 3"),
    Benchmark("diagnosis", "Is a broken assumption noticed, and named?", "benchmarks.md", 60,
              "diagnosis --trials 4 --seed 100 --arms panda xarm7 branched"),
    Benchmark("measured_bounds", "What are a bare run and a known weight worth?", "bounds.md", 6,
              "measured_bounds --trials 48 --seed 9100"),
    Benchmark("calibrated", "How often do intervals from an arm's history hold?", "bounds.md", 60,
              "calibrated --trials 100 --news 10 --seed 8000", "--trials 1 --runs 19"),
    Benchmark("contact", "Is a contact noticed, and never a false one?", "result.md", 40,
              "contact --minutes 60 --forces 10", "--robots kinova_gen3 --minutes 0.5 --forces 1"),
    Benchmark("picks", "Are picks and releases told, and how soon?", "result.md", 120,
              "picks --arms panda --picks 10 --empty 1 --seed 500",
              "--bounds sensors --picks 5 --empty 0.3"),
    Benchmark("drawn_arms", "Is a certified motion ever unsafe?", "safety.md", 30,
              "drawn_arms --trials 600"),
    Benchmark("scenes", "Is a piece found in time among obstacles?", "motion.md", 20,
              "scenes --trials 100 --seed 1000"),
    Benchmark("bridge_faults", "Does an arm in motion ever move wrongly when something fails?",
              "motion.md", 60, "bridge_faults --trials 200 --seed 2741", "--trials 2"),
    Benchmark("fleet", "How many recordings does a cluster identify, and how much does it hold?",
              "many_recordings.md", 70, "fleet --counts 20 200 2000", "--counts 4"),
    Benchmark("zzv_algorithm2", "Does Algorithm 2 identify in real time?", "papers.md", 35,
              "zzv_algorithm2 --tare --seed 730", "--trials 1 --arms fr3"),
    Benchmark("ZZV III", "Stacking with eleven controllers", "papers.md", 20,
              "zzv_table3 --trials 1 --seed 200", "--tasks c --methods wrong grav-pid"),
    Benchmark("ZZV IV", "Condition numbers of two regressors", "papers.md", 3,
              "zzv_table4 --trials 100 --seed 200", "--trials 3"),
    Benchmark("ZZV V", "Exciting against random pieces", "papers.md", 20,
              "zzv_table5 --trials 1 --seed 200", "--pounds 5"),
    Benchmark("NGK III", "Estimators on a modular object", "papers.md", 5,
              "ngk_table3 --trials 4 --seed 200"),
    Benchmark("NGK III, as hard", "The same, with noisier poses", "papers.md", 5,
              "ngk_table3 --trials 4 --pose-noise 0.05 0.3 --seed 200"),
    Benchmark("NGK III, poses late", "The same, with late poses", "papers.md", 5,
              "ngk_table3 --trials 4 --lag 0.16 --seed 200"),
    Benchmark("NGK figures 4, 5", "Density of points, weights", "papers.md", 5,
              "ngk_table3 --sweep --trials 2 --pose-noise 0.05 0.3 --seed 200"),
    Benchmark("NGK figure 6", "Noise and speed", "papers.md", 10,
              "ngk_table3 --summary --trials 1 --seed 200"),
    Benchmark("TBEN I", "Physical consistency from slow to fast", "papers.md", 5,
              "tben_table1 --trials 10 --seed 200"),
    Benchmark("WKS figure 6", "Constraints against training size", "papers.md", 10,
              "wks_figure6 --trials 10 --seed 200"),
    Benchmark("ZLEFL II to V", "A team's frames and payload", "papers.md", 5,
              "zlefl_tables --trials 8 --seed 200"),
    Benchmark("ZLEFL intervals", "How wide they are, and must be", "papers.md", 5,
              "zlefl_tables --intervals --seed 200"),
)  # fmt: skip


def made(benchmark: Benchmark, more: list[str], folder: Path, page: bool) -> bool:
    """Run one benchmark, keep and show what it prints; return whether it succeeded."""
    script, *chosen = [*benchmark.command.split(), *more]
    print(f"\n{benchmark.name}: {script}.py {' '.join(chosen)}", flush=True)
    command = [sys.executable, str(ROOT / "benchmarks" / f"{script}.py"), *chosen]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    with (folder / f"{benchmark.name}.txt").open("w", encoding="utf-8") as kept:
        for line in process.stdout or ():
            kept.write(line)
            print(line, end="", flush=True)
    good = process.wait() == 0
    if good and page and benchmark.quoted == PAGE.name:
        onto_page(benchmark.name, f"{script}.py {' '.join(chosen)}", Path(kept.name).read_text())
    return good


def onto_page(name: str, command: str, printed: str) -> None:
    """Replace a table on the page."""
    before, begin, after = PAGE.read_text("utf-8").partition(BEGIN.format(name))
    inner = (line.strip() for line in printed.strip().splitlines())
    lines = "\n".join(x.translate(ASCII) for x in inner if not x.startswith(("┏", "└")))
    text = f"\n`{command}`\n\n```text\n{lines}\n```\n\n"
    PAGE.write_text(f"{before}{begin}{text}{END}{after.partition(END)[2]}", "utf-8")


def main() -> int:
    """Run what was asked for; return 0 if all of it succeeded."""
    names = [each.name for each in BENCHMARKS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *names])
    parser.add_argument("--short", action="store_true", help="about a minute each")
    parser.add_argument("--list", action="store_true", help="say what there is, and end")
    parser.add_argument("--page", action="store_true", help="write papers' tables into docs/")
    parser.add_argument("--seed", help="another one than the documentation's")
    parser.add_argument("--out", type=Path, default=Path("runs/benchmarks"))
    given = parser.parse_args()
    if given.list:
        columns = ("name", "question", "quoted in docs/", "minutes", "command")
        show("", columns, ((x.name, x.question, x.quoted, x.minutes, x.command)
                           for x in BENCHMARKS))  # fmt: skip
        return 0
    folder = given.out / datetime.now().strftime("%Y%m%d_%H%M%S")
    folder.mkdir(parents=True)
    seed = ["--seed", given.seed] if given.seed else []
    chosen = [each for each in BENCHMARKS if not given.names or each.name in given.names]
    failed = [
        each.name for each in chosen
        if not made(each, each.short.split() * given.short + seed, folder, given.page)
    ]  # fmt: skip
    print(f"{len(chosen)} benchmarks; their output is in {folder}. Failed: {failed or 'none'}.")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
