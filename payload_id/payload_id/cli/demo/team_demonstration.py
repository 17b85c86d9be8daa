"""Three mocobots find out what they hold, and where: from real nodes to figure and replay."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from payload_id_msgs.msg import TeamEstimate
from rich.console import Console
from rich.rule import Rule

from ...core.errors import PayloadIdError
from ...core.identification.status import USABLE
from ...core.number_format import digits, number
from ...core.simulation.team.team_motion import Stage
from ...files.export.loads.ranges import Range
from ...files.figures.payload_figure import payload_figure
from ...files.figures.picture_file import literal, save_picture
from ...ros.client.team_client import TeamClient
from ...ros.common.main_loop import ros_running, stop_signal
from ..common.presentation import console
from ..identify.team import repeated, show
from .domain import own_domain
from .nodes import DemonstrationNodes
from .team_robots import SimulatedRobots, references_of
from .team_scene import TeamDemo, draw_team

NODE = "payload_team"
AFTER = 0.5  # [s] of rest after the wrists' motion
READY, PATIENCE = 40.0, 120.0  # [s] until the node answers; that the last estimate may take
STATUS = {
    getattr(TeamEstimate, name): name
    for name in ("GOOD", "TOO_WIDE", "NOT_IDENTIFIABLE", "INCONSISTENT", "NO_DATA", "SOLVER_FAILED",
                 "WAITING")
}  # fmt: skip


def run(seed: int, out: Path, view: bool) -> int:
    """Run the demonstration; return 0 if every interval contains the truth.

    Args:
        seed: All else follows from it.
        out: Where the folder of the run is made.
        view: Whether the browser shows the team, until interrupted.
    """
    terminal = console()
    demo = draw_team(seed, out)
    terminal.print(Rule(f"[bold]payload_id demo --team[/bold]: three mocobots, seed {demo.seed}"))
    terminal.print(
        "Simulated: the payload and the grasps of Zhang et al. (Table I), delta mechanisms with "
        "series springs and passive gimbals, encoders, friction, clocks up to 20 ms apart. The "
        "robots know neither payload nor where the others grasp."
    )
    own_domain()
    with ros_running(), TeamClient() as client:
        if not view:
            return _conclude(terminal, demo, _identify(terminal, demo, client))
        from ...ros.view.team_page import team_page  # here: it needs what pages are served by

        with team_page(client, NODE, "127.0.0.1", 0) as address:
            terminal.print(f"Live view: {address}")
            code = _conclude(terminal, demo, _identify(terminal, demo, client))
            terminal.print("Ctrl-C ends the view.")
            stop_signal().wait()
            return code


def _identify(terminal: Console, demo: TeamDemo, client: TeamClient) -> Path:
    """Run node and robots; return where the run is."""
    parameters = {"team_file": str(demo.team_file), "runs_folder": str(demo.folder)}
    with DemonstrationNodes(demo.folder, {NODE: parameters}, ("team",)) as nodes:
        robots = SimulatedRobots(client.node, demo)
        with terminal.status("Starting the team node ..."):
            client.wait_until_ready(READY)
            client.wait_for(lambda: robots.heard, READY, "subscriptions of the team node")
        client.ask("start", READY)
        _move(terminal, demo, nodes, client, robots)
        with terminal.status("The final estimate ..."):
            client.stop(PATIENCE)
            return Path(client.ask("save", READY, path="run").path)


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
            client.ask("guide", data=True)
        _through(terminal, nodes, client, robots, what, stage, shown)
        if stage.human:
            client.ask("guide", data=False)
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


def _conclude(terminal: Console, demo: TeamDemo, folder: Path) -> int:
    """Compare with the truth, draw, replay; return the exit code."""
    with terminal.status("Repeating the run without ROS ..."):
        _, same, saved = repeated(folder)
    final, truth = saved.result, demo.scene.phi
    usable = final.status in USABLE
    contained = usable and bool(((final.lower <= truth) & (truth <= final.upper)).all())
    show(final, truth)
    title = f"three simulated mocobots, seed {demo.seed}: {final.status.value}"
    com = Range(final.lower[1:4], final.upper[1:4]).over(Range(final.lower[:1], final.upper[:1]))
    drawn = payload_figure(final.phi, com.lower, com.upper, final.reference, (8.6, 3.2))
    drawn.suptitle(literal(title), fontsize=9)
    figure = save_picture(drawn, demo.folder / "team.png")
    identical = "[green]identical, bit for bit[/green]" if same else "[bold red]DIFFERENT[/]"
    terminal.print(
        f"figure:      {figure}\nrun:         {folder}\n"
        f"replayed without ROS: {identical}\nnext: ./payload-id identify {folder}",
        soft_wrap=True,
    )
    terminal.print(
        "[bold green]Every interval contains the truth.[/]"
        if contained
        else "[bold red]An interval misses the truth, or there is none.[/]"
    )
    return 0 if contained and same else 1
