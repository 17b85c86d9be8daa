"""Poses, twists and wrenches of one robot: paired by stamps, in the axes of the grasp."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.wrists.imu_join import ImuJoin
from payload_id.core.wrists.wrench_stream import WrenchConventions, WrenchStream

RATE = 100.0


@pytest.fixture
def rows():
    """A steady turn about z with 0.5 rad/s, a steady walk; wrenches between the other stamps."""
    t = np.arange(0, 1, 1 / RATE)
    turn = Rotation.from_euler("z", 0.5 * t[:, None])
    pose = np.column_stack([t, 0.1 * t, 0 * t, 0 * t, turn.as_quat()])
    v = turn.inv().apply([0.1, 0, 0])
    twist = np.column_stack([t + 0.002, np.tile([0, 0, 0.5], (len(t), 1)), v])
    wrench = np.column_stack([t + 0.005, np.tile([1.0, 2, 3, 4, 5, 6], (len(t), 1))])
    return {"pose": pose, "twist": twist, "wrench": wrench}


def test_samples_are_at_the_wrenches_stamps_with_the_motion_between(rows):
    samples = WrenchStream("a", WrenchConventions(moments=True), RATE).add(rows)
    t = samples.time
    np.testing.assert_allclose(t, rows["wrench"][: len(t), 0])
    np.testing.assert_allclose(samples.position[:, 0], 0.1 * t)
    expected = Rotation.from_euler("z", 0.5 * t[:, None]).as_matrix()
    np.testing.assert_allclose(samples.rotation, expected, atol=1e-12)
    np.testing.assert_allclose(samples.moment[0], [4, 5, 6])


def test_vectors_in_the_base_s_axes_and_of_the_other_sign_come_out_the_same(rows):
    usual = WrenchStream("a", WrenchConventions(moments=True), RATE).add(rows)
    turned = {kind: table.copy() for kind, table in rows.items()}
    for kind, sign in (("twist", 1.0), ("wrench", -1.0)):
        turn = Rotation.from_euler("z", 0.5 * rows[kind][:, :1])
        for part in (slice(1, 4), slice(4, 7)):
            turned[kind][:, part] = sign * turn.apply(rows[kind][:, part])
    other = WrenchStream("a", WrenchConventions("base", "base", -1.0, True), RATE).add(turned)
    np.testing.assert_allclose(other.twist, usual.twist, atol=1e-5)  # lines between turned vectors
    np.testing.assert_allclose(other.force, usual.force, atol=1e-9)
    np.testing.assert_allclose(other.moment, usual.moment, atol=1e-9)


@pytest.mark.parametrize("order", [("pose", "twist", "wrench"), ("wrench", "twist", "pose")])
def test_pieces_in_any_order_give_the_same_samples(rows, order):
    whole = WrenchStream("a", WrenchConventions(), RATE).add(rows)
    stream, parts = WrenchStream("a", WrenchConventions(), RATE), []
    for k in range(0, 100, 7):
        for kind in order:
            parts.append(stream.add({kind: rows[kind][k : k + 7]}))
    parts = [x for x in parts if x is not None]
    for name in ("time", "rotation", "twist", "force"):
        found = np.concatenate([getattr(x, name) for x in parts])
        np.testing.assert_allclose(found, getattr(whole, name), atol=1e-12)


def test_what_has_no_partner_is_counted_and_nothing_piles_up(rows):
    stream = WrenchStream("a", WrenchConventions(), RATE)
    rows["pose"] = np.delete(rows["pose"], slice(30, 40), axis=0)  # a gap
    rows["pose"][60, 4:] = [9, 9, 9, 9]
    samples = stream.add(rows)
    assert stream.dropped["wrench without pose and twist around it"] >= 10
    assert stream.dropped["quaternion that is no rotation"] == 1
    assert len(samples) < 92
    for k in range(50):  # wrenches alone, for ever
        later = rows["wrench"] + np.r_[1.0 * (k + 1), np.zeros(6)]
        assert stream.add({"wrench": later}) is None
    assert stream.dropped["wrench that waited too long"] > 0


def test_an_imu_is_read_at_the_samples_times_and_may_fall_silent(rows):
    samples = WrenchStream("a", WrenchConventions(), RATE).add(rows)
    turn = Rotation.from_euler("z", np.pi / 2).as_matrix()
    t = np.arange(0, 0.5, 0.004)
    readings = np.column_stack([t, t, 0 * t, 0 * t, 0 * t, 0 * t, 9.8 + t])
    join = ImuJoin(turn)
    done = join.add(samples, readings)
    with_imu = [x for x in done if x.imu_angular_velocity is not None]
    times = np.concatenate([x.time for x in with_imu])
    found = np.concatenate([x.imu_angular_velocity for x in with_imu])
    np.testing.assert_allclose(found[:, 1], times, atol=1e-12)  # its x is our y
    assert join.dropped["samples without IMU"] == 0
    more = join.add(None, np.empty((0, 7)))
    assert more == []
    later = WrenchStream("a", WrenchConventions(), RATE).add(
        {kind: table + np.r_[2.0, np.zeros(table.shape[1] - 1)] for kind, table in rows.items()}
    )
    without = join.add(later, np.empty((0, 7)))
    assert sum(len(x) for x in without) > 0
    assert join.dropped["samples without IMU"] > 0
