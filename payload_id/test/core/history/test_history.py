"""An arm's history: what it says of new runs, of unlike ones, and when it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.history import (
    KnownLoad,
    KnownRun,
    calibrated_interval,
    learn_history,
    segments,
)
from payload_id.core.history.comparable import slow, unlike
from payload_id.core.history.error_size import MassErrors
from payload_id.core.history.labels import doubtful
from payload_id.core.motion import trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.simulation.realistic_arm import RealisticArm

WINDOW, RUNS = 0.2, 20
MODEL = arm("ur10")
REAL = RealisticArm.drawn(MODEL, "ur_like", 3)
STATED = Uncertainty(
    torque_absolute=5.0, torque_gain=0.1, torque_offset=6.0, link_relative=0.1, link_shift=0.01,
    friction_coulomb=40.0, friction_viscous=40.0, rotor_inertia=5.0, stiction_velocity=0.02,
    prior=PayloadPrior(10.0, 0.5),
)  # fmt: skip
ROWS = MomentumRows.of(MODEL, STATED)
BARE = np.zeros(10)


def measured(seed, phi=BARE, seconds=5.0, scale=1.0):
    """Return what the driver publishes in one run, each in a session of its own."""
    time = np.arange(0.0, seconds + 0.005, 0.01)
    q, dq, ddq = Motion.draw(MODEL, np.random.default_rng([seed, 1])).at(scale * time)
    motion = trajectory.Motion(time, q, scale * dq, scale**2 * ddq)
    return REAL.run(motion, phi, seed, seed, rate=100.0).samples


def known(name, samples, load=None, rows=ROWS):
    """Return a known run of samples, of the bare arm unless said otherwise."""
    return KnownRun.of(name, samples, load or KnownLoad.none(), rows, WINDOW)


def learnt(runs, rows=ROWS):
    """Return the history of runs."""
    return learn_history(runs, rows, WINDOW)


def payload(seed):
    return draw_payload(np.random.default_rng([seed, 2]))


@pytest.fixture(scope="module")
def runs():
    """A fifth of them bare; of the others only the mass is known."""
    loads = [BARE if k % 5 == 0 else payload(k) for k in range(RUNS)]
    return [
        known(f"run {k}", measured(k, phi), KnownLoad.of_mass(float(phi[0])))
        for k, phi in enumerate(loads)
    ]


@pytest.fixture(scope="module")
def history(runs):
    return learnt(runs)


def interval_of(history, samples, level=0.95):
    """Return what a history says of new samples."""
    new = known("new", samples)
    return calibrated_interval(history, new.statistics, new.motion, new.seconds, level)


def width(interval):
    """Return how wide the interval of the mass is [kg]."""
    return interval.upper[0] - interval.lower[0]


# New runs


@pytest.mark.slow
def test_a_higher_level_a_heavier_load_and_a_longer_run_are_no_more_certain(history):
    samples = measured(101, payload(101))
    widths = [width(interval_of(history, samples, level)) for level in (0.5, 0.8, 0.9, 0.95)]
    assert (np.diff(widths) >= 0.0).all() and widths[-1] > widths[0]
    assert np.isinf(interval_of(history, samples, 0.99).upper[0])
    light, heavy = (
        interval_of(history, measured(102, scale * payload(102))) for scale in (0.0, 3.0)
    )
    assert width(heavy) > width(light)
    usual, long = (interval_of(history, measured(103, payload(103), time)) for time in (5.0, 20.0))
    # Another stretch of motion tells more; more data would halve it if they counted.
    assert width(long) > 0.6 * width(usual)


def test_what_is_unlike_the_known_runs_is_named(runs, history):
    motion, noise = runs[3].motion, history.noise[3]
    assert unlike(history, motion, noise, 1.0, 0.1) == ()
    one = np.eye(6)
    fast = replace(motion, speed=2.0 * history.speed.max(axis=0) * one[2])
    far = replace(motion, upper=motion.upper + 9.0 * one[4])
    stands = 1.5 * np.median(history.mean_speed, axis=0) * (1.0 - one[5])
    for changed, torque, mass, words in (
        (motion, noise, 50.0, "heavier"),
        (fast, noise, 1.0, f"{MODEL.joints[2]} moved faster"),
        (far, noise, 1.0, f"{MODEL.joints[4]} moved where no run"),
        (replace(motion, mean_speed=stands), noise, 1.0, f"{MODEL.joints[5]} moved less"),
        (motion, noise + 9.0 * one[0], 1.0, f"torque of {MODEL.joints[0]}"),
    ):
        (found,) = unlike(history, changed, torque, mass, 0.1)
        assert words in found
    for scale in (0.0, 0.15):
        found = interval_of(history, measured(106, payload(106), scale=scale))
        assert any("more slowly or rested longer" in text for text in found.unlike)


def test_runs_like_the_known_ones_are_seldom_called_slow():
    """Of exchangeable runs, at most 1 / (K + 1) are named for each of two comparisons."""
    rng, count = np.random.default_rng(7), 1000
    speeds = rng.lognormal(sigma=0.5, size=(count, 21, 6)) * [9.0, 1.0, 1.0, 0.1, 1.0, 0.0]
    found = [slow(each[1:], each[0]) for each in speeds]
    room = 4.0 * np.sqrt(1 / 21 / count)
    assert np.mean([slower for slower, _ in found]) < 1 / 21 + room
    assert np.mean([still.any() for _, still in found]) < 1 / 21 + room
    assert not any(still[5] for _, still in found)  # never moved in any run


# Which runs make a history


def test_runs_of_one_recording_are_left_out_together(runs):
    """A run as good as a copy of one, under the same name, does not help to judge it."""
    same_again = replace(runs[0], stretches=frozenset())
    alone, twice, cheating = (
        learnt([*runs[:6], *more])
        for more in ([], [same_again], [replace(same_again, source="copy")])
    )
    assert twice.inflation == pytest.approx(alone.inflation, rel=0.5)
    np.testing.assert_allclose(twice.scores[0], twice.scores[-1], rtol=1e-9)
    assert cheating.inflation <= twice.inflation


def test_copies_and_overlapping_parts_are_refused_and_rests_in_one_pose_are_not(runs):
    samples = measured(5)
    copy = known("b", replace(samples, stamp=samples.stamp + 100.0))
    part = known("c", samples.part(200, 501))
    for one, two in ((known("a", samples), copy), (copy, part)):
        with pytest.raises(InputError, match=r"Run 3 .* and run 5 .* hold the same data"):
            learnt([*runs[:2], one, runs[3], two])
    parts = [known("a", part) for part in segments(samples, 1.0)]
    assert len(learnt([*parts, *runs[:2]])) == len(parts) + 2
    # Without noise an arm at rest gives the same samples at any time.
    none = np.zeros_like(samples.q)
    rest = replace(samples, q=none + 0.3, dq=none, tau=samples.tau[0] + none)
    assert len(learnt([*runs[:3], known("a", rest), known("b", rest)])) == 5


# What is wrong with a history


def test_a_trend_of_the_errors_is_noted(runs, history):
    """Known masses that are said ever more wrongly look like a drift."""
    assert history.notes == ()
    drifting = [
        replace(run, load=KnownLoad.of_mass(run.load.phi[0] + 0.3 * k))
        for k, run in enumerate(runs[:11])
    ]
    assert any("change from run to run" in note for note in learnt(drifting).notes)


ERRORS = np.geomspace(0.3, 3.0, 30)[:, None, None]  # sizes of errors that come into question


def test_wrong_labels_do_not_hide_each_other_and_right_ones_are_seldom_named():
    """Two runs, and all three of one recording, are off by 12 times the size of right errors."""
    rng, runs = np.random.default_rng(9), 20
    names = [f"run {k}" if k < 17 else "segments" for k in range(runs)]
    error = rng.normal(size=runs)
    error[[4, 9]] = -12.0, 12.0
    error[17:] = 12.0 + 0.2 * rng.normal(size=3)
    found = doubtful(MassErrors(error, ERRORS**2 * np.ones(runs)), names)
    assert [k for k, _ in found] == [4, 9, 17, 18, 19]
    # Right errors are normal, of different sizes: a history is named with 1 %.
    spread, names = rng.uniform(0.5, 2.0, runs), [f"run {k}" for k in range(runs)]
    draws, variance = spread * rng.normal(size=(100, runs)), (ERRORS * spread) ** 2
    assert sum(bool(doubtful(MassErrors(each, variance), names)) for each in draws) <= 6


@pytest.mark.parametrize("factor", [1000.0, np.where(np.arange(6) == 1, -1.0, 1.0)])
def test_a_run_in_other_units_or_with_another_sign_is_named(runs, factor):
    samples = measured(5)
    strange = known("strange", replace(samples, tau=samples.tau * factor))
    notes = learnt([*runs[:7], strange]).notes
    assert any("strange" in note for note in notes)
    assert not [note for note in notes if "residuals" in note and "strange" not in note]


def test_what_is_no_run_or_no_history_is_refused(runs):
    samples = measured(1)
    silent = replace(samples, tau=0.0 * samples.tau)
    one_source = [replace(run, source="one recording") for run in runs[:4]]
    for call, said in (
        (lambda: learnt(runs[:2]), "at least 3 runs"),
        (lambda: learnt(one_source), "two recordings"),
        (lambda: KnownLoad.of_mass(-1.0), "0 kg or above"),
        (lambda: KnownLoad.of_mass(float("nan")), "0 kg or above"),
        (lambda: segments(samples, 0.0), "above 0 s"),
        (lambda: known("silent", silent), "zero"),
        (lambda: known("short", samples.part(0, 5)), "no window"),
    ):
        with pytest.raises((InputError, RecordingError), match=said):
            call()
    assert KnownLoad.of_mass(0.0).known.all()  # the bare arm
