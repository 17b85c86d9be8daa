"""Whatever is given instead of what is meant: an error of this package, of bounded length."""

from __future__ import annotations

import numpy as np
import pytest

from described_arms import described
from payload_id import PayloadIdError, RobotFile, Settings
from payload_id.core.errors import HEAD, TAIL, InputError, UnknownNameError, require_type
from payload_id.core.identification.identify import replay
from payload_id.core.identification.wrench.static import identify_poses
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.robot_model import RobotModel
from view_estimates import estimate_at


class Silent:
    """Raises when asked what it is."""

    def __repr__(self):
        raise RuntimeError("no words")


class SilentNumber(Silent, float):
    """Is a number, and raises when asked which."""


JUNK = (
    Silent(),
    [Silent()],
    SilentNumber(1.0),
    0,
    3,
    1j,
    True,
    np.True_,
    "x",
    b"x",
    [],
    [1.0],
    {},
    {1},
    np.zeros(4),
    np.ones((2, 2)),
    object(),
    print,
    None,
    np.array(1.0),
    np.full(10, np.nan),
    [None] * 10,
    10**39,
)
OF = 10
SAMPLES = Recording(np.arange(OF) / 100.0, *np.zeros((3, OF, 2)), joints=("shoulder", "elbow"))


def refused(call, value) -> None:
    """Check that a value is refused in a sentence, or taken."""
    try:
        call(value)
    except PayloadIdError as error:
        assert 0 < len(str(error)) <= HEAD + TAIL + 7


@pytest.mark.slow
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: type(junk).__name__)
def test_junk_is_refused_in_a_sentence(junk):
    model = RobotModel.from_urdf(described(), "tool")
    refused(lambda x: list(replay(SAMPLES, model, Settings(), [1], tare=x)), junk)
    refused(lambda x: list(replay(SAMPLES, model, Settings(), x)), junk)
    refused(SAMPLES.of_joints, junk)
    refused(lambda x: SAMPLES.part(0, x), junk)
    refused(SAMPLES.chosen, junk)
    refused(SAMPLES.joined, junk)
    refused(model.with_calibration, junk)
    refused(RobotFile.load("xarm7").limits_named, junk)
    refused(estimate_at().contains, junk)
    refused(lambda x: Recording.of_robot("nowhere", x), junk)
    refused(lambda x: Recording.of_robot("nowhere", RobotFile.load("xarm7"), x), junk)
    turned, wrench = np.tile(np.eye(3), (9, 1, 1)), np.zeros((9, 6))
    refused(lambda x: identify_poses(turned, wrench, x), junk)
    refused(lambda x: identify_poses(turned, wrench, WrenchUncertainty(), frame=x), junk)


@pytest.mark.parametrize("length", [10, HEAD + TAIL, HEAD + TAIL + 1, 10**6])
def test_messages_are_of_bounded_length_and_keep_both_ends(length):
    text = str(InputError("a" + "x" * (length - 2) + "z"))
    assert len(text) <= HEAD + TAIL + 7 and text[0] == "a" and text[-1] == "z"
    unknown = UnknownNameError("column", "c", ["x" * 100] * length)
    assert str(unknown).startswith("Unknown column 'c'") and len(unknown.known) == length
    with pytest.raises(InputError, match="must be a"):
        require_type(1, str, "n" * 20, "a text")
