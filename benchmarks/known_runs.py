"""As an owner calibrates: `calibrate record`, `calibrate history`, then unknown payloads.

    ./payload-id python benchmarks/known_runs.py

A simulated Gen3 with drives that no estimator knows (`gen3_like`) and the planner run as nodes. The
session makes 20 runs, bare and with weights of which the mass is known; their bodies are drawn
inside the planner's payload_box, another one each time. Then some payloads that nobody knows are
moved by motions that are certified for the prior, and identified with the arm's history. Prints how
long the runs took, and each mass with both of its intervals.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("ROS_DOMAIN_ID", "79")  # before rclpy: nobody else hears these nodes

import numpy as np
import rclpy
import yaml
from calibrated import stated
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from payload_id import RobotFile, RobotModel
from payload_id.cli.main import main as payload_id
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.ros.client import PayloadClient
from payload_id.ros.client.known_runs import KnownRuns
from payload_id.ros.client.run_recorder import RunRecorder
from payload_id.ros.client.wanted_runs import Wanted

PRESET = "gen3_like"
WEIGHTS = (0.0, 1.0, 2.0, 0.5, 1.5, 0.0, 2.0, 0.5, 1.0, 1.5)  # [kg], each put on elsewhere
SIZE, CENTRE = np.array([0.14, 0.14, 0.16]), np.array([0.0, 0.0, 0.08])  # payload_box [m]
PRIOR = PayloadPrior(3.0, 0.2)
RATE = 100.0  # [Hz] of joint states
SETTLED = 1.0  # [s] after a change of the payload


def body(mass: float, rng: np.random.Generator) -> Array:
    """Return a solid box somewhere in the payload's box, shape (10,)."""
    sides = rng.uniform(0.3, 0.8, 3) * SIZE
    com = CENTRE + rng.uniform(-0.5, 0.5, 3) * (SIZE - sides)
    return from_mass_com_inertia(mass, com, mass / 12 * np.diag(np.sum(sides**2) - sides**2))


def robot_file(folder: Path) -> Path:
    """Write a robot file with bounds that a user could state for such drives."""
    base = RobotFile.load("kinova_gen3")
    bounds = stated(RobotModel.from_robot_file(base), PRESET).to_dict()
    bounds = json.loads(json.dumps(bounds, default=float))  # plain numbers
    bounds["prior"] = {"mass_max": PRIOR.mass_max, "com_max": PRIOR.com_max}
    path = folder / "robot.yaml"
    path.write_text(yaml.safe_dump({"extends": str(base.path.resolve()), "uncertainty": bounds}))
    return path


def start(
    node: str, folder: Path, parameters: Sequence[str] = (), name: str = "", namespace: str = ""
) -> subprocess.Popen[bytes]:
    """Start a node of this package in a process of its own; what it prints goes to a file."""
    options = [x for parameter in parameters for x in ("-p", parameter)]
    options += ["-r", f"__node:={name}"] if name else []
    options += ["-r", f"__ns:={namespace}"] if namespace else []
    command = [sys.executable, "-m", f"payload_id.ros.{node}.node", "--ros-args", *options]
    with (folder / f"{name or node}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


def carry(client: PayloadClient, phi: Array) -> bool:
    """Have the simulated arm carry a payload, and wait until it rests again."""
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY)
    value.double_array_value = phi.tolist()
    setter = client.node.create_client(SetParameters, "simulated_arm/set_parameters")
    client.wait_for(setter.service_is_ready, 60.0, "the simulated arm")
    request = SetParameters.Request(parameters=[Parameter(name="payload", value=value)])
    answer = setter.call_async(request)
    client.wait_for(answer.done, 10.0, "its answer")
    time.sleep(SETTLED)
    return bool(answer.result().results[0].successful)


def rehearse(client: PayloadClient, folder: Path, arguments: argparse.Namespace) -> None:
    """Make the runs, learn, and identify payloads that nobody knows."""
    rng = np.random.default_rng(arguments.seed)
    wanted = Wanted.in_groups(
        arguments.weights, arguments.runs, duration=arguments.duration, seed=arguments.seed
    )
    waited = []

    def put_on(mass: float) -> bool:
        begin = time.monotonic()
        done = carry(client, body(mass, rng) if mass else np.zeros(10))
        waited.append(time.monotonic() - begin)
        return done

    session = KnownRuns(client, folder / "runs", wanted, put_on, print)
    begin = time.monotonic()
    session.make()
    seconds = time.monotonic() - begin
    print(f"{len(session.runs)} runs in {seconds:.0f} s, {sum(waited):.0f} s of them pauses.")
    robot, known = str(session.setup.robot.path), str(folder / "known_arm.yaml")
    learn = ["calibrate", "history", "--runs", str(session.path), "--robot", robot]
    payload_id([*learn, "--window", "0.2", "--out", known])
    recorder = RunRecorder(client.node, session.setup.robot, "", "")
    for k in range(arguments.unknown):
        phi = body(rng.uniform(0.3, 2.2), rng)
        carry(client, phi)
        seed = 1000 + 100 * arguments.seed + k
        plan = client.plan(300.0, duration=arguments.duration, seed=seed, intervals=1)
        with recorder.recording(folder / f"unknown_{k}") as path:
            print(client.execute(plan, 300.0).message)
        report(["identify", str(path), "--robot", known, "--window", "0.2"], phi)


def report(replay: list[str], truth: Array) -> None:
    """Identify a payload with the arm's history; print its mass with both intervals."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        payload_id([*replay, "--json"])
    found = json.loads(text.getvalue())
    found = found.get("estimate", found)
    by_runs = found["calibrated"]
    print(
        f"mass {truth[0]:.3f} kg; by history {by_runs['phi'][0]:.3f}, from "
        f"{by_runs['lower'][0]:.3f} to {by_runs['upper'][0]:.3f}; by bounds from "
        f"{found['lower'][0]:.3f} to {found['upper'][0]:.3f}. {found['message']}",
        flush=True,
    )


def main() -> None:
    """Start the nodes, rehearse, end the nodes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=float, nargs="+", default=WEIGHTS, help="[kg]; 0: bare")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--duration", type=float, default=6.0, help="of each motion [s]")
    parser.add_argument("--unknown", type=int, default=3, help="payloads that nobody knows")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder (default: a temporary one)")
    arguments = parser.parse_args()
    folder = arguments.out or Path(tempfile.mkdtemp(prefix="known_runs_"))
    folder.mkdir(parents=True, exist_ok=True)
    robot = f"robot_file:={robot_file(folder)}"
    simulated = [f"drive:={PRESET}", "link_relative:=0.05", f"seed:={arguments.seed}"]
    box = [f"payload_box:={SIZE.tolist()}", f"payload_box_centre:={CENTRE.tolist()}"]
    both = [robot, *box, "cell:=none, a simulation", "clock_tolerance:=5.0", "use_sim_time:=true"]
    bridge = ["silence:=5.0", "reaction:=0.4", "settling:=10.0"]
    planner = ["limits:=safety_warning", f"certificates_folder:={folder / 'certificates'}"]
    simulated += ["publish_clock:=true"]  # a busy machine is slower than the clock on the wall
    nodes = [
        start("simulated_arm", folder, [robot, f"rate:={RATE}", *simulated]),
        start("bridge", folder, [*both, *bridge]),
        start("planner", folder, [*both, *planner]),
    ]
    rclpy.init()
    try:
        with PayloadClient() as client:
            rehearse(client, folder, arguments)
    finally:
        for node in reversed(nodes):
            node.send_signal(signal.SIGINT)
            node.wait(timeout=20.0)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
