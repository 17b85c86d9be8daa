"""Recordings read from tables of comma-separated values."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.core.identification.identify import identify
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

PACKAGE = Path(__file__).resolve().parents[3]
GEN3_COLUMNS = PACKAGE / "config" / "recordings" / "kinova_gen3_csv.yaml"
GEN3 = PACKAGE.parents[1] / "shared" / "datasets" / "torque_kinova_gen3"

COLUMNS = {
    "joints": ["a", "b"],
    "stamp": {"column": "t", "unit": "s"},
    "position": "q{j}",
    "velocity": ["v_a", "v_b"],
    "effort": "tau{j}",
}
DIFFERENTIATED = {key: value for key, value in COLUMNS.items() if key != "velocity"}
HEADER = "t,q1,q2,v_a,v_b,tau1,tau2"
ROWS = ["1760000000.123456789,1,2,3,4,5,6", "1760000000.124456789,10,20,30,40,50,60"]


@pytest.fixture
def read(tmp_path):
    """Return a function that reads a table of some lines."""

    def read_table(lines, columns=COLUMNS, header=HEADER, end="\n", last="", **options):
        text = end.join([header, *lines, last])
        (tmp_path / "t.csv").write_bytes(text.encode(options.pop("encoding", "utf-8")))
        return Recording.from_csv(tmp_path / "t.csv", columns, **options)

    return read_table


def test_columns_by_name_and_exact_stamps(read):
    recording = read(ROWS)
    np.testing.assert_array_equal(recording.q, [[1, 2], [10, 20]])
    np.testing.assert_array_equal(recording.dq, [[3, 4], [30, 40]])
    np.testing.assert_array_equal(recording.tau, [[5, 6], [50, 60]])
    assert recording.start_ns == 1_760_000_000_123_456_789
    assert recording.stamp.tolist() == [0.0, 0.001]
    assert recording.joints == ("a", "b")


def test_units_sign_and_offset(read):
    stated = {
        "stamp": {"column": "t", "unit": "ms"}, "position_unit": "deg",
        "effort_sign": [1, -1], "effort_offset": 0.5,
    }  # fmt: skip
    recording = read(["0,90,0,180,0,5,6", "2,90,0,180,0,5,6"], COLUMNS | stated)
    np.testing.assert_array_equal(recording.stamp, [0.0, 0.002])
    np.testing.assert_allclose(recording.q[0], [np.pi / 2, 0.0])
    np.testing.assert_allclose(recording.dq[0], [np.pi, 0.0])
    np.testing.assert_array_equal(recording.tau[0], [4.5, -6.5])
    velocities = read([f"{k / 100},{k},{-2 * k},0,0,1,1" for k in range(50)], DIFFERENTIATED)
    np.testing.assert_allclose(velocities.dq, np.tile([100.0, -200.0], (50, 1)))
    assert "differentiated" in velocities.notes[0]


def test_torque_is_sign_times_constant_times_current_less_offset(read):
    """And amperes are never taken for newton metres."""
    current = COLUMNS | {"effort_source": "current", "effort_sign": [1, -1], "effort_offset": 0.5}
    of_robot = {"b": 3.0, "other": 9.0, "a": 2.0}
    for columns, constants in (
        (current, of_robot), (current | {"torque_constants": [2.0, 3.0]}, None),
        (current | {"torque_constants": [2.0, 3.0]}, {"a": 7.0, "b": 7.0}),
    ):  # fmt: skip
        found = read(ROWS, columns, torque_constants=constants)
        np.testing.assert_allclose(found.tau, [[9.5, -18.5], [99.5, -180.5]])
        (scale,) = found.effort.values()
        assert scale.factor == (2.0, -3.0)
    torques = read(ROWS, COLUMNS | {"effort_source": "torque"}, torque_constants=of_robot)
    np.testing.assert_array_equal(torques.tau, [[5, 6], [50, 60]])
    for columns, constants in ((COLUMNS, of_robot), (current, {"a": -2.0, "b": 1.0})):
        with pytest.raises(ConfigurationError):
            read(ROWS, columns, torque_constants=constants)


def test_another_separator_is_named_with_what_to_write(read):
    for delimiter in ";\t|":
        header, *lines = (line.replace(",", delimiter) for line in (HEADER, *ROWS))
        with pytest.raises(RecordingError, match="write 'delimiter: ") as error:
            read(lines, header=header)
        told = yaml.safe_load(re.search(r"'(delimiter: .*)' in", str(error.value))[1])
        np.testing.assert_array_equal(read(lines, COLUMNS | told, header).q, [[1, 2], [10, 20]])


def test_bad_rows_are_left_out_and_counted(read):
    lines = ["0,1,2,3,4,5,6", ",1,2,3,4,5,6", "1,1,,3,4,5,6", "0,1,2,3,4,5,6", "", "2,1,2,3,4,5,6"]
    recording = read(lines)
    assert recording.stamp.tolist() == [0.0, 2.0]
    assert recording.dropped == {"not_finite": 2, "duplicate": 1}


UNUSABLE = [
    ("line 3, column 'v_a'", ["0,1,2,3,4,5,6", "1,1,2,x,4,5,6"]),
    ("line 2, column 't'", ["zero,1,2,3,4,5,6"]),
    ("line 3: 3 cells", ["0,1,2,3,4,5,6", "1,1,2"]),
    ("out of range", ["1e30,1,2,3,4,5,6"]),
    ("no rows", []),
    ("no payload", ["0,1,2,3,4,0,0", "1,1,2,3,4,0,0"]),
    ("4 duplicate", [f"1.7e9,{k},{k},0,0,1,1" for k in range(5)]),
    ("4 out_of_order", [f"{5 - k},{k},{k},0,0,1,1" for k in range(5)]),
    ("quotation mark", ['"' + ROWS[0], *ROWS * 500]),
    *(
        ("numbers of at most", [f"{t},1,2,3,4,{cell},6" for t in (0.1, 0.2)])
        for cell in ("nan", "", "inf", "1e300")
    ),
]


def test_tables_that_cannot_be_used_are_told_by_their_cause(read, tmp_path):
    for words, lines in UNUSABLE:
        with pytest.raises(RecordingError, match=words) as error:
            read(lines)
        assert len(str(error.value)) < 500
    for name, content in {"empty.csv": b"", "picture.csv": b"\x89PNG\xff\xfe\x00"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RecordingError, match=name):
            Recording.from_csv(tmp_path / name, COLUMNS)
    for encoding in ("utf-16", "utf-16-le"):
        with pytest.raises(RecordingError, match="UTF-16"):
            read(ROWS, encoding=encoding)
    rows, head = ["0;1;2;3;4;5;6", "1;0,3;2;3;4;5;6"], HEADER.replace(",", ";")
    with pytest.raises(RecordingError, match=r"line 3.*'0,3'"):
        read(rows, COLUMNS | {"delimiter": ";"}, head)
    with pytest.raises(RecordingError, match="missing"):
        Recording.from_csv(tmp_path / "missing.csv", COLUMNS)


# ------------------------------------------------------------------------- stamps of another time

TIME = 7200.0 + 0.01 * np.arange(400)


def rows_at(time):
    """Return lines whose position is the number of the row."""
    return [f"{t:.3f},{k},0,3,4,5,6" for k, t in enumerate(time)]


def test_false_stamps_are_left_out_and_true_rows_are_not(read):
    for hour in (3600.0, -3600.0):
        for which in ([200], [0], [399], list(range(20, 400, 20))):
            time = TIME.copy()
            time[which] += hour
            found = read(rows_at(time))
            # Where the first row is false, five in a row tell that the clock was set; before a
            # step ahead the first one stays, alone.
            lost = set(which) | (set(range(1, 5)) if 0 in which else set())
            kept = set(range(400)) - lost | ({0} if 0 in which and hour < 0.0 else set())
            np.testing.assert_array_equal(found.q[:, 0], sorted(kept))
            assert found.dropped["stamp_leap"] >= len(which) - (0 in which)


def test_of_a_clock_that_was_set_back_the_longer_time_is_read_and_that_is_said(read):
    found = read(rows_at(np.concatenate([9000.0 + TIME[:100], TIME])))
    assert len(found) == 396 and found.q[0, 0] == 104  # after the rows that tell
    assert any("set back" in note and "100 samples" in note for note in found.notes)
    other_unit = read(rows_at(3000.0 * TIME))
    assert len(other_unit) == 400 and not other_unit.dropped


# ----------------------------------------------------------------------------- tables of a real arm


@pytest.mark.skipif(not GEN3.is_dir(), reason=f"public recordings are absent: {GEN3}")
@pytest.mark.slow
def test_both_real_gen3_recordings_tell_the_mass_wherever_windows_begin():
    parts = [Recording.from_csv(GEN3 / f"opti_traj_testing{k}.csv", GEN3_COLUMNS) for k in (1, 2)]
    for part, seconds in zip(parts, (4.74, 2.293), strict=True):
        assert part.n == 7 and part.dropped == {} and part.stamp[-1] == seconds
        # Position and velocity belong together: difference quotient and velocity agree.
        slope = np.gradient(np.unwrap(part.q, axis=0), part.stamp, axis=0)
        assert np.abs(slope - part.dq).mean() < 0.05
    robot = RobotFile.load("kinova_gen3")
    arm = RobotModel.from_urdf(robot.urdf, "bracelet_link", robot.joints, robot.gravity)
    first, second = (part.between(0.053, np.inf) for part in parts)
    stated = replace(
        robot.uncertainty,
        torque_mean_window=(0.5, 1.0),
        torque_mean=tuple(0.4 * np.outer([2.1, 0.88], [1, 1, 1, 1, 0.5, 0.5, 0.5]).ravel()),
    )
    found = identify(first.followed_by(second), arm, stated)
    # The gripper that it holds weighs 0.785 kg by its description (datasets/README.md).
    assert found.lower[0] <= 0.785 <= found.upper[0]
    assert found.half_width[0] <= 0.35
