"""Where a run is saved, and what its file says of robot and recording."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ...core.samples.joint_map import JointMap
from ...core.version import VERSION
from ...files.bags.bag_reader import open_bag
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.robots.robot_file import RobotFile
from ...files.runs.run_file import RunFile


def save_folder(asked: str, bag: str, runs_folder: str) -> tuple[Path, str]:
    """Return where to save a run, and what to say about it.

    Args:
        asked: What the caller asked for; empty: choose.
        bag: Folder of the sampler's recording; empty: there is none.
        runs_folder: Where folders of runs without recording go.
    """
    new = Path(runs_folder) / datetime.now().strftime("run_%Y%m%d_%H%M%S")
    folder = Path(asked or bag or new).expanduser()
    if bag and folder.resolve() == Path(bag):
        return folder, ""
    if bag:
        return folder, f" The recording is elsewhere: {bag}"
    return folder, (
        " The sampler makes no recording, so the run cannot be replayed: start it with the "
        "parameter bag."
    )


def run_file_of(robot: RobotFile, joints: JointMap, topic: str) -> RunFile:
    """Return the entries of the run file that do not come from the identification.

    Args:
        robot: The robot file.
        joints: How its joint states are read.
        topic: Of the samples in the recording.
    """
    return RunFile(
        joints=robot.joints,
        payload_frame=robot.payload_frame,
        urdf=robot.urdf,
        robot=str(robot.path),
        gravity=tuple(robot.gravity.tolist()),
        topic=topic,
        effort_sign=joints.effort_sign,
        effort_offset=joints.effort_offset,
        software_version=VERSION,
    )


def joint_states_topic(bag: str) -> str | None:
    """Return the topic of joint states in a recording, None if it holds none.

    Raises:
        PayloadIdError: The recording cannot be read.
    """
    with open_bag(bag) as opened:
        for topic, kind in opened.types.items():
            if kind == JOINT_STATE:
                return str(topic)
    return None
