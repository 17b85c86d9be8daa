"""Joint names count: columns are mapped by name, whatever their order, wherever samples come in."""

from dataclasses import replace

import numpy as np
import pytest

from arms import of_point_masses
from payload_id import Recording, RobotFile, RobotModel, identify
from payload_id.core.errors import RecordingError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)
N = len(ROBOT.joints)
PHI = of_point_masses([0.4, 0.3, 0.5, 0.6], np.vstack([np.eye(3), -np.ones(3)]) * 0.05)
ORDER = np.random.default_rng(0).permutation(N)


@pytest.fixture(scope="module")
def recording():
    free = 0.3 * np.random.default_rng(5).normal(size=(N, 2, 3))
    motion = FourierSeries.from_free(np.asarray(ROBOT.home), free, 1.0).at(np.arange(0, 1, 4e-3))
    tau = inverse_dynamics(MODEL, motion, PHI)
    return Recording(motion.time, motion.q, motion.dq, tau, joints=ROBOT.joints)


def in_order(recording, order):
    """Return the same recording with its columns in another order."""
    columns = {name: getattr(recording, name)[:, order] for name in ("q", "dq", "tau")}
    return replace(recording, **columns, joints=tuple(recording.joints[k] for k in order))


def from_table(recording, path, **more):
    """Write a table with the recording's order, and read it."""
    rows = np.column_stack([recording.stamp, recording.q, recording.dq, recording.tau])
    numbers = range(1, recording.n + 1)
    head = ",".join(["t", *(f"{kind}{j}" for kind in ("q", "v", "e") for j in numbers)])
    lines = [",".join(map(repr, row)) for row in rows.tolist()]
    path.write_text("\n".join([head, *lines, ""]))
    columns = {"position": "q{j}", "velocity": "v{j}", "effort": "e{j}"}
    columns |= {"stamp": {"column": "t", "unit": "s"}, "joints": list(recording.joints)}
    return Recording.from_csv(path, columns | more)


def test_further_joints_are_left_out_and_missing_ones_are_an_error_that_lists_both(recording):
    """A gripper's joints among the arm's, as drivers report them."""
    wide = {x: np.insert(getattr(recording, x), 3, 0.7, axis=1) for x in ("q", "dq", "tau")}
    names = (*recording.joints[:3], "finger", *recording.joints[3:])
    more = replace(recording, **wide, joints=names)
    for name in ("q", "dq", "tau"):
        kept = getattr(more.of_joints(ROBOT.joints), name)
        np.testing.assert_array_equal(kept, getattr(recording, name))
    for wrong in range(N):
        names = tuple("elbow" if k == wrong else name for k, name in enumerate(ROBOT.joints))
        with pytest.raises(RecordingError) as error:
            identify(replace(recording, joints=names), MODEL)
        assert all(name in str(error.value) for name in (*ROBOT.joints, "elbow"))


def test_the_scale_of_efforts_goes_with_its_joint(recording, tmp_path):
    factor = np.arange(1.0, N + 1.0)
    given = replace(in_order(recording, ORDER), tau=(recording.tau / factor)[:, ORDER])
    read = from_table(given, tmp_path / "t.csv", effort_sign=factor[ORDER].tolist())
    read = read.of_joints(ROBOT.joints)
    np.testing.assert_allclose(read.tau, recording.tau, rtol=1e-14)
    (scale,) = read.effort.values()
    assert scale.factor == tuple(factor)


def test_recordings_of_one_arm_in_different_orders_go_together(recording):
    other = in_order(recording, np.arange(N)[::-1])
    both = recording.followed_by(other)
    assert np.array_equal(both.q[len(recording) :], recording.q)
    with pytest.raises(RecordingError, match="same arm"):
        recording.followed_by(replace(other, joints=("x", *other.joints[1:])))
    q = np.ones((3, 2))
    for names in (("a", "a"), "ab", ("a",), (1, 2), ("a", None)):
        with pytest.raises(RecordingError, match="joints"):
            Recording(np.arange(3.0), q, q, q, joints=names)
