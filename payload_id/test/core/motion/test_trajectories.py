"""Motions: derivatives, continuity, rigorous extrema, and what `to_dict` keeps."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.families import trajectory_from_dict
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_timing import PathStart, PathStop
from payload_id.core.motion.there_and_back import Reversed, there_and_back
from payload_id.core.motion.time_scaling import TimeScaled
from payload_id.core.motion.trajectory import even_edges
from payload_id.core.motion.wave import WavePiece

LIMITS = MotionLimits(
    np.full(3, -3.0), np.full(3, 3.0), np.full(3, 1.5), np.full(3, 5.0), np.full(3, 50.0)
)
KINDS = ("q", "dq", "ddq")


def fourier(seed: int = 0) -> FourierSeries:
    rng = np.random.default_rng(seed)
    return FourierSeries.from_free(rng.normal(size=3), 0.1 * rng.normal(size=(3, 2, 4)), 7.5)


def bezier(seed: int = 0) -> BezierPiece:
    rng = np.random.default_rng(seed)
    start = MotionState(rng.normal(size=3), 0.5 * rng.normal(size=3), rng.normal(size=3))
    return BezierPiece(start, 0.5 * rng.normal(size=3), 3.0)


def path_stop(seed: int = 0) -> PathStop:
    return PathStop.within(bezier(seed), 0.6, LIMITS)


def path_start(seed: int = 0) -> PathStart:
    return PathStart.within(bezier(seed), 0.6, LIMITS)


def sequence(seed: int = 0) -> MotionSequence:
    piece = bezier(seed)
    other = BezierPiece(MotionState.of(piece, 1.5), np.array([0.2, -0.3, 0.1]), 2.0)
    return MotionSequence((piece, other), (1.5, other.duration))


def stopped(seed: int = 0) -> MotionSequence:
    stop = PathStop.within(sequence(seed), 1.4, LIMITS)
    return MotionSequence((sequence(seed), stop), (1.4, stop.duration))


def resumed(seed: int = 0) -> PathStart:
    return PathStart(slowed(seed), PathStop(slowed(seed), 14.0, 2.5).end, 3.0)


def slowed(seed: int = 0) -> TimeScaled:
    return TimeScaled(sequence(seed), 0.1)


def wave(seed: int = 0) -> WavePiece:
    plain, rng = bezier(seed), np.random.default_rng(seed)
    return WavePiece(plain.start, plain.k, 0.2 * rng.normal(size=(3, 2)), plain.duration)


def backwards(seed: int = 0) -> Reversed:
    return Reversed(wave(seed))


def out_and_back(seed: int = 0) -> MotionSequence:
    moving, rest = wave(seed), MotionState.at_rest(bezier(seed).start.q)
    return there_and_back(WavePiece(rest, moving.k, moving.wave, moving.duration), 0.4)


TIGHT = (fourier, bezier, wave, sequence, slowed, backwards, out_and_back)
ON_THE_PATH = (path_stop, path_start, stopped, resumed)
FAMILIES = TIGHT + ON_THE_PATH


@pytest.mark.parametrize("family", FAMILIES)
def test_velocity_and_acceleration_are_the_derivatives_of_position(family):
    motion = family()
    t = np.linspace(0.05, motion.duration - 0.05, 57)
    h = 1e-5
    before, now, after = motion.at(t - h), motion.at(t), motion.at(t + h)
    assert np.allclose((after.q - before.q) / (2 * h), now.dq, atol=1e-8)
    # At the time of a junction the acceleration has a kink, by which differences are off by O(h).
    assert np.allclose((after.dq - before.dq) / (2 * h), now.ddq, atol=1e-3)
    assert np.median(np.abs((after.dq - before.dq) / (2 * h) - now.ddq)) < 1e-8


@pytest.mark.parametrize("family", TIGHT)
@pytest.mark.parametrize("slices", [1, 7, 300])
def test_ranges_hold_every_sample_and_touch_the_motion(family, slices):
    for seed in range(3):
        motion = family(seed)
        edges = np.linspace(0.0, motion.duration, slices + 1)
        found = motion.ranges(edges)
        parts = max(20, 24_000 // slices)
        u = np.linspace(0.0, 1.0, parts + 1)
        for k in range(0, slices, max(1, slices // 25)):
            sample = motion.at(edges[k] + (edges[k + 1] - edges[k]) * u)
            # Between samples a function exceeds them by at most step^2 / 8 times its curvature.
            step = (edges[k + 1] - edges[k]) / parts
            for kind, curvature in zip(KINDS, (30.0, 300.0, 3000.0), strict=True):
                values = getattr(sample, kind)
                lower, upper = (
                    getattr(found, kind + "_lower")[k],
                    getattr(found, kind + "_upper")[k],
                )
                assert (lower <= values.min(axis=0)).all()
                assert (values.max(axis=0) <= upper).all()
                loose = step**2 / 8 * curvature + 1e-9
                # Where a kink lies between two samples the extremum may be missed by more.
                loose += step * curvature / 10 * isinstance(motion, MotionSequence | TimeScaled)
                assert (values.min(axis=0) - lower <= loose).all()
                assert (upper - values.max(axis=0) <= loose).all()


@pytest.mark.parametrize("family", ON_THE_PATH)
def test_ranges_on_the_path_hold_every_sample_and_close_in_on_the_motion(family):
    for seed in range(3):
        motion, widths = family(seed), []
        for slices in (3, 60, 600):
            edges = np.linspace(0.0, motion.duration, slices + 1)
            found = motion.ranges(edges)
            sample = motion.at(np.linspace(0.0, motion.duration, 30_001))
            k = np.clip(np.searchsorted(edges, sample.time, side="right") - 1, 0, slices - 1)
            for kind in KINDS:
                values = getattr(sample, kind)
                lower, upper = getattr(found, kind + "_lower"), getattr(found, kind + "_upper")
                assert (lower[k] <= values).all() and (values <= upper[k]).all()
            scale = np.ptp(sample.ddq)
            over = np.max(found.ddq_upper, axis=0) - sample.ddq.max(axis=0)
            widths.append(over.max() / scale)
        assert widths[-1] < 0.01 and max(widths) < 0.06


def test_going_back_passes_every_pose_with_the_opposite_velocity():
    motion = out_and_back()
    t = np.linspace(0.0, motion.duration, 101)
    there, back = motion.at(t), motion.at(motion.duration - t)
    assert np.allclose(there.q, back.q, atol=1e-12)
    assert np.allclose(there.dq, -back.dq, atol=1e-10)
    assert np.allclose(there.ddq, back.ddq, atol=1e-9)
    resting = motion.at(np.linspace(3.0, 3.4, 9))
    assert np.ptp(resting.q, axis=0).max() < 1e-12 and np.abs(resting.dq).max() < 1e-12


def test_what_is_odd_in_velocity_vanishes_in_the_mean_over_both_ways():
    """Coulomb and viscous friction that grow with an even torque; even torques remain."""
    motion = out_and_back(2)
    t = (np.arange(6400) + 0.5) / 6400 * motion.duration
    sample = motion.at(t)
    torque = np.sin(sample.q) + 0.3 * sample.ddq + 0.2 * sample.dq**2
    friction = (2.0 + 0.1 * np.abs(torque)) * np.sign(sample.dq) + 0.7 * sample.dq
    lever = np.stack([np.cos(sample.q), sample.ddq])  # coefficients of a payload
    assert np.abs((lever * friction).mean(axis=1)).max() < 1e-9
    assert np.abs((lever * torque).mean(axis=1)).min() > 1e-3
    once = t < motion.duration / 2
    assert np.abs((lever * friction)[:, once].mean(axis=1)).max() > 0.1


def test_there_and_back_takes_paths_from_rest_to_rest():
    for path, rest in ((bezier(), 0.5), (fourier(), 0.0), (fourier(), -1.0), (fourier(), np.nan)):
        with pytest.raises(InputError, match="There and back"):
            there_and_back(path, rest)


def test_slices_that_rounding_makes_one_are_bounded_when_reversed():
    motion = Reversed(wave())
    for edges in ([0.0, 1e-17, 2e-17, 3.0], [3.0 - 1e-15, 3.0], [0.0, 5e-324], [1.0, 1.0 + 1e-15]):
        found, ends = motion.ranges(np.array(edges)), motion.at(np.array(edges))
        for kind in KINDS:
            lower, upper = getattr(found, kind + "_lower"), getattr(found, kind + "_upper")
            for values in (getattr(ends, kind)[:-1], getattr(ends, kind)[1:]):
                assert (lower <= values).all() and (values <= upper).all()


def test_slices_shorter_than_rounding_are_bounded_too():
    motion = PathStop(bezier(), 0.6, 0.3)
    for edges in (0.3 - np.array([3e-7, 2e-7, 1e-7, 0.0]), np.array([0.0, 1e-15, 2e-15, 0.3])):
        found = motion.ranges(edges)
        ends = motion.at(edges)
        assert (found.q_lower <= ends.q[:-1]).all() and (ends.q[1:] <= found.q_upper).all()
        assert (np.diff(found.q_upper - found.q_lower, axis=0) < 1.0).all()


def test_extrema_of_a_sine_are_exact_wherever_the_slices_lie():
    series = FourierSeries(np.zeros(1), np.zeros((1, 1)), np.ones((1, 1)), 2 * np.pi)  # sin t
    for slices in (1, 2, 3, 10, 1000):
        found = series.ranges(np.linspace(0.0, 2 * np.pi, slices + 1))
        for kind in KINDS:
            assert getattr(found, kind + "_upper").max() == pytest.approx(1.0, abs=2e-12)
            assert getattr(found, kind + "_upper").max() >= 1.0
            assert getattr(found, kind + "_lower").min() == pytest.approx(-1.0, abs=2e-12)
            assert getattr(found, kind + "_lower").min() <= -1.0


def test_a_flat_extremum_is_bounded_too():
    """Where first and second derivative vanish together no slice is convex: Taylor's bound."""
    s = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # q = s^3 about the middle
    start = BezierPiece(MotionState.at_rest(np.zeros(1)), np.zeros(1), 1.0)
    cubic = np.polynomial.Polynomial([-0.5, 1.0])
    coefficients = (cubic**3).coef
    start.__dict__["coefficients"] = np.append(coefficients, np.zeros(len(s) - 4))[None]
    for slices in (1, 3, 5, 101):
        found = start.ranges(np.linspace(0.0, 1.0, slices + 1))
        assert found.q_upper.max() == pytest.approx(0.125, abs=1e-12)
        middle = slices // 2
        edge = (0.5 / slices) ** 3
        assert found.q_upper[middle, 0] == pytest.approx(edge, abs=1e-10)
        assert found.q_upper[middle, 0] >= edge


def test_edges_outside_the_motion_are_refused():
    for edges in ([0.0, 8.0], [-0.1, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0], [0.0, np.nan]):
        with pytest.raises(InputError, match="Edges"):
            fourier().ranges(np.array(edges))


def test_a_bezier_piece_continues_its_state_and_ends_at_rest():
    piece = bezier()
    ends = piece.at(np.array([0.0, piece.duration]))
    for kind in KINDS:
        assert np.allclose(getattr(ends, kind)[0], getattr(piece.start, kind), atol=1e-12)
    assert np.allclose(ends.q[1], piece.start.q + piece.k, atol=1e-12)
    assert np.allclose([ends.dq[1], ends.ddq[1]], 0.0, atol=1e-11)


def test_waves_leave_both_ends_as_they_are():
    piece, plain = wave(), bezier()
    ends = np.array([0.0, piece.duration])
    for kind in KINDS:
        there, here = getattr(piece.at(ends), kind), getattr(plain.at(ends), kind)
        assert np.allclose(there, here, atol=1e-11)
    middle = np.array([piece.duration / 2])
    assert np.allclose(piece.at(middle).q - plain.at(middle).q, piece.wave[:, 0], atol=1e-12)


def test_a_bezier_piece_is_linear_in_its_parameters():
    piece, t = bezier(), np.linspace(0.0, 3.0, 11)
    more = BezierPiece(piece.start, piece.k + 0.3, 3.0).at(t).q - piece.at(t).q
    twice = BezierPiece(piece.start, piece.k + 0.6, 3.0).at(t).q - piece.at(t).q
    assert np.allclose(2 * more, twice, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_stop_leaves_the_motion_smoothly_and_rests_on_its_path_within_the_limits(seed):
    motion = bezier(seed)
    stop = PathStop.within(motion, 0.6, LIMITS)
    ends, state = stop.at(np.array([0.0, stop.duration])), MotionState.of(motion, 0.6)
    for kind in KINDS:
        assert np.allclose(getattr(ends, kind)[0], getattr(state, kind), atol=1e-12)
    assert np.abs([ends.dq[1], ends.ddq[1]]).max() == 0.0
    assert stop.end == pytest.approx(0.6 + stop.ramp / 2)
    assert np.allclose(ends.q[1], motion.at(np.array([stop.end])).q[0], atol=1e-15)
    found = stop.ranges(even_edges(stop, 0.01))
    assert found.speed.max() <= 1.5 and found.acceleration.max() <= 5.0


@pytest.mark.parametrize("seed", range(5))
def test_a_start_goes_on_from_rest_on_the_path_to_the_motions_end(seed):
    motion = bezier(seed)
    start = PathStart.within(motion, 1.1, LIMITS)
    ends = start.at(np.array([0.0, start.duration]))
    assert np.allclose(ends.q, motion.at(np.array([1.1, motion.duration])).q, atol=1e-12)
    assert np.abs([ends.dq, ends.ddq]).max() < 1e-9
    late = np.linspace(start.ramp, start.duration, 9)
    there = motion.at(late - start.ramp / 2 + 1.1)
    for kind in KINDS:  # after the ramp it is the motion itself
        assert np.allclose(getattr(start.at(late), kind), getattr(there, kind), atol=1e-9)


def test_a_pause_and_a_start_visit_the_poses_of_the_path_and_no_others():
    motion = bezier(4)
    stop = PathStop.within(motion, 0.7, LIMITS)
    start = PathStart.within(motion, stop.end, LIMITS)
    for part in (stop, start):
        time = np.linspace(0.0, part.duration, 50)
        s = np.array([part.place(t) for t in time])
        assert (np.diff(s) >= 0.0).all()
        assert np.allclose(part.at(time).q, motion.at(s).q, atol=1e-12)
        slower = np.abs(part.at(time).dq) <= np.abs(motion.at(s).dq) + 1e-12
        assert slower.all()


def test_a_stop_is_the_shortest_of_those_tried():
    fast = replace(LIMITS, velocity=np.full(3, 9.0))
    motion = BezierPiece(MotionState.at_rest(np.zeros(3)), np.full(3, 1.2), 1.6)
    stop = PathStop.within(motion, 0.7, fast)
    shorter = PathStop(motion, 0.7, stop.ramp / 1.06)
    assert shorter.ranges(even_edges(shorter, 0.005)).acceleration.max() > 5.0


def test_no_room_for_a_stop_is_an_error():
    with pytest.raises(InputError, match="follow the motion to its end"):
        PathStop.within(bezier(), 2.95, LIMITS)
    for leaves, ramp in ((-0.1, 0.5), (2.0, 2.1), (1.0, 0.0), (3.0, 0.1), (1.0, np.nan)):
        with pytest.raises(InputError, match="change of speed"):
            PathStop(bezier(), leaves, ramp)


def test_a_sequence_does_not_jump():
    motion = sequence()
    t = 1.5
    before, after = motion.at(np.array([t - 1e-9])), motion.at(np.array([t + 1e-9]))
    for kind in KINDS:
        assert np.allclose(getattr(before, kind), getattr(after, kind), atol=1e-7)


def test_a_sequence_with_a_jump_is_refused():
    with pytest.raises(InputError, match="jumps"):
        MotionSequence((bezier(), bezier()), (1.0, 1.0))


def test_slowing_scales_speed_and_acceleration():
    motion, slow = sequence(), slowed()
    t = np.linspace(0.0, motion.duration, 30)
    fast, half = motion.at(t), slow.at(t / 0.1)
    assert np.allclose(fast.q, half.q, atol=1e-9)
    assert np.allclose(0.1 * fast.dq, half.dq, atol=1e-9)
    assert np.allclose(0.01 * fast.ddq, half.ddq, atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_motion_survives_plain_text(family):
    motion = family()
    again = trajectory_from_dict(json.loads(json.dumps(motion.to_dict())))
    t = np.linspace(0.0, motion.duration, 40)
    for kind in KINDS:
        assert np.array_equal(getattr(motion.at(t), kind), getattr(again.at(t), kind))


def test_unknown_and_incomplete_motions_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'bezier'"):
        trajectory_from_dict({"family": "beziers"})
    with pytest.raises(InputError, match="lacks"):
        trajectory_from_dict({"family": "bezier"})
