"""Every figure that the documentation quotes, made anew: all benchmarks, one after the other.

What each prints is shown and kept in a folder. `--short` runs each for about a minute, to see that
it works; its figures are those of few trials.

    ./payload-id python benchmarks/all.py --list
    ./payload-id python benchmarks/all.py --short
    ./payload-id python benchmarks/all.py scenes certifier
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Benchmark:
    """One command.

    Attributes:
        script: Name of the script.
        question: What it answers.
        quoted: Page of the documentation that quotes it; empty: none.
        minutes: About how long it takes on two cores.
        whole: Arguments with which the documentation's figures are made.
        short: Arguments for a short run.
    """

    script: str
    question: str
    quoted: str
    minutes: float
    whole: str = ""
    short: str = ""


BENCHMARKS = (
    Benchmark("timing", "What does a sample and an update cost?", "benchmarks.md", 1,
              short="--repetitions 1 --long 15"),
    Benchmark("idle", "What do nodes cost, with and without a run?", "", 4,
              "--seconds 20", "--seconds 5 --rates 250"),
    Benchmark("soak", "Do nodes hold more, or answer later, after a day at 1 kHz?", "", 300,
              "--hours 24 --runs 200", "--hours 0.05 --runs 2"),
    Benchmark("containment", "Does an interval ever miss the truth?", "proofs.md", 240,
              "--trials 10000 --workers 2", "--trials 20"),
    Benchmark("team_containment", "Does a team's interval ever miss the truth?", "teams.md", 60,
              "--trials 2000", "--trials 10"),
    Benchmark("diagnosis", "Is a broken assumption noticed, and named?", "benchmarks.md", 60,
              "--trials 4 --first 100 --arms panda xarm7 branched", "--trials 1"),
    Benchmark("measured_bounds", "What are a bare run and a known weight worth?", "bounds.md", 6,
              "--trials 48 --first 9100", "--trials 3"),
    Benchmark("calibrated", "How often do intervals from an arm's history hold?", "bounds.md", 60,
              "--trials 100 --news 10 --first 8000", "--trials 3 --runs 19"),
    Benchmark("contact", "Is a contact noticed, and never a false one?", "result.md", 40,
              "--minutes 60 --forces 10", "--robots kinova_gen3 --minutes 0.5 --forces 1"),
    Benchmark("picks", "Are picks and releases told, and how soon?", "result.md", 120,
              "--arms panda --picks 10 --empty 1 --seed 500",
              "--arms panda --bounds sensors --picks 5 --empty 0.3"),
    Benchmark("certifier", "Is a certified motion ever unsafe?", "safety.md", 6,
              "--trials 250 --states 250000 --seed 5000", "--trials 3 --states 3000"),
    Benchmark("drawn_arms", "Is any drawn arm's worst worse than certified?", "safety.md", 30,
              "--motions 600", "--motions 4"),
    Benchmark("scenes", "Is a piece found in time among obstacles?", "motion.md", 20,
              "--scenes 100 --seed 1000 --tubes position", "--scenes 2 --limits safety_warning"),
    Benchmark("bridge_faults", "Does an arm in motion ever move wrongly when something fails?",
              "motion.md", 60, "--runs 200 --seed 2741", "--runs 3"),
    Benchmark("fleet", "How many recordings does a cluster identify, and how much does it hold?",
              "many_recordings.md", 70, "--recordings 2000 --kill 2", "--recordings 4"),
    Benchmark("paper_tables", "What do the papers' tables say here?", "benchmarks.md", 90,
              short="--short"),
)  # fmt: skip


def run(benchmark: Benchmark, short: bool, folder: Path, console: Console) -> bool:
    """Run one benchmark; return whether it succeeded."""
    chosen = (benchmark.short if short else benchmark.whole).split()
    command = [sys.executable, str(HERE / f"{benchmark.script}.py"), *chosen]
    console.rule(f"{benchmark.script} {' '.join(chosen)}")
    began = time.monotonic()
    with (folder / f"{benchmark.script}.txt").open("w", encoding="utf-8") as kept:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
        )
        for line in process.stdout or ():
            kept.write(line)
            print(line, end="", flush=True)
    code = process.wait()
    console.print(f"{time.monotonic() - began:.0f} s, exit code {code}")
    return code == 0


def overview() -> Table:
    """Return the table of all benchmarks."""
    table = Table("script", "question", "quoted in docs/", "minutes", "arguments")
    for each in BENCHMARKS:
        table.add_row(each.script, each.question, each.quoted, f"{each.minutes:g}", each.whole)
    return table


def main() -> int:
    """Run what was asked for; return 0 if all of it succeeded."""
    names = [each.script for each in BENCHMARKS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help="some of them (default: all)")
    parser.add_argument("--short", action="store_true", help="about a minute each")
    parser.add_argument("--list", action="store_true", help="say what there is, and end")
    parser.add_argument("--out", type=Path, default=Path("runs/benchmarks"))
    given = parser.parse_args()
    console = Console(width=120)
    if given.list:
        console.print(overview())
        return 0
    unknown = [name for name in given.scripts if name not in names]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(names)}")
    folder = given.out / datetime.now().strftime("%Y%m%d_%H%M%S")
    folder.mkdir(parents=True)
    chosen = [each for each in BENCHMARKS if not given.scripts or each.script in given.scripts]
    failed = [each.script for each in chosen if not run(each, given.short, folder, console)]
    console.rule()
    console.print(f"{len(chosen)} benchmarks; their output is in {folder}.")
    if failed:
        console.print(f"[bold red]Failed: {', '.join(failed)}[/]")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
