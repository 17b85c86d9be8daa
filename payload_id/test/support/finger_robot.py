"""The Gen3 with a finger on its flange, as a robot file of one's own describes it."""

from __future__ import annotations

from pathlib import Path

from promises.finger import write_finger

HEAD = "extends: package://payload_id/config/robots/kinova_gen3.yaml\nurdf: arm.urdf.xacro\n"


def finger_robot(folder: Path, text: str = "") -> Path:
    """Write the robot file and its description; return its path."""
    write_finger(folder, "arm")
    path = folder / "robot.yaml"
    path.write_text(f"{HEAD}{text}\n")
    return path
