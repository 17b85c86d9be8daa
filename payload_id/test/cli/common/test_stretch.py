"""A stretch of a recording: how it is given, and what is still told of what was left out."""

from argparse import Namespace

import numpy as np
import pytest

from payload_id import Recording
from payload_id.cli.common.recording_arguments import OF_WHOLE, remarks, stretch_of
from payload_id.cli.main import main


def recording(lost):
    t = np.arange(20) * 0.1
    q = np.zeros((20, 2))
    q[lost] = np.nan
    return Recording(t, q, 0.0 * q, 0.0 * q, joints=("a", "b"))


def test_numbers_of_samples_left_out_are_kept_and_said_to_be_of_the_whole():
    whole = recording([3, 15])
    some = stretch_of(whole, Namespace(start=0.0, end=1.0))
    assert len(some) == 10 and dict(some.dropped) == dict(whole.dropped)
    assert sum(some.dropped.values()) >= 2
    assert OF_WHOLE in remarks(some) and any("samples left out" in x for x in remarks(some))


def test_without_a_stretch_or_a_loss_nothing_is_said():
    assert OF_WHOLE not in remarks(stretch_of(recording([3]), Namespace(start=None, end=None)))
    assert OF_WHOLE not in remarks(stretch_of(recording([]), Namespace(start=0.5, end=None)))


@pytest.mark.parametrize("text", ["1_0", "٣", "1e4_0", "𝟙"])
def test_a_number_that_other_programs_read_otherwise_is_none(capsys, text):
    with pytest.raises(SystemExit) as ended:
        main(["replay", "x", "--from", text])
    assert ended.value.code == 2 and "invalid number value" in capsys.readouterr().err
