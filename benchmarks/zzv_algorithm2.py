"""Algorithm 2 of [ZZV] live: how many payloads are identified, and what the clock takes for it.

A simulated arm at the speed of the clock, its nodes as processes, and one goal of ~/identify in
receding horizon for each payload of at most 1 kg; with `--tare` another goal before it, without
payload. All of it is what `payload-id demo --view` starts.

    ./payload-id python benchmarks/zzv_algorithm2.py --arms fr3 iiwa14 --tare --trials 10 --seed 730
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from bench import options, show
from payload_id_msgs.action import Identify
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient

from payload_id import PayloadPrior
from payload_id.cli.demo.domain import own_domain
from payload_id.cli.demo.nodes import arm_nodes
from payload_id.cli.demo.scene import draw_payload, draw_scene
from payload_id.cli.demo.work_cell import (
    HEAVIEST,
    HEIGHT,
    LARGEST,
    RATE,
    REACH,
    SILENCE,
    cell_parameters,
    wait_for,
)
from payload_id.core.arrays import Array
from payload_id.core.identification.status import Status
from payload_id.ros.client.payload_client import PayloadClient, estimate_from
from payload_id.ros.common.main_loop import ros_running

LIMIT, PIECES = 900.0, 4  # [s] for one goal
SETTLED = 1.0  # [s] in which a simulated arm comes to rest after its load has jumped
PLACE = PayloadPrior(HEAVIEST, LARGEST)


def main() -> None:
    """Identify from each arm's trials, and print what came of them."""
    given = options(arms=("fr3", "iiwa14"), trials=10, seed=0, tare=False)
    own_domain()
    table = []
    with tempfile.TemporaryDirectory() as folder:
        for arm in given.arms:
            seeds = range(given.seed, given.seed + given.trials)
            found = [judged(*identified(arm, x, Path(folder), given.tare)) for x in seeds]
            good, missed, seconds = zip(*found, strict=True)
            times = map(float, np.quantile(seconds, (0.0, 0.5, 1.0)))
            table.append([arm, f"{sum(good)} of {len(good)}", sum(missed), *times])
    show(f"Receding horizon, live{', with a tare' if given.tare else ''}",
         ["arm", "GOOD", "missed", "least time [s]", "median", "most"],
         table)  # fmt: skip


def identified(arm: str, seed: int, folder: Path, tare: bool) -> tuple[Identify.Result, Array]:
    """Return what came of the last goal of a trial, and what was in the hand, shape (10,)."""
    drawn = partial(draw_payload, heaviest=HEAVIEST, reach=REACH, height=HEIGHT)
    scene = draw_scene(arm, seed, folder, PLACE, drawn, joint_states={"rate": RATE})
    cell = cell_parameters(scene)
    also = {
        "planner": {**cell, "certificates_folder": str(scene.folder / "certificates")},
        "bridge": {**cell, "silence": SILENCE, "state_folder": str(scene.folder)},
    }
    with arm_nodes(scene, also) as nodes:
        wait_for(nodes)
        with ros_running(), PayloadClient() as client:
            client.wait_until_ready(LIMIT, planner=True)
            if tare:
                hold(client, np.zeros(10))
                only = Identify.Goal.TARE_ONLY
                bare = client.identify(LIMIT, most_pieces=PIECES, tare=only)
                if not bare.success:
                    return bare, np.zeros(10)
                hold(client, scene.payload)
            return client.identify(LIMIT, most_pieces=PIECES), scene.payload


def hold(client: PayloadClient, phi: Array) -> None:
    """Give the simulated arm another payload, shape (10,)."""
    asked = AsyncParameterClient(client.node, "simulated_arm")
    asked.wait_for_services(LIMIT)
    answer = asked.set_parameters([Parameter("payload", value=phi.tolist())])
    client.wait_for(answer.done, LIMIT, "simulated_arm")
    time.sleep(SETTLED)


def judged(result: Identify.Result, phi: Array) -> tuple[bool, bool, float]:
    """Return whether a goal succeeded, whether its intervals miss the truth, and its time [s]."""
    estimate = estimate_from(result.estimate)
    print(result.message, flush=True)
    good = bool(result.success) and estimate.status is Status.GOOD
    return good, not estimate.contains(phi).all(), float(result.seconds)


if __name__ == "__main__":
    main()
