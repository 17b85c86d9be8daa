"""Any message of a robot is a row of numbers, or is counted as wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import JointState

from payload_id.files.teams.team_file import TeamFile
from payload_id.ros.team.robot_messages import WIDTH, WrongMessageError, reader_of

ROBOT = TeamFile.load("omnids").robots[0]
KEYS = ROBOT.joints
NAMES = [*KEYS.before, *KEYS.after, *KEYS.gimbal]
MESSAGES = st.tuples(
    st.one_of(st.just(NAMES), st.lists(st.sampled_from([*NAMES, "", "other"]), max_size=12)),
    *(st.lists(st.floats(width=64), max_size=12) for _ in range(3)),
)


@given(st.lists(MESSAGES, min_size=1, max_size=4))
def test_joint_states_of_any_lengths(messages) -> None:
    read = reader_of("joint_states", ROBOT)
    for name, position, velocity, effort in messages:
        message = JointState(name=name, position=position, velocity=velocity, effort=effort)
        try:
            row = read(message)
        except WrongMessageError:
            continue
        assert np.array(row, dtype=float).shape == (WIDTH["joint_states"],)


def test_a_message_without_anything_is_wrong_from_the_first_on() -> None:
    with pytest.raises(WrongMessageError, match="without some of the joints"):
        reader_of("joint_states", ROBOT)(JointState())
