"""Motions: derivatives, continuity, rigorous extrema, and what `to_dict` keeps."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.extrema import extrema_of
from payload_id.core.motion.families import trajectory_from_dict
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.path_stop import PathStop
from payload_id.core.motion.piece import Piece
from payload_id.core.motion.polynomial import Polynomial
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


def wave(seed: int = 0, resting: bool = False) -> WavePiece:
    plain, rng = bezier(seed), np.random.default_rng(seed)
    start = MotionState.at_rest(plain.start.q) if resting else plain.start
    return WavePiece(start, plain.k, 0.2 * rng.normal(size=(3, 2)), plain.duration)


def sequence(seed: int = 0) -> MotionSequence:
    piece = bezier(seed)
    other = BezierPiece(MotionState.of(piece, 1.5), np.array([0.2, -0.3, 0.1]), 2.0)
    return MotionSequence((piece, other), (1.5, other.duration))


def slowed(seed: int = 0) -> TimeScaled:
    return TimeScaled(sequence(seed), 0.1)


def backwards(seed: int = 0) -> Reversed:
    return Reversed(wave(seed))


def out_and_back(seed: int = 0) -> MotionSequence:
    return there_and_back(wave(seed, resting=True), 0.4)


def path_stop(seed: int = 0) -> PathStop:
    return PathStop.within(bezier(seed), 0.6, LIMITS)


def stopped(seed: int = 0) -> MotionSequence:
    stop = PathStop.within(sequence(seed), 1.4, LIMITS)
    return MotionSequence((sequence(seed), stop), (1.4, stop.duration))


TIGHT = (fourier, bezier, wave, sequence, slowed, backwards, out_and_back)
ON_THE_PATH = (path_stop, stopped)
FAMILIES = TIGHT + ON_THE_PATH
KINKS = (sequence, slowed, out_and_back)


def at(motion, *times: float):
    """Return the states at some times."""
    return motion.at(np.array(times))


def ends_of(found, kind: str):
    """Return the lower and upper ends of the ranges of q, dq or ddq, shape (slices, n) each."""
    return getattr(found, f"{kind}_lower"), getattr(found, f"{kind}_upper")


def same(one, other, atol: float) -> bool:
    """Tell whether two sets of states are the same, acceleration and all."""
    return all(np.allclose(getattr(one, kind), getattr(other, kind), atol=atol) for kind in KINDS)


def test_every_family_moves_as_its_derivatives_say_and_survives_plain_text() -> None:
    for family in FAMILIES:
        motion, h = family(), 1e-5
        t = np.linspace(0.05, motion.duration - 0.05, 57)
        before, now, after = (motion.at(t + step) for step in (-h, 0.0, h))
        assert np.allclose((after.q - before.q) / (2 * h), now.dq, atol=1e-8)
        # At a junction the acceleration has a kink, by which differences are off by O(h).
        off = np.abs((after.dq - before.dq) / (2 * h) - now.ddq)
        assert off.max() < 1e-3 and np.median(off) < 1e-8
        again = trajectory_from_dict(json.loads(json.dumps(motion.to_dict())))
        assert same(again.at(t), now, 0.0)


@pytest.mark.parametrize("slices", [1, 7, 300])
def test_ranges_hold_every_sample_and_touch_the_motion(slices: int) -> None:
    for family in TIGHT:
        motion = family(slices)
        edges = np.linspace(0.0, motion.duration, slices + 1)
        found, parts = motion.ranges(edges), max(20, 12_000 // slices)
        step = motion.duration / slices / parts
        for k in range(0, slices, max(1, slices // 10)):
            sample = motion.at(np.linspace(edges[k], edges[k + 1], parts + 1))
            # Between samples a function exceeds them by at most step^2 / 8 times its curvature.
            for kind, curvature in zip(KINDS, (30.0, 300.0, 3000.0), strict=True):
                values, (lower, upper) = getattr(sample, kind), ends_of(found, kind)
                low, high = values.min(axis=0) - lower[k], upper[k] - values.max(axis=0)
                assert (low >= 0.0).all() and (high >= 0.0).all()
                loose = step**2 / 8 * curvature + 1e-9
                # Where a kink lies between two samples the extremum may be missed by more.
                loose += step * curvature / 10 * (family in KINKS)
                assert max(low.max(), high.max()) <= loose, (family, kind)


def test_ranges_on_the_path_hold_every_sample_and_close_in_on_the_motion() -> None:
    for seed, family in enumerate(ON_THE_PATH):
        motion, widths = family(seed), []
        sample = motion.at(np.linspace(0.0, motion.duration, 30_001))
        for slices in (3, 60, 600):
            edges = np.linspace(0.0, motion.duration, slices + 1)
            found = motion.ranges(edges)
            k = np.clip(np.searchsorted(edges, sample.time, side="right") - 1, 0, slices - 1)
            for kind in KINDS:
                (lower, upper), values = ends_of(found, kind), getattr(sample, kind)
                assert (lower[k] <= values).all() and (values <= upper[k]).all()
            over = np.max(found.ddq_upper, axis=0) - sample.ddq.max(axis=0)
            widths.append(over.max() / np.ptp(sample.ddq))
        assert widths[-1] < 0.01 and max(widths) < 0.06


def test_extrema_are_exact_wherever_the_slices_lie() -> None:
    series = FourierSeries(np.zeros(1), np.zeros((1, 1)), np.ones((1, 1)), 2 * np.pi)  # sin t
    for slices in (1, 2, 3, 10, 1000):
        found = series.ranges(np.linspace(0.0, 2 * np.pi, slices + 1))
        for kind in KINDS:
            lower, upper = ends_of(found, kind)
            assert 1.0 <= upper.max() < 1.0 + 2e-12 and -1.0 - 2e-12 < lower.min() <= -1.0
    # A slice may be so short that rounding leaves nothing of it.
    ends = np.array([[0.3, 0.7], [0.0, 0.0], [0.0, 0.0]])
    for lower, upper in extrema_of(Polynomial.through(ends, 1.0 - ends), np.array([0.0, 1.0, 1.0])):
        assert np.isfinite([lower, upper]).all() and (lower[1] <= upper[1]).all()
    # Where first and second derivative vanish together no slice is convex: Taylor's bound.
    flat = BezierPiece(MotionState.at_rest(np.zeros(1)), np.zeros(1), 1.0)
    cubic = np.polynomial.Polynomial([-0.5, 1.0]) ** 3  # about the middle
    flat.__dict__["pieces"] = (Piece.whole(Polynomial(cubic.coef[None]), 1.0),)
    for slices in (1, 3, 5, 101):
        upper = flat.ranges(np.linspace(0.0, 1.0, slices + 1)).q_upper
        assert upper.max() == pytest.approx(0.125, abs=1e-12)
        edge = (0.5 / slices) ** 3
        assert edge <= upper[slices // 2, 0] <= edge + 1e-10


def test_what_is_odd_in_velocity_vanishes_in_the_mean_over_both_ways() -> None:
    """Coulomb and viscous friction that grow with an even torque; even torques remain."""
    motion = out_and_back(2)
    t = (np.arange(6400) + 0.5) / 6400 * motion.duration
    there, back = motion.at(t), motion.at(motion.duration - t)
    back = replace(back, dq=-back.dq)  # every pose is passed with the opposite velocity
    assert same(there, back, 1e-9)
    torque = np.sin(there.q) + 0.3 * there.ddq + 0.2 * there.dq**2
    friction = (2.0 + 0.1 * np.abs(torque)) * np.sign(there.dq) + 0.7 * there.dq
    lever = np.stack([np.cos(there.q), there.ddq])  # coefficients of a payload
    assert np.abs((lever * friction).mean(axis=1)).max() < 1e-9
    assert np.abs((lever * torque).mean(axis=1)).min() > 1e-3
    once = t < motion.duration / 2
    assert np.abs((lever * friction)[:, once].mean(axis=1)).max() > 0.1
    resting = motion.at(np.linspace(3.0, 3.4, 9))
    assert np.ptp(resting.q, axis=0).max() < 1e-12 and np.abs(resting.dq).max() < 1e-12


def test_pieces_continue_their_state_end_at_rest_and_are_linear_in_their_parameters() -> None:
    piece, shaken, t = bezier(), wave(), np.linspace(0.0, 3.0, 11)
    start, end = piece.start, at(piece, 3.0)
    for each in (piece, shaken):
        first = at(each, 0.0)
        assert same(first, start, 1e-11)
        assert same(at(each, 3.0), end, 1e-11)
    assert np.allclose(end.q[0], start.q + piece.k, atol=1e-12)
    assert np.allclose([end.dq, end.ddq], 0.0, atol=1e-11)
    middle = at(shaken, 1.5).q - at(piece, 1.5).q
    assert np.allclose(middle, shaken.wave[:, 0], atol=1e-12)
    more, twice = (BezierPiece(start, piece.k + x, 3.0).at(t).q - piece.at(t).q for x in (0.3, 0.6))
    assert np.allclose(2 * more, twice, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_stop_keeps_to_the_path_and_leaves_the_motion_smoothly(seed) -> None:
    motion = bezier(seed)
    stop = PathStop.within(motion, 0.6, LIMITS)
    assert same(at(stop, 0.0), at(motion, 0.6), 1e-12)
    rest = at(stop, stop.duration)
    assert np.abs([rest.dq, rest.ddq]).max() == 0.0
    assert stop.end == pytest.approx(0.6 + stop.ramp / 2)
    found = stop.ranges(even_edges(stop, 0.01))
    assert found.speed.max() <= 1.5 and found.acceleration.max() <= 5.0
    time = np.linspace(0.0, stop.duration, 50)  # the poses of the path and no others, no faster
    s = np.array([stop.place(t) for t in time])
    assert (np.diff(s) >= 0.0).all()
    there, here = motion.at(s), stop.at(time)
    assert np.allclose(here.q, there.q, atol=1e-12)
    assert (np.abs(here.dq) <= np.abs(there.dq) + 1e-12).all()


def test_motions_that_cannot_be_are_refused() -> None:
    for words, call in (
        ("jumps", lambda: MotionSequence((bezier(), bezier()), (1.0, 1.0))),
        ("to its end", lambda: PathStop.within(bezier(), 2.95, LIMITS)),
        ("lacks", lambda: trajectory_from_dict({"family": "bezier"})),
    ):
        with pytest.raises(InputError, match=words):
            call()
    with pytest.raises(UnknownNameError, match="bezier"):
        trajectory_from_dict({"family": "beziers"})
    for path, rest in ((bezier(), 0.5), (fourier(), 0.0), (fourier(), -1.0), (fourier(), np.nan)):
        with pytest.raises(InputError, match="There and back"):
            there_and_back(path, rest)
    for edges in ([0.0, 8.0], [-0.1, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0], [0.0, np.nan]):
        with pytest.raises(InputError, match="Edges"):
            fourier().ranges(np.array(edges))
    for leaves, ramp in ((-0.1, 0.5), (2.0, 2.1), (1.0, 0.0), (3.0, 0.1), (1.0, np.nan)):
        with pytest.raises(InputError, match="A stop begins"):
            PathStop(bezier(), leaves, ramp)
