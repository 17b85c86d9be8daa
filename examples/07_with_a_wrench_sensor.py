"""Identify what an xArm7 with a force-torque sensor holds: the same call as in example 06.

Starts a simulated xArm7, a sensor that has a bias and noise, wrench sampler, estimator, planner and
bridge. One sees the planner's sentence, and the mass with its interval.

    ./payload-id python examples/07_with_a_wrench_sensor.py
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ["ROS_DOMAIN_ID"] = "82"  # before rclpy: nothing but this example hears these nodes

import rclpy
from simulated_arm import PAYLOAD
from simulated_nodes import SILENCE, SIMULATED, running_nodes

from payload_id.ros.client import PayloadClient, each_stage, estimate_from

ROBOT = "robot_file:=xarm7"
BOX = ["payload_box:=[0.1, 0.1, 0.1]", "payload_box_centre:=[0.0, 0.0, 0.08]"]
# What is stated of the arm, for certificates: friction is not simulated.
STATED = {"prior.mass_max": 2.0, "prior.com_max": 0.15, "rotor_inertia": 0.0}
STATED |= {"friction_coulomb": 0.0, "friction_viscous": 0.0, "link_relative": 0.02}
BOUNDS = [f"uncertainty.{name}:={value}" for name, value in STATED.items()]
# What is stated of the sensor; its bias is not known. Accelerations are those of the joint states.
SENSOR = """
force_error: 0.05
torque_error: 0.002
linear_acceleration_error: 0.2
angular_acceleration_error: 0.5
prior: {mass_max: 2.0, com_max: 0.15}
"""


def main() -> None:
    """Start the nodes, identify, end the nodes."""
    folder = Path(tempfile.mkdtemp(prefix="payload_id_"))
    (folder / "sensor.yaml").write_text(SENSOR)
    numbers = [str(x) for x in PAYLOAD]
    beside = [ROBOT, *BOUNDS, *SIMULATED, *BOX]
    nodes = {
        "simulated_arm": [ROBOT, f"payload:={PAYLOAD.tolist()}"],
        "sampler": [ROBOT, "source:=wrench", f"bag:={folder}/run"],
        "estimator": [ROBOT, *BOUNDS, "source:=wrench", f"wrench_uncertainty:={folder}/sensor.yaml",
                      f"recordings_folder:={folder}"],
        "bridge": [*beside, SILENCE],
        "planner": [*beside, "source:=wrench", f"wrench_uncertainty:={folder}/sensor.yaml",
                    f"certificates_folder:={folder}/certificates"],
    }  # fmt: skip
    script = Path(__file__).with_name("simulated_wrench.py")
    rclpy.init()
    with running_nodes(nodes, [str(script), "xarm7", *numbers]), PayloadClient() as client:
        client.wait_until_ready(timeout=60.0, planner=True)
        result = client.identify(on_feedback=each_stage(print), one_motion=True, duration=8.0)
        print(result.message)
    rclpy.try_shutdown()
    found = estimate_from(result.estimate)
    print(f"mass in [{found.lower[0]:.3f}, {found.upper[0]:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")
    print(f"all ten parameters in their intervals: {bool(found.contains(PAYLOAD).all())}")


if __name__ == "__main__":
    main()
