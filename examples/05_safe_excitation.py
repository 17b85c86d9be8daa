"""Excite an unknown payload safely: certified motion, planned around obstacles, under watch.

Starts the simulated arm, sampler with estimator, planner and bridge. A motion from rest to rest is
planned for any payload that the prior allows, described and executed; then receding horizon narrows
the intervals further. One sees the planner's own sentences, and the mass with its interval. On a
real robot only the clients' part is needed.

    ./payload-id python examples/05_safe_excitation.py
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

os.environ["ROS_DOMAIN_ID"] = "78"  # before rclpy: nothing but this example hears these nodes

import rclpy
from simulated_arm import PAYLOAD

from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.ros.client.estimator_client import PayloadClient, estimate_from
from payload_id.ros.client.planner_client import PlannerClient, each_piece

# What the simulated arm lacks, unlike the real one that the robot file describes.
NOT_SIMULATED = "torque_absolute torque_offset friction_coulomb friction_viscous rotor_inertia"
PRIOR = ["uncertainty.prior.mass_max:=2.0", "uncertainty.prior.com_max:=0.15"]
BOUNDS = [*(f"uncertainty.{name}:=0.0" for name in NOT_SIMULATED.split()), *PRIOR]
BOX = ["payload_box:=[0.12, 0.12, 0.16]", "payload_box_centre:=[0.0, 0.0, 0.1]"]
SIMULATED = ["cell:=none, a simulation", "clock_tolerance:=60.0"]  # it acts by its own stamps
TABLE = ConvexBody.primitive("box", (0.4, 0.8, 0.04), translation=(0.9, 0.0, 0.1), name="table")
POST = ConvexBody.primitive("cylinder", (0.04, 0.8), translation=(0.3, 0.6, 0.4), name="post")


def start(node: str, *parameters: str) -> subprocess.Popen[bytes]:
    """Start a node of this package in a process of its own."""
    options = [x for parameter in parameters for x in ("-p", parameter)]
    command = [sys.executable, "-m", f"payload_id.ros.{node}.node", "--ros-args"]
    return subprocess.Popen([*command, "--log-level", "error", *options])


def excite(client: PayloadClient) -> None:
    """Plan, describe, execute; then identify in receding horizon."""
    planner = PlannerClient(client.node)
    client.wait_until_ready(timeout=60.0)
    planner.wait_until_ready(timeout=60.0)
    print(f"{planner.set_obstacles([TABLE, POST])} {client.start()}")
    client.wait_for(lambda: client.messages and client.messages[-1].samples, 60.0, "samples")
    plan = planner.plan(duration=5.0, limits="safety_warning")
    print(f"Plan: {plan.summary}\nCertificate: {plan.certificate_path}")
    print(f"Execution: {planner.execute(plan).message}\nReceding horizon:")
    result = planner.identify(tell=each_piece(print), most_pieces=4, limits="safety_warning")
    print(f"  {result.message} {result.pieces} pieces in {result.seconds:.0f} s.\n{client.stop()}")
    found = estimate_from(client.messages[-1])
    print(f"mass in [{found.lower[0]:.3f}, {found.upper[0]:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")


def main() -> None:
    """Start the nodes, excite, end the nodes."""
    nodes = [
        start("simulated_arm", f"payload:={PAYLOAD.tolist()}", "torque_relative:=0.02"),
        start("identify", *(f"payload_estimator:{bound}" for bound in BOUNDS)),
        start("bridge", *BOUNDS, *SIMULATED, *BOX),
        start("planner", *BOUNDS, *SIMULATED, *BOX, "certificates_folder:=runs/certificates"),
    ]
    rclpy.init()
    try:
        with PayloadClient() as client:
            excite(client)
    finally:
        for node in reversed(nodes):
            node.send_signal(signal.SIGINT)
            node.wait(timeout=20.0)
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
