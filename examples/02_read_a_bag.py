"""Write and read a rosbag2 recording, and identify from it; ROS is not needed for any of it.

One sees the folder of the bag, what was read from it (the effort has the Gen3's sign: opposite to
the joint), and the mass with its interval. A bag of `ros2 bag record /joint_states` is read in the
same way, sqlite3 or MCAP.

    ./payload-id python examples/02_read_a_bag.py
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

from simulated_arm import LINK_RELATIVE, MODEL, PAYLOAD, ROBOT, shake

from payload_id import Recording, Uncertainty, identify
from payload_id.core.simulation.sensors import SensorModel
from payload_id.files.recordings.write_bag import write_joint_states


def main() -> None:
    """Make a bag as the Gen3's driver would fill it, read it back and identify."""
    seen = shake(PAYLOAD, SensorModel(torque_relative=0.025), seed=2)
    effort = (seen.tau + ROBOT.effort.offset) / ROBOT.effort.sign  # what the driver publishes
    with tempfile.TemporaryDirectory() as folder:
        bag = write_joint_states(Path(folder) / "run", dataclasses.replace(seen, tau=effort))
        print(f"bag: {sorted(path.name for path in bag.iterdir())} in {bag.name}/")
        recording = Recording.from_bag(
            bag,
            topic=ROBOT.joint_states.topic,
            joints=ROBOT.joints,  # picked by name, in this order, whatever the messages' order
            effort_sign=tuple(ROBOT.effort.sign),
            effort_offset=tuple(ROBOT.effort.offset),
        )
    print(f"read: {len(recording)} samples at {1 / recording.step:.0f} Hz")
    print(f"joints: {', '.join(recording.joints)}; left out: {dict(recording.dropped) or 'none'}")
    uncertainty = Uncertainty(
        torque_relative=0.025, link_relative=LINK_RELATIVE, prior=ROBOT.uncertainty.prior
    )
    estimate = identify(recording, MODEL, uncertainty)
    print(f"{estimate.status.value}: {estimate.message}")
    low, high = estimate.lower[0], estimate.upper[0]
    print(f"mass {estimate.phi[0]:.3f} kg in [{low:.3f}, {high:.3f}] kg, truth {PAYLOAD[0]:.3f} kg")


if __name__ == "__main__":
    main()
