"""Identify what the hand holds, in one call: what a task planner writes, and what it gets.

Starts a simulated arm whose effort has the driver's sign and unknown offsets, sampler with
estimator, planner and bridge; `task` is the client. One sees how far the planner is, its own
sentence, and the mass with its interval. On a real robot only `task` is needed.

    ./payload-id python examples/06_identify_the_payload.py
"""

from __future__ import annotations

import os
import tempfile

os.environ["ROS_DOMAIN_ID"] = "79"  # before rclpy: nothing but this example hears these nodes

import rclpy
from simulated_arm import PAYLOAD
from simulated_nodes import running

from payload_id.core.identification.estimate import Estimate
from payload_id.ros.client import PayloadClient, each_stage, estimate_from

ARM = [f"payload:={PAYLOAD.tolist()}", "rate:=250.0"]
ARM += ["torque_relative:=0.01", "torque_offset:=1.5", "link_relative:=0.02"]
# What is stated of that arm: friction and further noise are not simulated, all else is unknown.
NOTHING = "torque_absolute friction_coulomb friction_viscous rotor_inertia"
STATED = {"torque_relative": 0.01, "torque_offset": 1.5, "link_relative": 0.02}
STATED |= {"prior.mass_max": 2.0, "prior.com_max": 0.15, **dict.fromkeys(NOTHING.split(), 0.0)}
BOUNDS = [f"uncertainty.{name}:={value}" for name, value in STATED.items()]


def task() -> Estimate:
    """Identify the payload, and use what is found."""
    with PayloadClient() as client:
        client.wait_until_ready(timeout=60.0, planner=True)
        result = client.identify(
            on_feedback=each_stage(print), one_motion=True, duration=8.0, limits="safety_warning"
        )
        print(result.message)
        if not result.success:
            raise SystemExit(f"error code {result.error_code}")
        return estimate_from(result.estimate)


def main() -> None:
    """Start the nodes, carry out the task, end the nodes."""
    rclpy.init()
    with running(ARM, BOUNDS, tempfile.mkdtemp(prefix="payload_id_")):
        found = task()
    rclpy.try_shutdown()
    print(f"mass in [{found.lower[0]:.3f}, {found.upper[0]:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")
    print(f"all ten parameters in their intervals: {bool(found.contains(PAYLOAD).all())}")


if __name__ == "__main__":
    main()
