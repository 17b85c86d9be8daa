"""Does anything that comes in end other than in a sentence, an exit code or a status?

Hypothesis makes up tables, files, robot descriptions, bags, meshes, options and values of any type
for every door (`campaigns/made_up_input.py`; those of ROS have tests of their own). A
visit may end in a `PayloadIdError`, in exit code 0 to 3, or in a result that keeps what is promised
of it, within `LONGEST` seconds and `MEMORY` bytes; everything else is counted by what was raised,
and where. Each door is a process of its own: one that dies is told, with what it was given.

    ./payload-id python benchmarks/fuzz.py --examples 10000
    ./payload-id python benchmarks/fuzz.py --examples 200 --door "URDF text" --seed 3
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).with_name("campaigns")))
from made_up_input import DOORS, Door, ending

LONGEST = 60  # [s] for one visit
MEMORY = 6 * 2**30  # [B] of addresses; solvers and mesh readers reserve much more than they use
SHOWN = 1500  # letters of what was given


def too_long(*_: object) -> None:
    """End a visit that takes too long."""
    raise TimeoutError(f"more than {LONGEST} s")


def visits(door: Door, examples: int, first: int, out: Connection) -> None:
    """Visit a door; send what is drawn before each visit, and how it ended."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, too_long)

    @seed(first)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(door.drawn)
    def enter(drawn: Any) -> None:
        out.send(("given", repr(drawn)[:SHOWN]))
        signal.alarm(LONGEST)
        try:
            with TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)  # numbers that overflow
                out.send(("ended", ending(door, drawn, Path(folder))))
        except Exception as error:  # whatever it is, it is a mistake: that is the question
            where = [f for f in traceback.extract_tb(error.__traceback__) if "payload_id" in f[0]]
            last = where[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            out.send(("wrong", f"{type(error).__name__} in {place}: {str(error)[:150]}"))
        finally:
            signal.alarm(0)

    enter()
    out.send(("done", ""))


def watched(door: Door, examples: int, first: int) -> tuple[Counter[str], dict[str, str], float]:
    """Return how visits of a door ended, what went wrong with an example of each, and the time."""
    mine, other = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=visits_named, args=(door.name, examples, first, other)
    )
    start = time.monotonic()
    process.start()
    other.close()
    ends, wrong, given_last = Counter[str](), dict[str, str](), ""
    kind = ""
    while kind != "done":
        try:
            if not mine.poll(2 * LONGEST):
                process.kill()
                raise EOFError
            kind, text = mine.recv()
        except EOFError:
            process.join()
            ends["died"] += 1
            wrong.setdefault(f"the process ended with {process.exitcode}", given_last)
            break
        if kind == "given":
            given_last = text
        elif kind == "ended":
            ends[text] += 1
        elif kind == "wrong":
            ends["wrong"] += 1
            wrong.setdefault(text, given_last)
    process.join()
    return ends, wrong, time.monotonic() - start


def visits_named(name: str, examples: int, first: int, out: Connection) -> None:
    """Visit the door of that name, in a process of its own."""
    visits(next(door for door in DOORS if door.name == name), examples, first, out)


def main() -> int:
    """Visit the doors and print how it ended; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=10_000, help="in all, shared by the doors")
    parser.add_argument("--door", choices=[door.name for door in DOORS], help="only this one")
    parser.add_argument("--seed", type=int, default=0, help="of what is made up")
    arguments = parser.parse_args()
    doors = [door for door in DOORS if arguments.door in (None, door.name)]
    table, found = Table(title="Made-up input", title_justify="left"), dict[str, str]()
    for head in ("door", "visits", "done", "refused", "exit codes", "wrong", "seconds"):
        table.add_column(head)
    for door in doors:
        ends, wrong, seconds = watched(door, arguments.examples // len(doors), arguments.seed)
        codes = " ".join(f"{k[5:]}: {n}" for k, n in sorted(ends.items()) if k.startswith("exit"))
        bad = ends["wrong"] + ends["died"]
        row = (door.name, ends.total(), ends["done"], ends["refused"], codes, bad, f"{seconds:.0f}")
        table.add_row(*map(str, row))
        found |= {f"{door.name}: {what}": drawn for what, drawn in wrong.items()}
    Console(width=100).print(table)
    for what, drawn in found.items():
        print(f"{what}\n    given {drawn}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
