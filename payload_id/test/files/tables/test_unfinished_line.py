"""A table that was cut within its last cell gives no wrong number, and says what is left out."""

import numpy as np
import pytest

from one_joint_table import read
from payload_id.core.errors import RecordingError
from payload_id.files.tables.csv_columns import UNFINISHED

LINES = [f"{0.01 * k:.2f},{0.1 * k:.3f},10.0,{-12.345 - k:.3f}" for k in range(5)]
END = {"unix": "\n", "windows": "\r\n", "old": "\r"}


@pytest.mark.parametrize("end", END.values(), ids=END.keys())
def test_wherever_a_table_is_cut_no_number_is_wrong(tmp_path, end):
    path, text = tmp_path / "run.csv", end.join(["t,q,dq,tau", *LINES]) + end
    whole = read(path, text)
    assert len(whole) == len(LINES) and not whole.dropped
    last = len(text) - len(LINES[-1]) - len(end)
    for size in range(last, len(text) - len(end) + 1):
        try:
            found = read(path, text[:size])
        except RecordingError as error:
            assert "line 6" in str(error)
            continue
        np.testing.assert_array_equal(found.tau, whole.tau[:4])
        assert found.dropped == ({} if size == last else {UNFINISHED: 1})


def test_a_table_of_one_unfinished_line_says_so(tmp_path):
    with pytest.raises(RecordingError, match=f"1 {UNFINISHED}"):
        read(tmp_path / "run.csv", "t,q,dq,tau\n0.0,0.1,10.0,-1")
