"""`payload-id demo --view`: a simulated arm, all nodes and the page in the browser."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.rule import Rule

from ...core.body.inertial import mass_com_inertia
from ...core.body.payload_prior import PayloadPrior
from ...files.configuration.yaml_file import yaml_text
from ...files.robots.robot_file import RobotFile
from ...ros.client.payload_client import PayloadClient
from ...ros.common.main_loop import ros_running
from ...ros.view.node import serve
from ...ros.view.node_names import NodeNames
from ..common.presentation import console
from .domain import own_domain
from .nodes import DemonstrationNodes, arm_nodes
from .placement import payload_box
from .scene import SENSOR, TRUTH, Scene, draw_payload, draw_scene, save_truth

HEAVIEST = 1.0  # [kg]
REACH, HEIGHT = 0.025, (0.07, 0.08)  # [m] see `draw_payload`
LARGEST = 0.16  # [m] no part of such a payload is farther from the payload frame
RATE = 200.0  # [Hz] of joint states, so that a small computer keeps up with real time
LATE = 5.0  # [s] by which the simulation's clock may come late to a node
SILENCE = 1.0  # [s] for which nothing may be heard or looked at: a browser may take all cores
CELL = "none, a simulated arm stands alone"
NAMES = ("payload_sampler", "payload_estimator", "payload_planner", "payload_bridge")
READY = 120.0  # [s] until all nodes must be there, on a slow machine


def run(robot: str, sensor: bool, seed: int, out: Path) -> int:
    """Start everything, and serve the page; return the exit code.

    Args:
        robot: Robot file, or the name of a shipped one.
        sensor: Whether the payload is identified from a force-torque sensor, as it is where the
            arm reports no torques.
        seed: All else follows from it.
        out: Where the folder of the run is made.
    """
    terminal = console()
    prior = PayloadPrior(HEAVIEST, LARGEST)
    drawn = partial(draw_payload, heaviest=HEAVIEST, reach=REACH, height=HEIGHT)
    sensor = sensor or RobotFile.load(robot).effort.source == "none"
    keys = {"joint_states": {"rate": RATE}, "wrench_topic": "/wrench" if sensor else ""}
    scene = draw_scene(robot, seed, out, prior, drawn, **keys)
    own_domain()
    measured = sensor_parameters(scene) if sensor else {}
    cell, folder = cell_parameters(scene), scene.folder
    also = {
        "planner": {**cell, **measured, "certificates_folder": str(folder / "certificates")},
        "bridge": {**cell, "silence": SILENCE, "state_folder": str(folder)},
    }
    terminal.print(Rule(f"[bold]payload_id demo[/bold]: {scene.robot.name}, seed {seed}"))
    terminal.print(
        f"A simulated arm holds an unknown payload of at most {HEAVIEST:g} kg, no part of it "
        f"farther than {LARGEST:g} m from {scene.robot.payload_frame}. On the page, enter the "
        "token, then click 'Identify in one go', or the steps one by one. All is written to "
        f"{scene.folder}.",
        soft_wrap=True,
    )
    with arm_nodes(scene, also, measured) as nodes:
        with terminal.status("Starting simulated arm and nodes ..."):
            wait_for(nodes)
        code = serve(str(scene.robot.path), NodeNames(), "127.0.0.1", 0, True)
    save_truth(scene)
    mass, com, _ = mass_com_inertia(scene.payload)
    place = ", ".join(f"{1e3 * x:.1f}" for x in com)
    terminal.print(
        f"The payload was {mass:.3f} kg with its centre of mass at [{place}] mm in "
        f"{scene.robot.payload_frame}; so it stands in {scene.folder / TRUTH}.",
        soft_wrap=True,
    )
    return code


def sensor_parameters(scene: Scene) -> dict[str, Any]:
    """Return what planner and estimator are told of the force-torque sensor; write its bounds."""
    path = scene.folder / "sensor.yaml"
    bounds = replace(SENSOR, prior=scene.robot.uncertainty.prior).to_dict()
    path.write_text(yaml_text(bounds, "# Bounds on the simulated sensor and its motion.\n"))
    return {"source": "wrench", "wrench_uncertainty": str(path)}


def cell_parameters(scene: Scene) -> dict[str, Any]:
    """Return what planner and bridge are told of the cell and of the payload's size."""
    box, centre = payload_box(scene.model)
    told = {"cell": CELL, "payload_box": box, "payload_box_centre": centre}
    return {**told, "clock_tolerance": LATE}


def wait_for(nodes: DemonstrationNodes) -> None:
    """Wait until all nodes are there.

    Raises:
        NodeDiedError: One has ended.
    """
    with ros_running(), PayloadClient() as client:

        def ready() -> bool:
            nodes.check()
            return set(NAMES) <= set(client.node.get_node_names())

        client.wait_for(ready, READY, ", ".join(NAMES))
