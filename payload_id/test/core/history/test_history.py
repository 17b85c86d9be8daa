"""An arm's history: what it says of new runs, of unlike ones, and when it says nothing."""

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload
from payload_id import identify
from payload_id.core.arm.effort_scale import JOINT_STATES, TABLE, EffortScale
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.history import (
    KnownRun,
    Load,
    calibrated_interval,
    check_history,
    learn_history,
    segments,
)
from payload_id.core.history.comparable import slow, unlike
from payload_id.core.history.error_size import MassErrors
from payload_id.core.history.labels import doubtful
from payload_id.core.motion import trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples
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


def measured(seed, phi, seconds=5.0, scale=1.0):
    """Return what the driver publishes in one run, each in a session of its own."""
    time = np.arange(0.0, seconds + 0.005, 0.01)
    q, dq, ddq = Motion.draw(MODEL, np.random.default_rng([seed, 1])).at(scale * time)
    motion = trajectory.Motion(time, q, scale * dq, scale**2 * ddq)
    return REAL.run(motion, phi, seed, seed, rate=100.0).samples


def known_run(seed, phi, load):
    return KnownRun.of(f"run {seed}", measured(seed, phi), load, ROWS, WINDOW)


def payload(seed):
    return draw_payload(np.random.default_rng([seed, 2]))


@pytest.fixture(scope="module")
def runs():
    """A fifth of them bare; of the others only the mass is known."""
    loads = [np.zeros(10) if k % 5 == 0 else payload(k) for k in range(RUNS)]
    return [known_run(k, phi, Load.of_mass(float(phi[0]))) for k, phi in enumerate(loads)]


@pytest.fixture(scope="module")
def history(runs):
    return learn_history(runs, ROWS, WINDOW)


def interval_of(history, samples, level=0.95):
    new = KnownRun.of("new", samples, Load.none(), ROWS, WINDOW)
    return calibrated_interval(history, new.statistics, new.motion, new.seconds, level)


@pytest.mark.slow
def test_the_mass_of_new_runs_is_where_the_history_says(history):
    found = []
    for seed in range(100, 112):
        phi = payload(seed)
        interval = interval_of(history, measured(seed, phi))
        found.append(interval.lower[0] <= phi[0] <= interval.upper[0])
        assert interval.upper[0] - interval.lower[0] < 1.5  # [kg]; the boxes alone leave 10
    assert sum(found) >= 10  # fewer of 12 in one of 500 cases, if each holds with 95 %


def test_what_too_few_runs_knew_is_unknown(history):
    interval = interval_of(history, measured(100, payload(100)))
    assert (interval.runs == [RUNS] + [RUNS // 5] * 9).all()
    assert np.isfinite([interval.lower[0], interval.upper[0]]).all()
    assert np.isinf(interval.lower[1:]).all()
    assert np.isinf(interval.upper[1:]).all()
    assert np.isinf(interval.joint_upper).all()
    assert not np.isfinite(interval_of(history, measured(100, payload(100)), 0.99).upper[0])


def test_a_lower_level_is_never_wider(history):
    samples = measured(101, payload(101))
    widths = [interval_of(history, samples, level) for level in (0.5, 0.8, 0.9, 0.95)]
    half = [found.upper[0] - found.lower[0] for found in widths]
    assert (np.diff(half) >= 0.0).all()
    assert half[-1] > half[0]


def test_a_heavy_load_is_less_certain_than_none(history):
    light, heavy = (
        interval_of(history, measured(102, scale * payload(102))) for scale in (0.0, 3.0)
    )
    assert heavy.upper[0] - heavy.lower[0] > light.upper[0] - light.lower[0]


def test_runs_longer_than_any_known_one_are_no_more_certain(history):
    phi = payload(103)
    time = [5.0, 20.0]
    half = [
        np.ptp([found.lower[0], found.upper[0]])
        for found in (interval_of(history, measured(103, phi, seconds)) for seconds in time)
    ]
    motion_tells_more = 0.6  # of another stretch of motion, not of more data: half if they counted
    assert half[1] > motion_tells_more * half[0]


@pytest.mark.slow
def test_order_and_names_of_runs_do_not_matter(runs, history):
    again = learn_history([replace(run, source=f"x{run.source}") for run in runs[::-1]],
                          ROWS, WINDOW)  # fmt: skip
    np.testing.assert_allclose(again.scores[::-1], history.scores, rtol=1e-5, atol=1e-6)
    assert again.inflation == pytest.approx(history.inflation, rel=1e-3)


@pytest.mark.slow
def test_runs_of_one_recording_are_left_out_together(runs):
    """A run as good as a copy of one, under the same name, does not help to judge it."""
    same_again = replace(runs[0], stretches=frozenset())
    twice = learn_history([*runs[:6], same_again], ROWS, WINDOW)
    alone = learn_history(runs[:6], ROWS, WINDOW)
    same = twice.inflation == pytest.approx(alone.inflation, rel=0.5)
    assert same
    np.testing.assert_allclose(
        twice.scores[0] * twice.inflation, twice.scores[-1] * twice.inflation, rtol=1e-9
    )
    cheating = learn_history([*runs[:6], replace(same_again, source="copy")], ROWS, WINDOW)
    assert cheating.inflation <= twice.inflation


@pytest.mark.parametrize(("count", "source"), [(2, None), (4, "one recording")])
def test_too_few_runs_or_sources_are_refused(runs, count, source):
    some = [run if source is None else replace(run, source=source) for run in runs[:count]]
    with pytest.raises(InputError, match="at least 3 runs of at least two recordings"):
        learn_history(some, ROWS, WINDOW)


@pytest.mark.slow
def test_a_trend_of_the_errors_is_noted(runs, history):
    """Known masses that are said ever more wrongly look like a drift."""
    drifting = [
        replace(run, load=Load.of_mass(max(run.load.phi[0], 0.0) + 0.3 * k))
        for k, run in enumerate(runs[:14])
    ]
    assert any("change from run to run" in note
               for note in learn_history(drifting, ROWS, WINDOW).notes)  # fmt: skip
    assert history.notes == ()


def test_what_is_unlike_the_known_runs_is_named(runs, history):
    motion = runs[3].motion
    usual = history.noise[3]
    assert unlike(history, motion, usual, 1.0, 0.1) == ()
    fast = replace(motion, speed=2.0 * history.speed.max(axis=0) * (np.arange(6) == 2))
    far = replace(motion, upper=motion.upper + 9.0 * (np.arange(6) == 4))
    for changed, noise, mass, words in (
        (motion, usual, 50.0, "heavier"),
        (fast, usual, 1.0, f"{MODEL.joints[2]} moved faster"),
        (far, usual, 1.0, f"{MODEL.joints[4]} moved where no run"),
        (motion, usual + 9.0 * (np.arange(6) == 0), 1.0, f"torque of {MODEL.joints[0]}"),
    ):
        found = unlike(history, changed, noise, mass, 0.1)
        assert len(found) == 1
        assert words in found[0]


@pytest.mark.slow
def test_both_intervals_are_named_in_the_verdict(history):
    phi = payload(104)
    known = replace(MODEL, history=history)
    samples = measured(104, phi, 2.0)
    estimate = identify(samples, known, STATED, intervals="calibrated", window=WINDOW)
    hull = identify(samples, MODEL, STATED, window=WINDOW)
    np.testing.assert_array_equal(estimate.lower, hull.lower)  # beside it, never instead
    np.testing.assert_array_equal(estimate.upper, hull.upper)
    assert estimate.intervals == "calibrated"
    assert estimate.message.startswith(hull.message)
    assert "By 20 earlier runs of this arm the mass is between" in estimate.message
    assert estimate.to_dict()["calibrated"]["level"] == 0.95
    assert estimate.to_dict()["calibrated"]["lower"][1] is None
    assert hull.to_dict()["calibrated"] is None


def test_intervals_that_contradict_each_other_are_named(history):
    found = interval_of(history, measured(105, payload(105)))
    apart = np.full(10, found.upper[0] + 1.0)
    assert "contradicts the stated bounds" in found.sentence(apart, apart + 1.0)
    assert "contradicts" not in found.sentence(found.lower - 1.0, found.upper + 1.0)


@pytest.mark.parametrize(
    ("model", "uncertainty", "window", "words"),
    [
        (MODEL, STATED, WINDOW, "it has none"),
        ("history", replace(STATED, torque_gain=0.2), WINDOW, "other bounds"),
        ("history", STATED, 0.1, "windows of 0.2 s"),
    ],
)
def test_a_history_of_other_rows_is_refused(history, model, uncertainty, window, words):
    model = replace(MODEL, history=history) if model == "history" else model
    with pytest.raises(InputError, match=words):
        identify(
            measured(1, np.zeros(10)), model, uncertainty, intervals="calibrated", window=window
        )


def test_a_history_of_another_arm_is_refused(history):
    other = replace(MODEL, link_phi=1.01 * MODEL.link_phi, history=history)
    with pytest.raises(InputError, match="another arm"):
        identify(measured(1, np.zeros(10)), other, STATED, intervals="calibrated", window=WINDOW)


@pytest.mark.parametrize("name", ["factor", "offset"])
def test_torques_of_another_scale_are_refused(history, name):
    """What turns efforts into torques was edited after the history was made."""
    made = EffortScale.of(0.5, 0.0, 6)
    before = replace(history, effort={JOINT_STATES: made})
    edited = replace(made, **{name: (*getattr(made, name)[:5], 0.54)})
    for scale, table, refused in ((made, None, False), (edited, None, True), (None, edited, False)):
        scales = {JOINT_STATES: scale} if table is None else {TABLE: table}
        rows = MomentumRows.of(replace(MODEL, history=before, effort=scales), STATED)
        if not refused:
            check_history(rows, WINDOW)
            continue
        with pytest.raises(InputError, match=f"another {name} of the effort of the joint states"):
            check_history(rows, WINDOW)


def test_a_history_keeps_the_scale_of_its_torques(runs):
    scales = {JOINT_STATES: EffortScale.of(0.5, 0.0, 6)}
    rows = MomentumRows.of(replace(MODEL, effort=scales), STATED)
    assert learn_history(runs[:4], rows, WINDOW).effort == scales


@pytest.mark.parametrize("scale", [0.0, 0.15])
def test_runs_at_rest_or_slower_than_all_known_ones_are_named(history, scale):
    found = interval_of(history, measured(106, payload(106), scale=scale))
    assert any("more slowly or rested longer" in text for text in found.unlike)


def test_runs_like_the_known_ones_are_seldom_called_slow():
    """Of exchangeable runs, at most 1 / (K + 1) are named for each of two comparisons."""
    rng, count = np.random.default_rng(7), 2000
    speeds = rng.lognormal(sigma=0.5, size=(count, 21, 6)) * [9.0, 1.0, 1.0, 0.1, 1.0, 0.0]
    found = [slow(known[1:], known[0]) for known in speeds]
    room = 4.0 * np.sqrt(1 / 21 / count)
    assert np.mean([slower for slower, _ in found]) < 1 / 21 + room
    assert np.mean([still.any() for _, still in found]) < 1 / 21 + room
    assert not any(still[5] for _, still in found)  # never moved in any run


def test_one_joint_that_stands_still_is_named(history, runs):
    usual = 1.5 * np.median(history.mean_speed, axis=0)
    stands = replace(runs[3].motion, mean_speed=usual * (np.arange(6) != 5))
    (said,) = unlike(history, stands, history.noise[3], 1.0, 0.1)
    assert said.startswith(f"{MODEL.joints[5]} moved less")


@pytest.mark.slow
def test_copies_and_overlapping_parts_are_refused(runs):
    samples = measured(5, np.zeros(10))
    later = replace(samples, stamp=samples.stamp + 100.0)  # a copy with other stamps

    def known(name, part):
        return KnownRun.of(name, part, Load.none(), ROWS, WINDOW)

    whole, copy = known("a", samples), known("b", later)
    overlapping = known("a", samples.part(200, 501))
    for one, two in ((whole, copy), (copy, overlapping), (known("c", samples.part(0, 260)), copy)):
        with pytest.raises(InputError, match=r"Run 3 .* and run 5 .* hold the same data"):
            learn_history([*runs[:2], one, runs[3], two], ROWS, WINDOW)
    parts = [known("a", part) for part in segments(samples, 1.0)]
    assert len(learn_history([*parts, *runs[:2]], ROWS, WINDOW)) == len(parts) + 2


@pytest.mark.slow
def test_arms_at_rest_in_one_pose_are_not_called_copies(runs):
    """Without noise they give the same samples at any time."""
    samples = measured(1, np.zeros(10))
    rest = Samples(
        samples.stamp, 0 * samples.q + 0.3, 0 * samples.dq, 0 * samples.tau + samples.tau[0]
    )
    resting = [KnownRun.of(name, rest, Load.none(), ROWS, WINDOW) for name in "ab"]
    assert len(learn_history([*runs[:3], *resting], ROWS, WINDOW)) == 5


@pytest.mark.slow
@pytest.mark.parametrize(("wrong", "by"), [(3, 1.5), (5, 2.0)])
def test_a_wrong_label_is_named(runs, wrong, by):
    """The known mass of a run is stated wrongly; run 5 was of the bare arm."""
    label = float(runs[wrong].load.phi[0]) + by
    stated = [*runs[:wrong], replace(runs[wrong], load=Load.of_mass(label)), *runs[wrong + 1 : 14]]
    (note,) = [note for note in learn_history(stated, ROWS, WINDOW).notes if "check" in note]
    assert note.startswith(f"Run {wrong + 1} ('run {wrong}') is stated to carry {label:.3g} kg")


ERRORS = np.geomspace(0.3, 3.0, 30)[:, None, None]  # sizes of errors that come into question


def test_wrong_labels_do_not_hide_each_other():
    """Two runs, and all three of one recording, are off by 12 times the size of right errors."""
    rng, runs = np.random.default_rng(9), 20
    names = [f"run {k}" if k < 17 else "segments" for k in range(runs)]
    error = rng.normal(size=runs)
    error[[4, 9]] = -12.0, 12.0
    error[17:] = 12.0 + 0.2 * rng.normal(size=3)
    found = doubtful(MassErrors(error, ERRORS**2 * np.ones(runs)), names)
    assert [k for k, _ in found] == [4, 9, 17, 18, 19]


@pytest.mark.slow
def test_right_labels_are_seldom_named():
    """Errors are normal, of different sizes: a history is named with 1 %."""
    rng, runs = np.random.default_rng(8), 20
    spread = rng.uniform(0.5, 2.0, runs)
    variance, names = (ERRORS * spread) ** 2, [f"run {k}" for k in range(runs)]
    draws = spread * rng.normal(size=(200, runs))
    assert sum(bool(doubtful(MassErrors(each, variance), names)) for each in draws) <= 8
    # 2 are expected; more than 8 in one of 4000 cases


@pytest.mark.parametrize("mass", [-1.0, float("nan"), float("inf")])
def test_impossible_masses_are_refused(mass):
    with pytest.raises(InputError, match="0 kg or above"):
        Load.of_mass(mass)


def test_no_mass_is_the_bare_arm():
    assert Load.of_mass(0.0).known.all()


def test_recordings_without_effort_or_too_short_are_refused():
    samples = measured(1, np.zeros(10))
    silent = Samples(samples.stamp, samples.q, samples.dq, 0.0 * samples.tau)
    with pytest.raises(RecordingError, match="zero"):
        KnownRun.of("silent", silent, Load.none(), ROWS, WINDOW)
    with pytest.raises(RecordingError, match="no window"):
        KnownRun.of("short", samples.part(0, 5), Load.none(), ROWS, WINDOW)


def test_segments_cut_a_recording_into_runs_of_a_length():
    samples = measured(1, np.zeros(10))
    parts = segments(samples, 1.2)
    assert len(parts) == 4
    assert all(1.1 < np.ptp(part.stamp) <= 1.2 for part in parts)
    assert segments(samples, None) == [samples]
    assert len(segments(samples, 60.0)) == 1
    with pytest.raises(InputError, match="above 0 s"):
        segments(samples, 0.0)


TURNED = np.where(np.eye(6, dtype=bool), -1.0, 1.0)  # one joint's sign


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1000.0, -1.0, TURNED[1]])
def test_a_run_in_other_units_or_with_another_sign_is_named(runs, factor):
    samples = measured(5, np.zeros(10))
    tau = samples.tau * factor
    other = KnownRun.of(
        "strange", Samples(samples.stamp, samples.q, samples.dq, tau), Load.none(), ROWS, WINDOW
    )
    history = learn_history([*runs, other], ROWS, WINDOW)
    said = [note for note in history.notes if "strange" in note]
    assert said and not [x for x in history.notes if "residuals" in x and "strange" not in x]


def test_where_all_runs_are_beyond_the_stated_bounds_that_is_said(history):
    """A false unit or sign is mostly that of all runs."""
    assert not any("Residuals of most runs" in note for note in history.notes)
    tight = replace(
        STATED, torque_absolute=0.2, torque_gain=0.01, torque_offset=0.5, friction_coulomb=1.0,
        friction_viscous=1.0,
    )  # fmt: skip
    rows, made = MomentumRows.of(MODEL, tight), []
    for k in range(6):
        samples = measured(k, np.zeros(10))
        other = replace(samples, tau=1e3 * samples.tau)
        made.append(KnownRun.of(f"run {k}", other, Load.none(), rows, WINDOW))
    try:
        said = " ".join(learn_history(made, rows, WINDOW).notes)
    except InputError as error:
        said = str(error)
    assert "other units" in said


@pytest.mark.slow
def test_runs_without_a_score_are_named(runs):
    short = KnownRun.of("short", measured(31, np.zeros(10), seconds=0.5), Load.none(), ROWS, WINDOW)
    history = learn_history([*runs, short], ROWS, WINDOW)
    named = any("no score" in note and "short" in note for note in history.notes)
    assert named == bool(np.isnan(history.scores[-1, 0]))
