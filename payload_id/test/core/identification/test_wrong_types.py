"""Whatever is given instead of what is meant: an error of this package, of bounded length."""

from __future__ import annotations

import numpy as np
import pytest

from described_arms import described
from payload_id import PayloadIdError, RobotFile, Settings
from payload_id.core.errors import HEAD, TAIL, InputError, UnknownNameError
from payload_id.core.identification.identify import replay
from payload_id.core.identification.wrench.static import identify_poses
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.robot_model import RobotModel
from view_estimates import estimate_at


class Silent(float):
    """Is a number, and raises when asked which."""

    def __repr__(self):
        raise RuntimeError("no words")


JUNK = (
    Silent(1.0), [Silent(2.0)], 0, 3, 1j, True, "x", b"x", [], [1.0], {}, {1}, np.zeros(4),
    np.ones((2, 2)), object(), print, None, np.array(1.0), np.full(10, np.nan), [None] * 10, 10**39,
)  # fmt: skip


def test_junk_is_refused_in_a_sentence():
    recording = Recording(
        np.arange(10) / 100.0, *np.zeros((3, 10, 2)), joints=("shoulder", "elbow")
    )
    model, robot = RobotModel.from_urdf(described(), "tool"), RobotFile.load("xarm7")
    turned, wrench = np.tile(np.eye(3), (9, 1, 1)), np.zeros((9, 6))
    calls = (
        lambda x: list(replay(recording, model, Settings(), [1], tare=x)),
        lambda x: list(replay(recording, model, Settings(), x)),
        lambda x: recording.part(0, x),
        recording.of_joints,
        recording.chosen,
        recording.joined,
        model.with_calibration,
        robot.limits_named,
        estimate_at().contains,
        lambda x: Recording.of_robot("nowhere", x),
        lambda x: Recording.of_robot("nowhere", robot, x),
        lambda x: identify_poses(turned, wrench, x),
        lambda x: identify_poses(turned, wrench, WrenchUncertainty(), frame=x),
    )
    for call in calls:
        for junk in JUNK:
            try:
                call(junk)
            except PayloadIdError as error:
                assert 0 < len(str(error)) <= HEAD + TAIL + 7


@pytest.mark.parametrize("length", [10, HEAD + TAIL + 1, 10**6])
def test_messages_are_of_bounded_length_and_keep_both_ends(length):
    text = str(InputError("a" + "x" * (length - 2) + "z"))
    assert len(text) <= HEAD + TAIL + 7 and text[0] == "a" and text[-1] == "z"
    unknown = UnknownNameError("column", "c", ["x" * 100] * length)
    assert str(unknown).startswith("Unknown column 'c'") and len(unknown.known) == length
