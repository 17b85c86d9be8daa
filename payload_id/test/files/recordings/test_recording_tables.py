"""Recordings read from tables of comma-separated values."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from payload_id.core.errors import ConfigurationError, RecordingError, UnknownNameError
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
HEADER = "t,q1,q2,v_a,v_b,tau1,tau2"
ROWS = ["1760000000.123456789,1,2,3,4,5,6", "1760000000.124456789,10,20,30,40,50,60"]


def table(tmp_path, *lines, header=HEADER):
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_separator_is_named_with_what_to_write(tmp_path, delimiter):
    lines = [line.replace(",", delimiter) for line in (HEADER, *ROWS)]
    path = table(tmp_path, *lines[1:], header=lines[0])
    with pytest.raises(RecordingError, match="write 'delimiter: ") as error:
        Recording.from_csv(path, COLUMNS)
    told = yaml.safe_load(re.search(r"'(delimiter: .*)' in", str(error.value))[1])
    recording = Recording.from_csv(path, {**COLUMNS, **told})
    np.testing.assert_array_equal(recording.q, [[1, 2], [10, 20]])


@pytest.mark.parametrize("line", range(3))
def test_a_quotation_mark_that_is_not_closed_is_one_sentence(tmp_path, line):
    lines = [HEADER, *ROWS * 500]
    lines[line] = '"' + lines[line]
    with pytest.raises(RecordingError, match="quotation mark") as error:
        Recording.from_csv(table(tmp_path, *lines[1:], header=lines[0]), COLUMNS)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("velocity", ["4", "nan", ""])
@pytest.mark.parametrize("cell", ["nan", "", "inf", "1e300"])
def test_a_column_without_numbers_is_not_taken_for_missing_stamps(tmp_path, cell, velocity):
    rows = [f"{time},1,2,3,{velocity},{cell},6" for time in (0.1, 0.2, 0.3)]
    with pytest.raises(RecordingError, match="numbers of at most"):
        Recording.from_csv(table(tmp_path, *rows), COLUMNS)


def test_columns_by_name_and_exact_stamps(tmp_path):
    recording = Recording.from_csv(table(tmp_path, *ROWS), COLUMNS)
    np.testing.assert_array_equal(recording.q, [[1, 2], [10, 20]])
    np.testing.assert_array_equal(recording.dq, [[3, 4], [30, 40]])
    np.testing.assert_array_equal(recording.tau, [[5, 6], [50, 60]])
    assert recording.start_ns == 1_760_000_000_123_456_789
    assert recording.stamp.tolist() == [0.0, 0.001]
    assert recording.joints == ("a", "b")


def test_units_sign_and_offset(tmp_path):
    columns = {
        **COLUMNS,
        "stamp": {"column": "t", "unit": "ms"},
        "position_unit": "deg",
        "effort_sign": [1, "-1"],
        "effort_offset": 0.5,
    }
    recording = Recording.from_csv(table(tmp_path, "0,90,0,180,0,5,6", "2,90,0,180,0,5,6"), columns)
    np.testing.assert_array_equal(recording.stamp, [0.0, 0.002])
    np.testing.assert_allclose(recording.q[0], [np.pi / 2, 0.0])
    np.testing.assert_allclose(recording.dq[0], [np.pi, 0.0])
    np.testing.assert_array_equal(recording.tau[0], [4.5, -6.5])


def test_bad_rows_are_left_out_and_counted(tmp_path):
    lines = ["0,1,2,3,4,5,6", ",1,2,3,4,5,6", "1,1,,3,4,5,6", "0,1,2,3,4,5,6", "", "2,1,2,3,4,5,6"]
    recording = Recording.from_csv(table(tmp_path, *lines), COLUMNS)
    assert recording.stamp.tolist() == [0.0, 2.0]
    assert recording.dropped == {"not_finite": 2, "duplicate": 1}


def test_velocity_may_be_absent(tmp_path):
    columns = {key: value for key, value in COLUMNS.items() if key != "velocity"}
    lines = [f"{k / 100},{k},{-2 * k},0,0,1,1" for k in range(50)]
    recording = Recording.from_csv(table(tmp_path, *lines), columns)
    np.testing.assert_allclose(recording.dq, np.tile([100.0, -200.0], (50, 1)))
    assert "differentiated" in recording.notes[0]


@pytest.mark.parametrize(
    ("stamps", "cause"), [([1.7e9] * 5, "4 duplicate"), ([5, 4, 3, 2, 1], "4 out_of_order")]
)
@pytest.mark.parametrize("measured", [True, False])
def test_rows_that_cannot_be_used_are_counted_by_their_true_cause(
    tmp_path, stamps, cause, measured
):
    columns = {key: value for key, value in COLUMNS.items() if measured or key != "velocity"}
    rows = [f"{stamp},{k},{-2 * k},0,0,1,1" for k, stamp in enumerate(stamps)]
    with pytest.raises(RecordingError, match=f"1 usable samples of 5 .left out: {cause}"):
        Recording.from_csv(table(tmp_path, *rows), columns)


@pytest.mark.skipif(not GEN3.is_dir(), reason=f"public recordings are absent: {GEN3}")
@pytest.mark.parametrize(("name", "seconds"), [("1", 4.74), ("2", 2.293)])
def test_real_gen3_recordings(name, seconds):
    recording = Recording.from_csv(GEN3 / f"opti_traj_testing{name}.csv", GEN3_COLUMNS)
    assert recording.n == 7 and recording.dropped == {}
    assert recording.stamp[-1] == seconds and recording.step == pytest.approx(1e-3)
    # The arm moves, and its shoulder carries tens of newton metres.
    assert np.ptp(recording.q, axis=0).min() > 0.2
    assert 10.0 < np.abs(recording.tau[:, 1]).max() < 60.0
    # Position and velocity belong together: their difference quotient and the velocity agree.
    slope = np.gradient(np.unwrap(recording.q, axis=0), recording.stamp, axis=0)
    assert np.abs(slope - recording.dq).mean() < 0.05


@pytest.mark.skipif(not GEN3.is_dir(), reason=f"public recordings are absent: {GEN3}")
@pytest.mark.slow
def test_both_real_gen3_recordings_tell_the_mass_wherever_windows_begin():
    robot = RobotFile.load("kinova_gen3")
    arm = RobotModel.from_urdf(robot.urdf, "bracelet_link", robot.joints, robot.gravity)
    parts = [Recording.from_csv(GEN3 / f"opti_traj_testing{k}.csv", GEN3_COLUMNS) for k in (1, 2)]
    first, second = (part.between(0.053, np.inf) for part in parts)
    stated = replace(
        robot.uncertainty,
        torque_hat_window=(0.38,),
        torque_hat=(0.4, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2),
    )
    found = identify(first.followed_by(second), arm, stated)
    # The gripper that it holds weighs 0.785 kg by its description (datasets/README.md).
    assert found.lower[0] <= 0.785 <= found.upper[0]
    assert found.half_width[0] <= 0.3
