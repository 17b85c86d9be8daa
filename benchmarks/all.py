"""Every figure that the documentation quotes, made anew: all benchmarks, one after the other.

What each prints is shown and kept in a folder. `--short` runs each for about a minute, to see that
it works; its figures are those of few trials. Benchmarks of recordings are left out, and say so,
where the folder of data sets is missing (`docs/references.md` names their sources).

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
DATA = HERE.parents[1] / "shared" / "datasets"


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
        data: Folder of recordings that it needs; empty: none.
    """

    script: str
    question: str
    quoted: str
    minutes: float
    whole: str = ""
    short: str = ""
    data: str = ""


BENCHMARKS = (
    Benchmark("timing", "What does a sample and an update cost?", "", 1,
              short="--repetitions 1 --long 15"),
    Benchmark("hour", "Do memory and updates stay constant over an hour?", "intervals.md", 6,
              short="--minutes 2"),
    Benchmark("soak", "Do nodes hold more, or answer later, after a day at 1 kHz?", "", 300,
              "--hours 24 --runs 200", "--hours 0.05 --runs 2"),
    Benchmark("fleet", "How many recordings does a cluster identify, and how much does it hold?",
              "fleet.md", 70, "--recordings 2000 --kill 2", "--recordings 4"),
    Benchmark("fleet_drift", "Is a torque offset that drifts from run to run named, nothing else?",
              "fleet.md", 25, "--runs 200 --drift 0.5", "--runs 6"),
    Benchmark("torque_loop", "Does the torque loop hold 1 kHz within 0.5 ms?", "bridge.md", 1,
              "--seconds 30", "--seconds 5"),
    Benchmark("view", "What does a page of the live view cost?", "view.md", 2,
              "--seconds 30", "--seconds 3"),
    Benchmark("ingestion", "Is a sample lost in ten minutes at 1 kHz?", "", 11,
              short="--minutes 0.5"),
    Benchmark("idle", "What do nodes cost that have nothing to do?", "architecture.md", 4,
              "--seconds 20", "--seconds 5 --rates 250"),
    Benchmark("fuzz", "Does anything that comes in end other than in a sentence or status?", "", 30,
              "--examples 10000", "--examples 260"),
    Benchmark("driver_reactions", "How soon does the bridge act on what a driver says?",
              "bridge.md", 2, short="--times 1"),
    Benchmark("bridge_faults", "Does an arm in motion ever move wrongly when something goes wrong?",
              "bridge.md", 60, short="--runs 3"),
    Benchmark("faults", "Is anything lost, or false, when processes, disk or clock fail?", "", 120,
              short="--faults 4"),
    Benchmark("containment", "Does an interval ever miss the truth?", "intervals.md", 240,
              "--trials 10000 --workers 2", "--trials 20"),
    Benchmark("team_paper", "Does the joint estimate halve the errors of the paper's sequence?",
              "team_mathematics.md", 3, "--trials 8 --seed 200", "--trials 1"),
    Benchmark("team_containment", "Does a team's interval ever miss the truth?",
              "team_mathematics.md", 60, "--trials 2000", "--trials 10"),
    Benchmark("team_excitation", "How much narrower are a team's intervals after planned motions?",
              "team_mathematics.md", 6, "--trials 4 --seed 60", "--trials 1 --seconds 6"),
    Benchmark("team_cost", "What does an update of two to eight robots cost?",
              "team_mathematics.md", 3, short="--seconds 12"),
    Benchmark("reference_bound", "How do hull and sensitivity bound compare?", "intervals.md", 8,
              "--motions 4", "--repeats 1"),
    Benchmark("knowledge", "What is a statement about the payload worth?", "knowledge.md", 3,
              "--trials 5 --seed 1000", "--trials 1"),
    Benchmark("tare", "What is a tare worth?", "uncertainty.md", 6, "--seeds 6", "--seeds 1"),
    Benchmark("calibrated", "How often do calibrated intervals hold?", "calibrated_intervals.md",
              40, "--trials 160 --first 1000", "--trials 3 --runs 19"),
    Benchmark("known_runs", "How long do known runs take, and what do they give?",
              "calibrated_intervals.md", 12, "--seed 2 --unknown 8",
              "--weights 0 1 --runs 3 --duration 3 --unknown 1"),
    Benchmark("constant_errors", "What do constant errors cost?", "uncertainty.md", 30,
              "--seeds 4", "--seeds 1 --arms ur10 --only errors"),
    Benchmark("scales", "What are bounds on means of the noise worth, and measured ones?",
              "uncertainty.md", 10, "--seeds 4", "--seeds 1"),
    Benchmark("gen3_noise", "What is the noise of two real recordings, and what rests on it?",
              "uncertainty.md", 8, data="torque_kinova_gen3"),
    Benchmark("coverage", "Is the stated coverage of Gaussian noise reached?", "uncertainty.md", 4,
              "--trials 200", "--trials 10"),
    Benchmark("diagnosis_campaign", "Is a broken assumption noticed, and named?", "intervals.md",
              60, "--trials 4 --first 100 --arms panda xarm7 branched", "--trials 1"),
    Benchmark("sensitivity", "Is it true what a mass is said to rest on?", "intervals.md", 15,
              "--trials 4 --first 100", "--trials 1"),
    Benchmark("estimators", "What does each estimator cost?", "choosing_an_estimator.md", 1,
              short="--repetitions 2"),
    Benchmark("gain", "Does a mass estimate collapse under a stated gain?", "estimators.md", 40,
              "--seeds 6", "--seeds 1 --gains 0.1 --seconds 10 30"),
    Benchmark("measured_bounds", "What is a bare run worth whose noise is measured?",
              "calibration.md", 6, "--trials 72", "--trials 3"),
    Benchmark("realistic_arms", "What do drives add to torques?", "realistic_arms.md", 1,
              "--arms 20", "--arms 2"),
    Benchmark("contact", "Is a contact noticed, and never a false one?", "contact.md", 40,
              "--minutes 60 --forces 10", "--robots kinova_gen3 --minutes 0.5 --forces 1"),
    Benchmark("consistency", "Are physical estimators always consistent?", "", 2,
              short="--estimators lmi"),
    Benchmark("descriptions", "Does a description end in a robot file or in one sentence?", "", 10,
              *2 * (str(DATA / "descriptions"),), "descriptions"),
    Benchmark("workshop_tools", "How accurate are wrench estimates of ten tools?",
              "choosing_an_estimator.md", 25, "--repetitions 10",
              "--repetitions 1 --estimators entropic", "wrench_tools_simulated"),
    Benchmark("random_tools", "... and of tools that nobody has seen?",
              "choosing_an_estimator.md", 3, short="--trials 3"),
    Benchmark("made_tools", "... and of tools of several materials?",
              "choosing_an_estimator.md", 3, short="--trials 1"),
    Benchmark("wrench_faults", "Is what is wrong with a wrench named?", "", 3, short="--trials 1"),
    Benchmark("kuka", "Real wrenches against a static fit", "", 1, data="wrench_kuka_med14"),
    Benchmark("ngk_table3", "Table III of [NGK]", "choosing_an_estimator.md", 6,
              short="--trials 2"),
    Benchmark("tben_table1", "Table I of [TBEN]", "", 6,
              short="--trials 1"),
    Benchmark("wks_figure6", "Figure 6 of [WKS]", "calibration.md", 4, "--trials 10",
              "--trials 1"),
    Benchmark("torque_enclosure", "How tight is the torque enclosure?", "torque_enclosure.md", 5,
              "--trials 3 --samples 100000", "--trials 1 --samples 5000 --arms gen3"),
    Benchmark("certifier", "Is a certified motion ever unsafe?", "excitation.md", 6,
              "--trials 100", "--trials 3 --states 3000"),
    Benchmark("scenes", "Is a piece found in time among obstacles?", "excitation.md", 20,
              "--scenes 100 --limits safety_warning", "--scenes 2 --limits safety_warning"),
    Benchmark("friction_aware", "Which motions tell a payload in spite of friction?",
              "excitation.md", 20, "--arms 2 --first 3000",
              "--presets ur_like --kinds fourier"),
    Benchmark("dumbbells", "Table V and figure 6 of [ZZV]", "excitation.md", 12,
              "--trials 3 --limits safety_warning", "--trials 1 --pounds 5"),
    Benchmark("correlation", "Table IV of [ZZV]", "excitation.md", 4,
              "--trials 40 --frequencies 0.5 2 5 7", "--trials 5"),
    Benchmark("wrench_planning", "What do motions tell that are planned for a wrench sensor?",
              "planner.md", 3, short="--seeds 1"),
    Benchmark("stacking", "Table III of [ZZV]", "", 20,
              "--tasks a b c --limits public", "--tasks c"),
)  # fmt: skip


def run(benchmark: Benchmark, short: bool, folder: Path, console: Console) -> bool:
    """Run one benchmark; return whether it succeeded or was left out for want of data."""
    if benchmark.data and not (DATA / benchmark.data).is_dir():
        console.print(f"[yellow]{benchmark.script}: left out, {benchmark.data} is not there.[/]")
        return True
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
