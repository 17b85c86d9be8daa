"""From an unknown grasp to a verdict, and back again from the recording."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import rclpy
from payload_id_msgs.msg import SampleBlock
from rich.console import Console
from rich.rule import Rule
from trajectory_msgs.msg import JointTrajectory

from ...core.identification.estimate import Estimate
from ...files.configuration.whole_file import saved_file
from ...files.figures.interval_figure import intervals_over_time
from ...files.runs.run_file import FILE_NAME
from ...ros.client.estimator_client import PayloadClient, estimate_from
from ...ros.common.joint_trajectory_message import message_of
from ..common.presentation import console, estimate_table, verdict
from .nodes import DemonstrationNodes
from .scene import DURATION, HEAVIEST, LINK_RELATIVE, TORQUE_RELATIVE, Scene, draw_scene
from .view import LiveView

SETTLE = 0.3  # [s] after the motion
READY = 40.0  # [s] until all nodes must have answered
SAMPLES = "payload_sampler/samples"
TRAJECTORY_RATE = 50.0  # [Hz] of the trajectory's points
# In a process in which ROS cannot be imported:
REPLAY = (
    "import sys; sys.modules['rclpy'] = None\n"
    "from payload_id.cli.main import main\n"
    "sys.exit(main(sys.argv[1:]))"
)


def run(robot: str, seed: int | None, out: Path) -> int:
    """Run the demonstration; return 0 if every interval contains the truth."""
    terminal = console()
    scene = draw_scene(robot, secrets.randbelow(100_000) if seed is None else seed, out)
    introduce(terminal, scene)
    history, solve_seconds = identify(terminal, scene)
    return conclude(terminal, scene, history, solve_seconds)


def introduce(terminal: Console, scene: Scene) -> None:
    """Say what is simulated and how it will move."""
    terminal.print(Rule(f"[bold]payload_id demo[/bold]: {scene.robot.name}, seed {scene.seed}"))
    terminal.print(
        f"Simulated: an unknown payload at {scene.robot.payload_frame}, links within "
        f"±{LINK_RELATIVE:.0%} of their description, torque noise within ±{TORQUE_RELATIVE:.1%}."
    )
    taken = ", ".join(f"{name} {part:.0%}" for name, part in scene.motion.usage.items())
    terminal.print(
        f"Motion: rest-to-rest Fourier series of {DURATION:g} s, the best of {scene.motion.tried} "
        f"random ones; of its limits, with {HEAVIEST:g} kg, it takes: {taken}."
    )


def identify(terminal: Console, scene: Scene) -> tuple[list[Estimate], float]:
    """Run the nodes; return the estimates in their order, and the last one's solving time [s]."""
    # A domain of its own, so that no robot on this machine hears the demonstration.
    os.environ["ROS_DOMAIN_ID"] = str(1 + secrets.randbelow(100))
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    rclpy.init()
    try:
        with DemonstrationNodes(scene) as nodes, PayloadClient() as client:
            with terminal.status("Starting simulated arm, sampler and estimator ..."):
                _wait(scene, nodes, client)
            return _shake(terminal, scene, nodes, client)
    finally:
        rclpy.try_shutdown()


def _wait(scene: Scene, nodes: DemonstrationNodes, client: PayloadClient) -> None:
    """Wait until every node has answered and samples reach the estimator's topic."""
    blocks: list[SampleBlock] = []
    subscription = client.node.create_subscription(SampleBlock, SAMPLES, blocks.append, 1)

    def ready() -> bool:
        nodes.check()
        topic = scene.robot.command.trajectory_topic
        heard = client.node.count_subscribers(SAMPLES) > 1
        return heard and bool(blocks) and client.node.count_subscribers(topic) > 0

    client.wait_for(ready, READY, "the simulated arm, the sampler and the estimator")
    client.wait_until_ready(READY)
    client.node.destroy_subscription(subscription)


def _shake(
    terminal: Console, scene: Scene, nodes: DemonstrationNodes, client: PayloadClient
) -> tuple[list[Estimate], float]:
    """Move the arm while the estimator runs."""
    topic = scene.robot.command.trajectory_topic
    target = client.node.create_publisher(JointTrajectory, topic, 1)
    client.wait_for(lambda: target.get_subscription_count() > 0, READY, f"a reader of {topic}")
    client.start()
    before = len(client.messages)
    target.publish(message_of(scene.motion.trajectory, scene.robot.joints, TRAJECTORY_RATE))
    with LiveView(terminal, DURATION) as view:
        begin = time.monotonic()
        while (elapsed := time.monotonic() - begin) < DURATION + SETTLE:
            nodes.check()
            latest = client.messages[-1] if len(client.messages) > before else None
            view.show(elapsed, None if latest is None else estimate_from(latest))
            time.sleep(0.1)
    with terminal.status("The final estimate ..."):
        client.stop()
        final = client.estimate()
        client.save(str(scene.folder / "bag"))
        client.wait_for(
            lambda: any(m.windows == final.windows for m in client.messages[before:]),
            READY,
            "the final estimate on its topic",
        )
    messages = [message for message in client.messages[before:] if message.windows]
    return [*map(estimate_from, messages[:-1]), final], float(messages[-1].solve_seconds)


def conclude(terminal: Console, scene: Scene, history: list[Estimate], solve_seconds: float) -> int:
    """Compare with the truth, replay the bag, and say what was written where."""
    last, bag = history[-1], scene.folder / "bag"
    contained = bool(last.contains(scene.payload).all())
    terminal.print(estimate_table(last, scene.payload, terminal.width))
    terminal.print(verdict(last))
    truth = {"seed": scene.seed, "payload": scene.payload.tolist()}
    with saved_file(scene.folder / "truth.json", "truth") as file:
        file.write(f"{json.dumps(truth, indent=2)}\n".encode())
    title = f"{scene.robot.name}, simulated, seed {scene.seed}: {last.status.value}"
    figure = intervals_over_time(scene.folder / "intervals.png", history, title, scene.payload)
    with terminal.status("Replaying the recording without ROS ..."):
        same = replayed_identically(bag, last)
    identical = "[green]identical, bit for bit[/green]" if same else "[bold red]DIFFERENT[/]"
    terminal.print(
        f"last update: {solve_seconds:.2f} s of computing\n"
        f"figure:      {_short(figure)}\n"
        f"recording:   {_short(bag)} (settings and result in {FILE_NAME})\n"
        f"replayed without ROS: {identical}; again with: ./payload-id replay {_short(bag)}",
        soft_wrap=True,
    )
    terminal.print(
        "[bold green]Every interval contains the truth.[/]"
        if contained
        else "[bold red]An interval misses the truth.[/]"
    )
    return 0 if contained and same else 1


def replayed_identically(bag: Path, live: Estimate) -> bool:
    """Replay a bag in a process of its own; tell whether it gives what the live run gave."""
    command = [sys.executable, "-c", REPLAY, "replay", str(bag), "--json"]
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
