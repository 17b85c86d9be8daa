"""`payload-id demo --torques`: nodes that identify a payload with an arm moved by torques."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import rclpy
from payload_id_msgs.msg import ExcitationGoal
from rich.rule import Rule

from ...core.body.payload_prior import PayloadPrior
from ...files.robots.robot_file import RobotFile
from ...ros.client.payload_client import PayloadClient, estimate_from
from ...ros.common.main_loop import start_ros
from ..common.presentation import console
from ..live.identification import identify
from .domain import own_domain
from .nodes import arm_nodes
from .scene import draw_payload, draw_scene
from .work_cell import HEAVIEST, HEIGHT, LARGEST, REACH, moved, wait_for

ARM = "kinova_gen3_torque"  # unless another one is named
PHYSICS_STEP = 1e-3  # [s], for a small computer
START = {"start_delay": 1.0, "reaction": 0.3, "silence": 2.0}  # [s] on a busy machine
BEHIND = 60.0  # [s] that the simulation may be behind the clock
LOOP = 20.0  # [s] that the torque loop's process may take to start
GOAL = {"duration": 12.0, "time_budget": 15.0}  # [s]


def run(robot: str, seed: int, out: Path) -> int:
    """Start everything, identify once; return 0 if the result is GOOD and contains the truth."""
    terminal = console()
    prior = PayloadPrior(HEAVIEST, LARGEST)
    bounds = replace(RobotFile.load(robot).uncertainty, prior=prior).to_dict()
    drawn = partial(draw_payload, heaviest=HEAVIEST, reach=REACH, height=HEIGHT)
    scene = draw_scene(robot, seed, out, prior, drawn, uncertainty=bounds)
    own_domain()
    terminal.print(Rule(f"[bold]payload_id demo[/bold]: {scene.robot.name}, seed {seed}"))
    by = {"back_end": "effort", "clock_tolerance": BEHIND}
    also = {
        "planner": {**moved(), **by, "certificates_folder": str(scene.folder / "certificates")},
        "bridge": {**moved(), **by, **START, "state_folder": str(scene.folder)},
    }
    with arm_nodes(scene, also, {"physics_step": PHYSICS_STEP}) as nodes:
        with terminal.status("Starting simulated arm, nodes and torque loop ..."):
            wait_for(nodes)
            time.sleep(LOOP)
        start_ros()
        try:
            with PayloadClient() as client:
                goal = {"one_motion": True, "goal": ExcitationGoal(**GOAL)}
                code = identify(terminal, client, goal, lambda said, style: terminal.print(said))
                found = estimate_from(client.messages[-1]) if client.messages else None
        finally:
            rclpy.try_shutdown()
    if code:
        return code  # why stands above; there is nothing to be held against the truth
    inside = found is not None and bool(found.contains(scene.payload).all())
    terminal.print("Every interval contains the truth." if inside else "An interval misses it.")
    return 0 if inside else 1
