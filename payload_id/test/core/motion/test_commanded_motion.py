"""Points for the controller, tracking errors, certified stops: what a commanded motion rests on."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory, sample
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.motion.there_and_back import there_and_back
from payload_id.core.motion.time_scaling import TimeScaled
from payload_id.core.motion.trajectory_points import (
    interpolation_error,
    points_of,
)
from payload_id.core.motion.wave import WavePiece
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.safety.tube.tube_watch import tube_use

RATE = 20.0  # [Hz], coarse, so that interpolation shows
REST = MotionState.at_rest(np.array([0.2, -0.4]))


def fourier(seed=3):
    free = np.random.default_rng(seed).normal(size=(2, 2, 4))
    return FourierSeries.from_free(REST.q, free, 3.0)


def pieces():
    first = BezierPiece(REST, np.array([0.5, -0.3]), 2.0)
    second = BezierPiece(MotionState.of(first, 1.1), np.array([-0.2, 0.4]), 2.0)
    return MotionSequence((first, second), (1.1, 2.0))


def out_and_back():
    waves = np.array([[0.2, -0.3], [0.1, 0.25]])
    return there_and_back(WavePiece(REST, np.array([0.5, -0.3]), waves, 2.0), 0.35)


def followed(motion, time, rate=RATE):
    """Return what joint_trajectory_controller makes of the motion's points."""
    points = points_of(motion, rate)
    return sample(JointTrajectory(points.time, points.q, points.dq, points.ddq), time)


MOTIONS = (
    fourier(),
    pieces(),
    TimeScaled(fourier(), 0.1),
    TimeScaled(pieces(), 0.5),
    PathStop(fourier(), 1.3, 0.5),
    PathStop(pieces(), 1.0, 0.4),
    out_and_back(),
    PathStop(out_and_back(), 2.1, 0.3),  # of a rest
    PathStop(TimeScaled(out_and_back(), 0.5), 6.0, 1.0),  # on the way back
)


def test_the_controllers_interpolation_keeps_its_bound():
    for motion in MOTIONS:
        time = np.linspace(0.0, motion.duration * (1 - 1e-9), 2001)
        wanted, found, bound = (
            motion.at(time),
            followed(motion, time),
            interpolation_error(motion, RATE),
        )
        errors = {"q": bound.position, "dq": bound.velocity, "ddq": bound.acceleration}
        for name, error in errors.items():
            difference = np.abs(getattr(found, name) - getattr(wanted, name)).max(axis=0)
            assert (difference <= error + 1e-8).all(), motion


def test_the_bound_is_not_idle_and_falls_with_the_sixth_power_of_the_step():
    motion, time = fourier(), np.linspace(0.0, 2.999, 2001)
    error = np.abs(followed(motion, time).q - motion.at(time).q).max(axis=0)
    assert (interpolation_error(motion, RATE).position < 100 * error).all()
    coarse, fine = (interpolation_error(motion, r).position for r in (2.5, 5.0))
    assert np.allclose(coarse / fine, 64.0, rtol=1e-3)


def test_derivatives_are_bounded_closely_and_in_each_part_by_its_own():
    motion = out_and_back()
    piece = motion.parts[0]
    scale = 2.0 ** -np.arange(6.0)  # from those along the curve to those by time
    curve = piece.pieces[0].curve.derivatives(np.linspace(0.0, 1.0, 2001))
    sampled = scale[:, None] * np.abs(curve).max(axis=1)
    for order in range(1, 6):
        bound = piece.largest(order)
        assert (sampled[order] <= bound).all() and (bound < 15.0 * sampled[order]).all()
    assert (motion.largest(3, 2.01, 2.34) < 1e-9).all()  # at rest
    whole = motion.largest(3)
    assert (motion.largest(3, 2.3, 2.4) == whole).all() and (whole > 1.0).all()


def test_points_may_begin_in_the_middle_and_end_at_rest():
    points = points_of(pieces(), RATE, begin=0.7)
    assert points.time[0] == pytest.approx(0.7) and points.time[-1] == pytest.approx(3.1)
    assert np.abs(points.dq[-1]).max() < 1e-12
    with pytest.raises(InputError, match="time span"):
        points_of(pieces(), RATE, begin=3.1)


TUBE = TrackingTube.position_controlled(np.array([0.02, 0.04]), np.full(2, 0.1), np.ones(2))


def test_the_largest_part_of_the_tube_is_found():
    motion, time = pieces(), np.array([-0.1, 0.5, 9.0])
    at = motion.at(np.clip(time, 0.0, motion.duration))
    q, dq = at.q.copy(), at.dq.copy()
    assert tube_use(motion, TUBE, time, q, dq, (False, False)).part < 1e-12
    q[1, 1] += 0.06
    use, unsure = (tube_use(motion, TUBE, time, q, dq, (False, False), e) for e in (0.0, 0.01))
    assert (use.joint, use.kind, use.time, use.unsure) == (1, "position", 0.5, 0.0)
    assert use.part == pytest.approx(1.5)
    sentence = use.sentence(["shoulder", "elbow"])
    assert "position of elbow was 0.06" in sentence and "encoder" not in sentence
    assert unsure.part == (abs(unsure.error) + unsure.unsure) / unsure.allowed > use.part
    assert "0.01 more as the encoder may err" in unsure.sentence(("a", "b"))
    dq[2, 0] = 0.3  # after the end the arm must rest
    use = tube_use(motion, TUBE, time, q, dq, (False, False))
    assert (use.joint, use.kind) == (0, "velocity") and use.part == pytest.approx(3.0)


def test_whole_turns_count_for_limited_joints_and_velocities_where_they_are_measured():
    motion = pieces()
    at = motion.at(np.array([0.5]))
    q = at.q + 2 * np.pi
    assert tube_use(motion, TUBE, at.time, q, at.dq, (True, True)).part < 1e-9
    assert tube_use(motion, TUBE, at.time, q, at.dq, (True, False)).joint == 1
    assert tube_use(motion, TUBE, at.time, at.q, np.nan * at.dq, (False, False)).part == 0.0
