"""Move an arm by torques and identify what it holds [ZZV], with all nodes: see example 08.

Planner, bridge, torque loop, simulated arm, sampler and estimator run as they do beside a robot, on
the simulation's own time, which may be slower than the clock's: torques are then as late as the
robot file says on a computer that shares its cores. Each payload is planned for, moved and
identified anew; the estimate narrows nothing that the next one rests on.

    ./payload-id python examples/10_move_by_torques_with_nodes.py --payloads 10 --seed 1

ends with exit code 0 where every payload is GOOD and within its intervals.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import rclpy
from payload_id_msgs.msg import ExcitationGoal

from payload_id import PayloadPrior, RobotFile
from payload_id.cli.demo.domain import own_domain
from payload_id.cli.demo.nodes import DemonstrationNodes, arm_nodes
from payload_id.cli.demo.scene import Scene, draw_payload, draw_scene
from payload_id.cli.demo.work_cell import HEIGHT, LARGEST, REACH, cell_parameters, wait_for
from payload_id.ros.client.payload_client import PayloadClient, each_stage, estimate_from
from payload_id.ros.common.main_loop import start_ros

HEAVIEST = 1.0  # [kg]
# Of the simulation: how long a computer with other work may look away [s], by the clock.
PATIENCE = {"start_delay": 1.0, "reaction": 0.3, "silence": 5.0}
GOAL = {"duration": 12.0, "time_budget": 15.0}  # [s]
LONGEST = 1800.0  # [s] that one payload may take


def nodes_of(scene: Scene, factor: float) -> DemonstrationNodes:
    """Return all nodes, with the simulation at a part of the clock's speed."""
    both, folder = {**cell_parameters(scene), "back_end": "effort"}, scene.folder
    also = {
        "planner": {**both, "certificates_folder": str(folder / "certificates")},
        "bridge": {**both, **PATIENCE, "state_folder": str(folder)},
    }
    return arm_nodes(scene, also, real_time_factor=factor, physics_step=1e-3)


def identified(scene: Scene, factor: float) -> tuple[str, bool]:
    """Move and identify; return what was found, and whether it is GOOD with the truth inside."""
    with nodes_of(scene, factor) as nodes:
        wait_for(nodes)
        start_ros()
        try:
            with PayloadClient() as client:
                client.wait_until_ready(LONGEST, planner=True)
                goal = ExcitationGoal(**GOAL)
                result = client.identify(LONGEST, each_stage(print), one_motion=True, goal=goal)
        finally:
            rclpy.try_shutdown()
    found = estimate_from(result.estimate)
    inside = bool(found.contains(scene.payload).all())
    good = bool(result.success) and found.status.name == "GOOD"
    said = f"{result.message} True {scene.payload[0]:.3f} kg, {'inside' if inside else 'OUTSIDE'}"
    return said, good and inside


def main() -> int:
    """Identify one payload after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="kinova_gen3_torque")
    parser.add_argument("--payloads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real-time-factor", type=float, default=0.3)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    given = parser.parse_args()
    prior = PayloadPrior(HEAVIEST, LARGEST)
    unsure = replace(RobotFile.load(given.robot).uncertainty, prior=prior).to_dict()
    drawn = partial(draw_payload, heaviest=HEAVIEST, reach=REACH, height=HEIGHT)
    own_domain()
    good = 0
    for seed in range(given.seed, given.seed + given.payloads):
        scene = draw_scene(given.robot, seed, given.out, prior, drawn, uncertainty=unsure)
        said, is_good = identified(scene, given.real_time_factor)
        good += is_good
        print(f"seed {seed}: {said} ({good} of {seed - given.seed + 1} good)", flush=True)
    return 0 if good == given.payloads else 1


if __name__ == "__main__":
    sys.exit(main())
