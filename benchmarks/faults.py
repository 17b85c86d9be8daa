"""Does anything go wrong when something goes wrong? Faults at random around running nodes.

`./payload-id python benchmarks/faults.py --faults 500` starts sampler and estimator, sends them the
joint states of an arm with a known payload, and has one fault after another happen: SIGKILL and
SIGSTOP of a node, a disk that is full, slow or read-only, a clock that is set by an hour, messages
that come twice, out of order or with the stamp of another year, subscribers that never read or are
killed, one in five datagrams lost, nothing coming through for two seconds. After each, a run is
made whose intervals must contain the truth; at the end of each round of faults the bags must hold
all that was sent, but for a second before a SIGKILL and while the disk was full or read-only. It
prints a line for each kind of fault, and every failure.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test"))
sys.path.insert(0, str(Path(__file__).with_name("campaigns")))
from recording_faults import FAULTS, Rig, check_recording, possible, undergo  # noqa: E402  # lies in campaigns

ROUND = 10  # faults of one pair of nodes and one set of bags


def one_round(names: list[str], domain: int, seconds: Counter[str]) -> tuple[int, list[str]]:
    """Let faults happen to one pair of nodes; return samples recorded, and what failed."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), domain)
        recorded, name = 0, ""
        try:
            for name in names:
                begin = time.monotonic()
                undergo(rig, name)
                seconds[name] += time.monotonic() - begin
            name = "end of the round"
            rig.close()
            recorded = check_recording(rig)
        except AssertionError as error:
            failures.append(f"{name} (after {', '.join(names)}): {error}")
        finally:
            rig.sampler.process.kill()
            rig.estimator.process.kill()
    return recorded, failures


def main() -> int:
    """Run and print; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=list(FAULTS), default=list(FAULTS))
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        kinds = [x for x in arguments.only if x in possible(Path(folder))]
    if len(kinds) < len(arguments.only):
        print("Not possible here:", ", ".join(sorted(set(arguments.only) - set(kinds))))
    drawn = [str(x) for x in random.choice(kinds, arguments.faults)]
    seconds: Counter[str] = Counter()
    failures: list[str] = []
    recorded = 0
    for number, first in enumerate(range(0, len(drawn), ROUND)):
        found, failed = one_round(drawn[first : first + ROUND], 100 + number % 2, seconds)
        recorded += found
        for failure in failed:
            print("FAILED:", failure, flush=True)
        failures += failed
        print(f"{min(first + ROUND, len(drawn))} faults, {recorded} samples recorded", flush=True)
    for name, count in sorted(Counter(drawn).items()):
        print(f"{name:28s} {count:4d} times, {seconds[name] / count:5.1f} s each")
    print(f"{len(drawn)} faults, {recorded} samples recorded, {len(failures)} rounds failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
