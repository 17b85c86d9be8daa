"""Rows of a sensor's motion that cannot be used are counted, as those of its wrench are."""

import numpy as np

from payload_id.files.recordings.wrench_recording import WrenchRecording

COLUMNS = {
    "wrench": {"stamp": {"column": "t", "unit": "s"}, "columns": [f"w{k}" for k in range(6)]},
    "orientation": {"quaternion": ["x", "y", "z", "w"]},
    "acceleration": {"columns": ["ax", "ay", "az"]},
}
NAMES = ["t", *(f"w{k}" for k in range(6)), "x", "y", "z", "w", "ax", "ay", "az"]


def test_what_is_left_out_of_the_motion_is_counted(tmp_path):
    rows = np.zeros((60, len(NAMES)))
    rows[:, 0] = 0.01 * np.arange(60)
    rows[:, NAMES.index("w")] = 1.0
    rows[:, NAMES.index("w1")] = 9.0
    rows[10:13, NAMES.index("x")] = np.nan
    rows[20:22, NAMES.index("ay")] = np.nan
    rows[30, NAMES.index("w2")] = np.nan
    path = tmp_path / "run.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(NAMES), comments="")
    found = WrenchRecording.from_csv(path, COLUMNS)
    assert found.dropped == {
        "not_finite": 1,
        "orientation_incomplete_or_not_newer": 3,
        "acceleration_incomplete_or_not_newer": 2,
    }
