"""Excite an unknown payload safely: certified motion, planned around obstacles, under watch.

Starts the simulated arm, sampler with estimator, planner and bridge. A motion from rest to rest is
planned for any payload that the prior allows, described and executed; then receding horizon narrows
the intervals further. One sees the planner's own sentences, and the mass with its interval. On a
real robot only the clients' part is needed.

    ./payload-id python examples/05_safe_excitation.py
"""

from __future__ import annotations

import os
import tempfile

os.environ["ROS_DOMAIN_ID"] = "78"  # before rclpy: nothing but this example hears these nodes

import rclpy
from simulated_arm import PAYLOAD
from simulated_nodes import running

from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.ros.client.payload_client import PayloadClient, each_stage, estimate_from

# What the simulated arm lacks, unlike the real one that the robot file describes.
NOT_SIMULATED = "torque_absolute torque_offset friction_coulomb friction_viscous rotor_inertia"
PRIOR = ["uncertainty.prior.mass_max:=2.0", "uncertainty.prior.com_max:=0.15"]
BOUNDS = [*(f"uncertainty.{name}:=0.0" for name in NOT_SIMULATED.split()), *PRIOR]
TABLE = ConvexBody.primitive("box", (0.4, 0.8, 0.04), translation=(0.9, 0.0, 0.1), name="table")
POST = ConvexBody.primitive("cylinder", (0.04, 0.8), translation=(0.3, 0.6, 0.4), name="post")


def excite(client: PayloadClient) -> None:
    """Plan, execute; then identify in receding horizon."""
    client.wait_until_ready(timeout=60.0)
    client.wait_until_ready(timeout=60.0, planner=True)
    print(f"{client.set_obstacles([TABLE, POST])} {client.start()}")
    client.wait_for(lambda: client.messages and client.messages[-1].samples, 60.0, "samples")
    plan = client.plan(duration=5.0, limits="safety_warning")
    print(f"Plan: {plan.summary}\nCertificate: {plan.certificate_path}")
    print(f"Execution: {client.execute(plan).message}\nReceding horizon:")
    result = client.identify(
        on_feedback=each_stage(print), most_pieces=4, limits="safety_warning", continue_run=True
    )
    print(f"  {result.message} {result.pieces} pieces in {result.seconds:.0f} s.")
    found = estimate_from(result.estimate)
    print(f"mass in [{found.lower[0]:.3f}, {found.upper[0]:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")


def main() -> None:
    """Start the nodes, excite, end the nodes."""
    arm = [f"payload:={PAYLOAD.tolist()}", "torque_relative:=0.02"]
    rclpy.init()
    with running(arm, BOUNDS, tempfile.mkdtemp(prefix="payload_id_")), PayloadClient() as client:
        excite(client)
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
