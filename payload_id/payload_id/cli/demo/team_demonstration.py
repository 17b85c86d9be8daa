"""Three mocobots find out what they hold, and where: from real nodes to figure and replay."""

from __future__ import annotations

import os
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from payload_id_msgs.msg import TeamEstimate
from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from scipy.spatial.transform import Rotation

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.codec import digest
from ...core.errors import PayloadIdError
from ...core.simulation.team.simulated_run import Stage
from ...files.figures.number_format import UNIT_TEXTS, digits, number
from ...files.figures.team_figure import TeamPicture, team_figure
from ...files.teams.team_run import SavedTeamRun
from ...ros.client.team_client import TeamClient
from ..common.presentation import console, plain_table
from .domain import free_domain
from .nodes import DemonstrationNodes
from .team_robots import SimulatedRobots, references_of
from .team_scene import NAMES, TeamDemo, draw_team

AFTER = 0.5  # [s] of rest after the wrists' motion
READY, PATIENCE = 40.0, 120.0  # [s] until the node answers; that the last estimate may take
STATUS = {
    getattr(TeamEstimate, name): name
    for name in ("GOOD", "USABLE", "NOT_IDENTIFIABLE", "INCONSISTENT", "NO_DATA", "SOLVER_FAILED",
                 "WAITING")
}  # fmt: skip


def run(seed: int | None, out: Path) -> int:
    """Run the demonstration; return 0 if every interval contains the truth."""
    terminal = console()
    demo = draw_team(secrets.randbelow(100_000) if seed is None else seed, out)
    terminal.print(Rule(f"[bold]payload_id demo --team[/bold]: three mocobots, seed {demo.seed}"))
    terminal.print(
        "Simulated: the payload and the grasps of Zhang et al. (Table I), delta mechanisms with "
        "series springs and passive gimbals, encoders, friction, clocks up to 20 ms apart. The "
        "robots know neither payload nor where the others grasp."
    )
    final, forces, folder, clocks = _identify(terminal, demo)
    return _conclude(terminal, demo, final, forces, folder, clocks)


def _identify(
    terminal: Console, demo: TeamDemo
) -> tuple[TeamEstimate, dict[str, Array], Path, tuple[float, ...]]:
    """Run node and robots; return what was found, the last forces, where the run is, the clocks."""
    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init()
    parameters = {"team_file": str(demo.team_file), "runs_folder": str(demo.folder)}
    nodes = DemonstrationNodes(demo.folder, {"payload_team": parameters}, ("team",))
    try:
        with nodes, TeamClient() as client:
            robots = SimulatedRobots(client.node, demo)
            with terminal.status("Starting the team node ..."):
                client.wait_until_ready(READY)
                client.wait_for(lambda: robots.heard, READY, "subscriptions of the team node")
            client.start(READY)
            _move(terminal, demo, nodes, client, robots)
            with terminal.status("The final estimate ..."):
                client.stop_quietly(PATIENCE)
                final = client.newest()
                path = Path(client.save("run", READY))
            return final, _forces(demo, robots), path, robots.clocks
    finally:
        rclpy.try_shutdown()


def _move(
    terminal: Console,
    demo: TeamDemo,
    nodes: DemonstrationNodes,
    client: TeamClient,
    robots: SimulatedRobots,
) -> None:
    """Let the robots go through all stages, and show the estimate as it comes."""
    begin, shown = time.monotonic(), [-10.0]
    for what, stage in demo.stages:
        if stage.human:
            client.guide(True)
        _through(terminal, nodes, client, robots, what, stage, shown)
        if stage.human:
            client.guide(False)
    stage, planning = _planned(terminal, client, demo)
    begin += planning
    _through(terminal, nodes, client, robots, "wrists move by less than 10 degrees", stage, shown)
    real = time.monotonic() - begin
    if real > 1.15 * demo.seconds:
        terminal.print(f"This machine took {real:.0f} s for {demo.seconds:.0f} s.", style="yellow")


def _planned(terminal: Console, client: TeamClient, demo: TeamDemo) -> tuple[Stage, float]:
    """Have the node plan how the wrists move; return that, and how long it took [s]."""
    begin = time.monotonic()
    with terminal.status("The node plans how the wrists are to move ..."):
        try:
            said, message = client.plan_wrists(PATIENCE)
        except PayloadIdError as error:
            terminal.print(f"{error} Wrists move by sines instead.", style="yellow")
            return demo.wrists, time.monotonic() - begin
    terminal.print(said, soft_wrap=True)
    references = references_of(message)
    seconds = float(references.time[-1]) + AFTER
    return Stage(references, seconds), time.monotonic() - begin


def _through(
    terminal: Console,
    nodes: DemonstrationNodes,
    client: TeamClient,
    robots: SimulatedRobots,
    what: str,
    stage: Stage,
    shown: list[float],
) -> None:
    """Let the robots go through a stage; `shown` holds the time of the last line [s]."""
    for state in robots.run(stage):
        nodes.check()
        if state.time - shown[0] >= 2.0:
            shown[0] = state.time
            newest = client.messages[-1] if client.messages else None
            terminal.print(_line(state.time, what, newest), soft_wrap=True)


def _line(seconds: float, what: str, newest: TeamEstimate | None) -> str:
    """Return progress in a line."""
    head = f"{seconds:5.1f} s  {what:36s}"
    if newest is None or not np.isfinite(newest.phi[0]):
        return f"{head}{'' if newest is None else STATUS[newest.status]}"
    mass, lower, upper = (float(x[0]) for x in (newest.phi, newest.lower, newest.upper))
    places, reach = digits((upper - lower) / 2), max(upper - mass, mass - lower)
    return (
        f"{head}mass {number(mass, places)} ± {number(reach, places)} kg  {STATUS[newest.status]}"
    )


def _forces(demo: TeamDemo, robots: SimulatedRobots) -> dict[str, Array]:
    """Return the forces at the grasps in the reference frame, from the springs' true torques."""
    state, scene = robots.state, demo.scene
    if state is None:
        return {}
    found = {}
    for i, (name, robot) in enumerate(zip(NAMES, scene.robots, strict=True)):
        base = robot.delta.force(state.theta[i], state.tau[i])
        wrist = robot.gimbal.rotation(state.gimbal[i][None])[0]
        found[name] = scene.rotations[i] @ (wrist.T @ base)
    return found


def _conclude(
    terminal: Console,
    demo: TeamDemo,
    final: TeamEstimate,
    forces: dict[str, Array],
    folder: Path,
    clocks: tuple[float, ...],
) -> int:
    """Compare with the truth, draw, replay; return the exit code."""
    truth = demo.scene.phi
    lower, upper = np.array(final.lower), np.array(final.upper)
    contained = bool(((lower <= truth) & (truth <= upper)).all()) and final.status in (0, 1)
    terminal.print(_payload_table(final, truth))
    terminal.print(_frames_table(demo, final, clocks))
    terminal.print(_shares_table(final))
    for finding in final.findings:
        terminal.print(f"{finding.fault}: {finding.sentence}", style="yellow")
    for sentence in final.cannot:
        terminal.print(f"not given: {sentence}", style="yellow")
    title = f"three simulated mocobots, seed {demo.seed}: {STATUS[final.status]}"
    figure = team_figure(demo.folder / "team.png", _picture(demo, final, forces), title)
    with terminal.status("Repeating the run without ROS ..."):
        same = _repeats(folder)
    identical = "[green]identical, bit for bit[/green]" if same else "[bold red]DIFFERENT[/]"
    terminal.print(
        f"figure:      {figure}\nrun:         {folder}\n"
        f"replayed without ROS: {identical}; again with: ./payload-id replay {folder}",
        soft_wrap=True,
    )
    terminal.print(
        "[bold green]Every interval contains the truth.[/]"
        if contained
        else "[bold red]An interval misses the truth, or there is none.[/]"
    )
    return 0 if contained and same else 1


def _payload_table(final: TeamEstimate, truth: Array) -> Table:
    """Return the ten parameters with intervals, beside the truth."""
    table = plain_table()
    for title in (f"payload at {final.reference}", "estimate", "interval", "truth", "error"):
        table.add_column(title, justify="left" if not table.columns else "right")
    for k, name in enumerate(PARAMETERS):
        low, high, value = final.lower[k], final.upper[k], final.phi[k]
        places = digits((high - low) / 2)
        table.add_row(
            f"{name} {UNIT_TEXTS[k]}", number(value, places),
            f"[{number(low, places)}, {number(high, places)}]".replace("[", "\\["),
            number(float(truth[k]), places), f"{value - truth[k]:+.{places}f}",
        )  # fmt: skip
    return table


def _frames_table(demo: TeamDemo, final: TeamEstimate, clocks: tuple[float, ...]) -> Table:
    """Return the grasp frames and clocks with their errors."""
    table = plain_table()
    for title in (
        "grasp",
        "place \\[m]",
        "error \\[mm]",
        "turn error \\[deg]",
        "clock \\[ms]",
        "true \\[ms]",
    ):
        table.add_column(title, justify="left" if not table.columns else "right")
    for i, frame in enumerate(final.frames):
        place, turn = _pose(frame.transform)
        off = 1e3 * float(np.linalg.norm(place - demo.scene.positions[i]))
        lag = np.nan
        if frame.known:
            lag = Rotation.from_matrix(demo.scene.rotations[i].T @ turn).magnitude()
        table.add_row(
            frame.robot, " ".join(number(float(x), 3) for x in place), number(off, 1),
            number(float(np.rad2deg(lag)), 2), number(1e3 * frame.clock, 1),
            number(1e3 * clocks[i], 1),
        )  # fmt: skip
    return table


def _shares_table(final: TeamEstimate) -> Table:
    """Return what each robot carries."""
    table = plain_table()
    for title in ("share", "carries \\[kg]", "interval", "centre of mass in its grasp frame \\[m]"):
        table.add_column(title, justify="left" if not table.columns else "right")
    for share in final.shares:
        com = (share.com.x, share.com.y, share.com.z)
        ends = f"{number(share.mass_share_lower, 2)}, {number(share.mass_share_upper, 2)}"
        table.add_row(
            share.robot, number(share.mass_share, 2), f"\\[{ends}]",
            " ".join(number(x, 3) for x in com),
        )  # fmt: skip
    return table


def _picture(demo: TeamDemo, final: TeamEstimate, forces: dict[str, Array]) -> TeamPicture:
    """Return what is drawn."""
    known = [frame for frame in final.frames if frame.known]
    poses = {frame.robot: _pose(frame.transform) for frame in known}
    return TeamPicture(
        frames={name: (turn, place) for name, (place, turn) in poses.items()},
        forces={name: forces[name] for name in poses if name in forces},
        phi=np.array(final.phi),
        lower=np.array(final.lower),
        upper=np.array(final.upper),
        truth=demo.scene.phi,
        true_positions=dict(zip(NAMES, demo.scene.positions, strict=True)),
    )


def _pose(transform: Any) -> tuple[Array, Array]:
    """Return place (3,) [m] and rotation (3, 3) of a message; NaN where they are not known."""
    p, q = transform.translation, transform.rotation
    quaternion = np.array([q.x, q.y, q.z, q.w])
    turn = np.full((3, 3), np.nan)
    if np.isfinite(quaternion).all():
        turn = Rotation.from_quat(quaternion).as_matrix()
    return np.array([p.x, p.y, p.z]), turn


def _repeats(folder: Path) -> bool:
    """Repeat a run from its files; tell whether the result is that of the live run."""
    try:
        saved = SavedTeamRun.load(folder)
        return digest(saved.repeat(folder)) == digest(saved.result)
    except ValueError as error:
        print(error, file=sys.stderr)
        return False
