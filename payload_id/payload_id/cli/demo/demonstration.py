"""From an unknown grasp to a verdict, and back again from the recording."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.rule import Rule
from trajectory_msgs.msg import JointTrajectory

from ...core.excitation.search.random_fourier_search import Found
from ...core.identification.estimate import Estimate
from ...files.figures.interval_figure import intervals_over_time
from ...files.runs.run_file import FILE_NAME
from ...ros.client.payload_client import PayloadClient, estimate_from
from ...ros.common.joint_trajectory_message import message_of
from ...ros.common.main_loop import ros_running
from ..common.live_view import LiveView
from ..common.presentation import console, estimate_table, verdict
from .domain import own_domain
from .nodes import DemonstrationNodes, arm_nodes
from .scene import (
    DURATION,
    HEAVIEST,
    LINK_RELATIVE,
    TORQUE_ABSOLUTE,
    TORQUE_RELATIVE,
    Scene,
    draw_motion,
    draw_scene,
    save_truth,
)
from .simulated_time import SAMPLES, SimulatedTime

LEAD, SETTLE = 0.2, 0.32  # [s] before and after the motion
IN_TIME = 0.9  # part of real time below which the machine is slow
PATIENCE = 120.0  # [s] that the final estimate may take on a slow machine
READY = 40.0  # [s] until all nodes must have answered
TRAJECTORY_RATE = 50.0  # [Hz] of the trajectory's points
# In a process in which ROS cannot be imported:
REPLAY = (
    "import sys; sys.modules['rclpy'] = None\n"
    "from payload_id.cli.main import main\n"
    "sys.exit(main(sys.argv[1:]))"
)


@dataclass(frozen=True)
class Shaken:
    """What the nodes found.

    Attributes:
        history: Estimates in their order.
        solve_seconds: What the last one took [s].
        took: Real time of the motion [s].
    """

    history: list[Estimate]
    solve_seconds: float
    took: float

    @property
    def speed(self) -> float:
        """Simulated time over real time."""
        return (LEAD + DURATION + SETTLE) / self.took


def run(robot: str, seed: int, out: Path) -> int:
    """Run the demonstration; return 0 if every interval contains the truth."""
    terminal = console()
    scene = draw_scene(robot, seed, out)
    motion = draw_motion(scene)
    introduce(terminal, scene, motion)
    return conclude(terminal, scene, identify(terminal, scene, motion))


def introduce(terminal: Console, scene: Scene, motion: Found) -> None:
    """Say what is simulated and how it will move."""
    terminal.print(Rule(f"[bold]payload_id demo[/bold]: {scene.robot.name}, seed {scene.seed}"))
    terminal.print(
        f"Simulated: an unknown payload at {scene.robot.payload_frame}, links within "
        f"±{LINK_RELATIVE:.0%} of their description, torque noise within ±{TORQUE_RELATIVE:.1%} "
        f"and {1e3 * TORQUE_ABSOLUTE:g} mN m."
    )
    taken = ", ".join(f"{name} {part:.0%}" for name, part in motion.usage.items())
    terminal.print(
        f"Motion: rest-to-rest Fourier series of {DURATION:g} s, the best of {motion.tried} "
        f"random ones; of its limits, with {HEAVIEST:g} kg, it takes: {taken}."
    )


def identify(terminal: Console, scene: Scene, motion: Found) -> Shaken:
    """Run the nodes; return what they found."""
    own_domain()
    with ros_running(), arm_nodes(scene) as nodes, PayloadClient() as client:
        simulated = SimulatedTime(client.node)
        with terminal.status("Starting simulated arm, sampler and estimator ..."):
            _wait(scene, nodes, client, simulated)
        return _shake(terminal, scene, motion, nodes, client, simulated)


def _wait(
    scene: Scene, nodes: DemonstrationNodes, client: PayloadClient, simulated: SimulatedTime
) -> None:
    """Wait until every node has answered and samples reach the estimator's topic."""

    def ready() -> bool:
        nodes.check()
        topic = scene.robot.command.trajectory_topic
        heard = client.node.count_subscribers(SAMPLES) > 1
        return heard and simulated.newest > 0 and client.node.count_subscribers(topic) > 0

    client.wait_for(ready, READY, "the simulated arm, the sampler and the estimator")
    client.wait_until_ready(READY)


def _shake(
    terminal: Console,
    scene: Scene,
    motion: Found,
    nodes: DemonstrationNodes,
    client: PayloadClient,
    simulated: SimulatedTime,
) -> Shaken:
    """Move the arm while the estimator runs; all of it in simulated time."""
    topic = scene.robot.command.trajectory_topic
    target = client.node.create_publisher(JointTrajectory, topic, 1)
    client.wait_for(lambda: target.get_subscription_count() > 0, READY, f"a reader of {topic}")
    # The run begins with the first sample after a pause: the same one on every machine.
    start = simulated.pause(READY) + round(LEAD * 1e9)
    client.start(READY)
    before = len(client.messages)
    message = message_of(motion.trajectory, scene.robot.joints, TRAJECTORY_RATE)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(start, 10**9)
    target.publish(message)
    simulated.go_on(READY)
    begin = time.monotonic()
    with LiveView(terminal, DURATION) as view:

        def show(left: float) -> None:
            nodes.check()
            latest = client.messages[-1] if len(client.messages) > before else None
            estimate = None if latest is None else estimate_from(latest)
            view.show(max(0.0, DURATION + SETTLE - left), estimate)

        simulated.wait_until(start + round((DURATION + SETTLE) * 1e9), show)
    took = time.monotonic() - begin
    simulated.pause(READY)
    with terminal.status("The final estimate ..."):
        client.stop(PATIENCE)
        final = client.estimate(READY)
        client.save(str(scene.folder / "bag"), READY)
        client.wait_for(
            lambda: any(m.windows == final.windows for m in client.messages[before:]),
            READY,
            "the final estimate on its topic",
        )
    messages = [message for message in client.messages[before:] if message.windows]
    history = [*map(estimate_from, messages[:-1]), final]
    return Shaken(history, float(messages[-1].solve_seconds), took)


def conclude(terminal: Console, scene: Scene, shaken: Shaken) -> int:
    """Compare with the truth, replay the bag, say what was written where, and what comes next."""
    history = shaken.history
    last, bag = history[-1], scene.folder / "bag"
    contained = bool(last.contains(scene.payload).all())
    terminal.print(verdict(last))
    terminal.print(estimate_table(last, scene.payload, terminal.width))
    save_truth(scene)
    title = f"{scene.robot.name}, simulated, seed {scene.seed}: {last.status.words}"
    figure = intervals_over_time(scene.folder / "intervals.png", history, title, scene.payload)
    with terminal.status("Replaying the recording without ROS ..."):
        same = replayed_identically(bag, last)
    identical = "[green]identical, bit for bit[/green]" if same else "[bold red]DIFFERENT[/]"
    if shaken.speed < IN_TIME:
        terminal.print(
            f"This machine simulated at {shaken.speed:.1f} of real time; the demonstration waited "
            "for the simulation, so that no sample was lost.",
            style="yellow",
        )
    terminal.print(
        f"last update: {shaken.solve_seconds:.2f} s of computing\n"
        f"figure:      {_short(figure)}\n"
        f"recording:   {_short(bag)} (settings and result in {FILE_NAME})\n"
        f"replayed without ROS: {identical}; again with: ./payload-id identify {_short(bag)}",
        soft_wrap=True,
    )
    terminal.print(
        "[bold green]Every interval contains the truth.[/]"
        if contained
        else "[bold red]An interval misses the truth.[/]"
    )
    terminal.print(
        f"next: ./payload-id report {_short(bag)}\nof your own: ./payload-id check RECORDING "
        "--robot FILE (docs/first_payload.md)",
        soft_wrap=True,
    )
    return 0 if contained and same else 1


def replayed_identically(bag: Path, live: Estimate) -> bool:
    """Replay a bag in a process of its own; tell whether it gives what the live run gave."""
    command = [sys.executable, "-c", REPLAY, "identify", str(bag), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        print(done.stderr, file=sys.stderr)
        return False
    now, then = json.loads(done.stdout), live.to_dict()
    return all(now[name] == then[name] for name in ("phi", "lower", "upper", "status", "windows"))


def _short(path: Path) -> Path:
    """Return a path relative to here, if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
