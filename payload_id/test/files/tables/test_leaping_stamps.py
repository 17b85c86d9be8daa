"""One row of a table with a stamp of another time does not cost the rows of this one."""

import numpy as np
import pytest

from one_joint_table import read

TIME = 0.01 * np.arange(400)


def of_times(path, time):
    """Return the recording of a table whose position is the number of its row."""
    rows = [f"{t:.3f},{k},10.0,-12.3" for k, t in enumerate(time)]
    return read(path, "\n".join(["t,q,dq,tau", *rows, ""]))


@pytest.mark.parametrize("hour", [3600.0, -3600.0])
@pytest.mark.parametrize("which", [[200], [0], [399], list(range(20, 400, 20))])
def test_false_stamps_are_left_out_and_true_rows_are_not(tmp_path, hour, which):
    time = 7200.0 + TIME
    time[which] += hour
    found = of_times(tmp_path / "run.csv", time)
    # Where the first row is false, five in a row tell that the clock was set; before a step ahead
    # the first one stays, alone.
    lost = set(which) | set(range(1, 5)) if 0 in which else set(which)
    if 0 in which and hour < 0.0:
        lost.remove(0)
    kept = [k for k in range(400) if k not in lost]
    np.testing.assert_array_equal(found.q[:, 0], kept)
    assert found.dropped["stamp_leap"] >= len(which) - (0 in which)


def test_of_a_clock_that_was_set_back_the_longer_time_is_read_and_that_is_said(tmp_path):
    found = of_times(tmp_path / "run.csv", np.concatenate([5000.0 + TIME[:100], TIME]))
    assert len(found) == 396 and found.q[0, 0] == 104  # after the rows that tell
    assert any("set back" in note and "100 samples" in note for note in found.notes)


def test_stamps_in_another_unit_are_not_taken_for_leaps(tmp_path):
    found = of_times(tmp_path / "run.csv", 3000.0 * TIME)
    assert len(found) == 400 and not found.dropped
