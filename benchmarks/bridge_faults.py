"""Does an arm ever move wrongly when something goes wrong? Faults at random around a moving arm.

`./payload-id python benchmarks/bridge_faults.py --seed 1 --runs 200 --log FILE` starts a simulated
arm behind ros2_control's interfaces, a sampler that records it, bridge and planner, and in one
motion after the other has something go wrong at a random moment: the driver or a node is killed,
joint states freeze, a torque sensor sticks (as the estimator says it), datagrams are lost, the
network is parted for 2 s, clocks jump, the controller is switched away, the driver is in fault, the
arm is pushed, a goal is cancelled. After each, the motion must have ended with the right reason and
the arm rest within a stated time; every command must lie on a certified motion; after
`~/acknowledge` the next motion runs with nothing started anew but what was killed. At the end of
each round all joint states must be in the recording. FILE has a line of JSON for each run; printed
are a line for each kind, and every failure.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test"))
from bridge_fault_kinds import EVERY, Run, end_by, undergo  # noqa: E402
from bridge_fault_rig import Rig  # noqa: E402
from lossy_sockets import UDP_ONLY  # noqa: E402

DOMAIN = int(os.environ.get("ROS_DOMAIN_ID") or 93)
ROUND = 12  # runs with one set of nodes
END = "end of the round"


def one_round(
    first: int, kinds: Sequence[str], parts: Sequence[float], domain: int, pace: float
) -> Iterator[Run]:
    """Let faults happen to one set of nodes; after a failure, the rest has another one."""
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(Path(folder), domain, pace)
        try:
            for k, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
                run = undergo(rig, first + k, kind, part)
                yield run
                if run.failure:
                    return
            try:
                end_by(rig)
                rig.check_recording()
            except AssertionError as error:
                yield Run(first + len(kinds), END, 0, "", 0, 0, str(error))
        finally:
            rig.close()


def main() -> int:
    """Run and print; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, default=Path(os.devnull))
    parser.add_argument(
        "--pace", type=float, default=1.0, help="of simulated time, where the machine is busy [-]"
    )
    parser.add_argument("--only", nargs="*", choices=EVERY, default=list(EVERY))
    arguments = parser.parse_args()
    os.environ.update(UDP_ONLY)  # sockets whose datagrams can be lost
    random = np.random.default_rng(arguments.seed)
    kinds = [str(x) for x in random.choice(arguments.only, arguments.runs)]
    parts = random.uniform(size=arguments.runs).tolist()
    runs: list[Run] = []
    done = 0
    with arguments.log.open("a", encoding="utf-8") as log:
        while done < len(kinds):
            some = slice(done, done + ROUND)
            for run in one_round(done, kinds[some], parts[some], DOMAIN, arguments.pace):
                print(json.dumps(run.to_dict()), file=log, flush=True)
                if run.failure:
                    print(f"FAILED: {run.kind} (run {run.number}): {run.failure}", flush=True)
                runs.append(run)
                done += run.kind != END
            print(f"{done} runs", flush=True)
    for kind in arguments.only:
        tell([run for run in runs if run.kind == kind], kind)
    failures = sum(bool(run.failure) for run in runs)
    print(f"{done} runs, {failures} failed")
    return 1 if failures else 0


def tell(runs: Sequence[Run], kind: str) -> None:
    """Print what came of one kind."""
    if not runs:
        return
    rest, took = np.array([run.rest for run in runs]), np.array([run.seconds for run in runs])
    failed = sum(bool(run.failure) for run in runs)
    print(
        f"{kind:22s} {len(runs):4d} runs, {failed} failed, at rest after at most "
        f"{np.nanmax(rest, initial=0.0):5.2f} s, {np.mean(took):5.1f} s each"
    )


if __name__ == "__main__":
    sys.exit(main())
