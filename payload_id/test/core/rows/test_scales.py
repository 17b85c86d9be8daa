"""Rows of windows of several lengths: sums of each other, and within the bounds of their length."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import pairwise

import numpy as np
import pytest

from arms import ARMS, Run, arm, joint_torques, measured, noise, record, windows
from payload_id.core.arrays import Array
from payload_id.core.bounds.hull import NARROWED
from payload_id.core.errors import InputError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.scales import Scales
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.joint_samples import Samples
from scaled_noise import largest_hat_mean, largest_mean, patterns

EVERY_ARM = pytest.mark.parametrize("name", ARMS)
BOUNDS = {0.0: 2.0, 0.2: 0.5, 0.5: 0.22, 1.0: 0.12}
STATED = Uncertainty(
    torque_absolute=BOUNDS[0.0],
    torque_mean_window=(1.0, 0.2, 0.5),
    torque_mean=(BOUNDS[1.0], BOUNDS[0.2], BOUNDS[0.5]),
)
EVERYTHING = Uncertainty(
    torque_relative=0.01, torque_absolute=0.1, torque_gain=0.01, torque_offset=0.5,
    link_relative=0.02, friction_coulomb=0.3, friction_viscous=0.2, rotor_inertia=0.05,
    position_error=1e-4, velocity_error=2e-3, stamp_jitter=1e-5, gravity_error=0.02,
    joint_zero=1e-3, torque_delay=1e-3, torque_sigma=0.05, link_shift=1e-3,
    friction_coulomb_asymmetry=0.1, friction_viscous_asymmetry=0.1, friction_stribeck=0.2,
    stribeck_velocity=0.2, torque_ripple=0.1, ripple_cycles=10.0, torque_drift=0.2,
)  # fmt: skip


def blocks_of(run: Run, uncertainty: Uncertainty, scales: tuple[float, ...]) -> RowBlock:
    """Return the rows of a run at all lengths."""
    makes = Scales(MomentumRows.of(run.model, uncertainty), 0.1, scales)
    return RowBlock.stack([makes.block(window) for window in windows(run.samples)])


def stretch(samples: Samples, start: float, end: float) -> Samples:
    """Return the samples between two of their stamps, both included."""
    first, last = np.searchsorted(samples.stamp, [start - 1e-9, end - 1e-9])
    return samples.part(int(first), int(last) + 1)


def box_rows(source: MomentumRows, samples: Samples) -> RowBlock:
    """Return the rows of a window whose weight is 1."""
    sums = source.sums(samples, source.probes(samples).whole())
    return source.rows(source.box_terms(sums))


@pytest.mark.slow
@EVERY_ARM
@pytest.mark.parametrize("uncertainty", [Uncertainty(), EVERYTHING], ids=["none", "everything"])
def test_rows_are_those_of_the_window_s_own_samples(name: str, uncertainty: Uncertainty) -> None:
    run = record(arm(name), 1, rate=500.0, seconds=1.2, jitter=0.2)
    rows = blocks_of(run, uncertainty, (0.02, 0.3, 0.7))
    source = MomentumRows.of(run.model, uncertainty)
    assert set(rows.scale) == {0.0, 0.02, 0.3, 0.7}
    for scale in (0.02, 0.3, 0.7):
        some = rows.take(rows.scale == scale)
        for k in range(0, len(some), 7 * run.model.n):
            one = some.take(np.arange(k, k + run.model.n))
            own = box_rows(source, stretch(run.samples, one.start[0], one.end[0]))
            size = np.abs(own.A).max()
            np.testing.assert_allclose(one.A, own.A, atol=1e-11 * size)
            np.testing.assert_allclose(one.b, own.b, atol=1e-10)
            links = slice(0, source.nuisance.p)
            np.testing.assert_allclose(one.B[:, links], own.B[:, links], atol=1e-11 * size)
            # What it leaves out is at the most a little less (probes lie closer), never nothing.
            assert (one.d > 0.9 * own.d).all() and (one.d < 3.0 * own.d + 1e-9).all()


@EVERY_ARM
def test_a_long_row_is_the_sum_of_its_short_ones_up_to_corrections_of_ends(name: str) -> None:
    run = record(arm(name), 2, rate=500.0, seconds=1.0)
    rows = blocks_of(run, Uncertainty(), (0.5,))
    long, short = rows.take(rows.scale == 0.5), rows.of_own_data()
    for k in range(len(long)):
        inside = (short.start >= long.start[k] - 1e-9) & (short.end <= long.end[k] + 1e-9)
        inside &= short.joint == long.joint[k]
        assert inside.sum() == 5
        assert short.reading[inside].sum() == pytest.approx(long.reading[k], abs=1e-12)
        between = np.abs(short.A[inside].sum(axis=0) - long.A[k])
        assert (between <= short.A_error[inside].sum(axis=0)).all()


@pytest.mark.slow
@EVERY_ARM
def test_errors_at_shared_samples_cancel(name: str) -> None:
    run = record(arm(name), 3, rate=500.0, seconds=1.2)
    rows = blocks_of(run, Uncertainty(velocity_error=0.01), (1.0,))
    long, short = (rows.take(rows.scale == scale) for scale in (1.0, 0.1))
    own = long.joint == 0
    ends = short.A_error[short.joint == 0].sum(axis=0)
    assert (long.A_error[own][0] <= 0.9 * ends)[ends > 0].any()
    # and what is left does bound them, of whatever sign they are at every sample
    for seed in range(3):
        wrong = 0.01 * noise(np.random.default_rng(seed), run.samples.dq.shape, "vertices")
        seen = replace(run, samples=replace(run.samples, dq=run.samples.dq + wrong))
        rows = blocks_of(seen, Uncertainty(velocity_error=0.01), (0.02, 0.3, 1.0))
        left = np.abs(rows.A @ run.phi - rows.b)
        assert (left <= rows.bound(np.abs(run.phi))).all()


@pytest.mark.slow
def test_one_length_is_as_without_scales_to_the_last_bit() -> None:
    run = record(arm("gen3"), 4)
    source = MomentumRows.of(run.model, EVERYTHING)
    makes = Scales(source, 0.1)
    for window in windows(run.samples):
        one, other = makes.block(window), source.window(window)
        assert all(
            np.array_equal(getattr(one, entry.name), getattr(other, entry.name))
            for entry in fields(RowBlock)
        )


@pytest.mark.slow
def test_further_lengths_leave_rows_with_hats_as_they_are_and_add_those_of_boxes() -> None:
    run, stated = record(arm("gen3"), 4), Uncertainty(velocity_error=0.02, position_error=1e-5)
    source = MomentumRows.of(run.model, stated)
    makes = Scales(source, 0.1, (0.02, 0.5))
    for window in windows(run.samples):
        assert source.takes_hat(window)
        block, hat, box = makes.block(window), source.window(window), box_rows(source, window)
        assert np.array_equal(block.of_own_data().A, hat.A)
        assert np.array_equal(block.of_own_data().d, hat.d)
        same = block.take(block.scale == 0.1)
        assert np.array_equal(same.A, box.A) and np.array_equal(same.d, box.d)


def test_a_mean_of_the_noise_over_a_window_with_a_hat_counts_in_its_box_row() -> None:
    run = record(arm("gen3"), 4, seconds=1.0)
    noisy = Uncertainty(velocity_error=0.02, position_error=1e-5, torque_absolute=2.0)
    mean = replace(noisy, torque_mean_window=(0.1,), torque_mean=(0.1,))
    source, makes = MomentumRows.of(run.model, noisy), Scales(MomentumRows.of(run.model, mean), 0.1)
    for window in windows(run.samples):
        block, length = makes.block(window), window.stamp[-1] - window.stamp[0]
        box = block.take(block.scale == 0.1)
        assert np.array_equal(block.of_own_data().d, source.window(window).d)
        less = box_rows(source, window).d - box.d
        np.testing.assert_allclose(less, (2.0 - 0.1) * length, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_intervals_with_hats_and_further_lengths_are_within_those_with_hats(seed: int) -> None:
    stated = Uncertainty(torque_absolute=0.3, velocity_error=0.02, position_error=1e-5)
    run = record(arm("gen3"), seed).measured(stated, "vertices")
    one, several = (
        identify(run.samples, run.model, stated, scales=scales) for scales in ((), (0.02, 0.5))
    )
    assert one.contains(run.phi).all() and several.contains(run.phi).all()
    assert (several.half_width <= one.half_width / NARROWED).all()  # passes stop short of the end


def test_statistics_count_every_sample_once() -> None:
    run = record(arm("gen3"), 5).measured(Uncertainty(torque_absolute=0.5), "uniform")
    problems = []
    for scales in ((), (0.02, 0.5)):
        settings = Settings(Uncertainty(torque_absolute=0.5), scales=scales)
        online = OnlineIdentifier(run.model, settings)
        online.add(run.samples)
        problems.append(online.problem())
    one, several = problems
    assert len(several.rows) > len(one.rows)
    assert np.array_equal(one.statistics.weighted, several.statistics.weighted)
    assert one.statistics.rows == several.statistics.rows
    mass = [problem.solve().estimate.half_width[0] for problem in problems]
    assert mass[1] <= mass[0]


def test_nothing_is_joined_over_a_gap() -> None:
    run = record(arm("gen3"), 6, seconds=4.0)
    keep = (run.samples.stamp < 1.45) | (run.samples.stamp > 1.75)
    rows = blocks_of(replace(run, samples=run.samples.chosen(keep)), Uncertainty(), (0.02, 0.5))
    assert ((rows.end <= 1.45) | (rows.start >= 1.75)).all()
    ends = np.unique(rows.end[(rows.scale == 0.5) & (rows.start > 1.7)])
    assert len(ends) > 5


def test_a_window_ends_a_longer_one_as_soon_as_there_are_enough() -> None:
    run = record(arm("pendulum"), 7, seconds=1.05)
    rows = blocks_of(run, Uncertainty(), (0.25, 0.5))
    for scale, count, length in ((0.25, 8, 0.3), (0.5, 6, 0.5)):
        some = rows.take(rows.scale == scale)
        assert len(some) == count
        np.testing.assert_allclose(some.end - some.start, length, atol=1e-9)
        assert all(b - a == pytest.approx(0.1) for a, b in pairwise(some.start))


def gravity_of_payload(run: Run) -> Array:
    """Return what 1 kg at the payload frame adds to the torques, shape (N, n)."""
    samples, kilogram = run.samples, np.eye(10)[0]
    still = np.zeros_like(samples.q)
    links = run.model.link_phi
    with_it = joint_torques(run.model, links, kilogram, samples.q, still, still)
    return with_it - joint_torques(run.model, links, 0 * kilogram, samples.q, still, still)


def check(run: Run, uncertainty: Uncertainty) -> float:
    """The interval holds the truth; return the half-width of the mass."""
    estimate = identify(run.samples, run.model, uncertainty)
    assert estimate.contains(run.phi).all(), estimate.message
    return float(estimate.half_width[0])


TURN = {"gen3": 0, "ur10": 1, "branched": 2}  # of every third pattern


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [("gen3", 0), ("ur10", 1), ("branched", 0)])
def test_intervals_contain_the_truth_at_the_bounds_of_every_length(name: str, seed: int) -> None:
    run = record(arm(name), seed, rate=100.0, seconds=3.0)
    towards, rng = gravity_of_payload(run), np.random.default_rng(seed)
    found = patterns(run.samples.stamp, towards, BOUNDS, rng)
    reached = set()
    for k, error in enumerate(found.values()):
        for length, bound in BOUNDS.items():
            largest = largest_mean(run.samples.stamp, error, length)
            assert (largest <= bound * (1.0 + 1e-9)).all()
            reached |= {length} if (largest >= 0.999 * bound).any() else set()
        if k % 3 != TURN[name]:
            continue
        tau = run.samples.tau + rng.choice([-1.0, 1.0]) * error
        noisy = replace(run, samples=replace(run.samples, tau=tau))
        wide = check(noisy, Uncertainty(torque_absolute=BOUNDS[0.0]))
        assert check(noisy, STATED) < 0.6 * wide
    assert reached == set(BOUNDS)  # the test has come to the bound of every length


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_means_go_with_relative_noise_gains_and_offsets(seed: int) -> None:
    rng, run = np.random.default_rng(seed), record(arm("gen3"), seed, rate=100.0, seconds=3.0)
    n = run.model.n
    stated = replace(STATED, torque_relative=0.03, torque_gain=0.02, torque_offset=1.0)
    gain, offset = 0.02 * rng.choice([-1, 1], n), rng.choice([-1.0, 1.0], n)
    shown = (1.0 + gain) * run.samples.tau + offset
    kinds = (("vertices", True), ("correlated", False), ("constant", False))
    errors = patterns(run.samples.stamp, gravity_of_payload(run), BOUNDS, rng)
    for k, error in enumerate([*errors.values()][seed::2]):
        kind, of_true = kinds[k % len(kinds)]
        tau = measured(shown, noise(rng, shown.shape, kind), np.full(n, 0.03), np.zeros(n), of_true)
        check(replace(run, samples=replace(run.samples, tau=tau + error)), stated)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rows_hold_the_truth_within_their_own_bounds(seed: int) -> None:
    rng, run = np.random.default_rng(seed), record(arm("xarm7"), seed, rate=100.0, seconds=3.0)
    for error in patterns(run.samples.stamp, gravity_of_payload(run), BOUNDS, rng).values():
        noisy = replace(run, samples=replace(run.samples, tau=run.samples.tau + error))
        rows = blocks_of(noisy, STATED, ())
        assert set(rows.scale) == {0.0, 0.2, 0.5, 1.0}
        left = np.abs(rows.A @ run.phi - rows.b) / rows.bound(np.abs(run.phi))
        assert left.max() <= 1.0
        for scale in (0.2, 0.5, 1.0):
            some = rows.take(rows.scale == scale)
            assert (some.d / (some.end - some.start)).max() < 1.1 * BOUNDS[scale]


def test_a_bound_that_fails_at_one_length_says_so() -> None:
    run = record(arm("gen3"), 8, rate=250.0, seconds=4.0)
    slow = 0.3 * np.sign(np.sin(2 * np.pi * run.samples.stamp / 3.0))[:, None]
    samples = replace(run.samples, tau=run.samples.tau + slow)
    stated = Uncertainty(torque_absolute=0.4, torque_mean_window=(1.0,), torque_mean=(0.02,))
    estimate = identify(samples, run.model, stated)
    assert estimate.status is Status.INCONSISTENT
    assert "the bounds for windows of 1 s fail" in estimate.message
    assert identify(samples, run.model, replace(stated, torque_mean=(0.3,))).contains(run.phi).all()


@pytest.mark.slow
def test_rows_of_a_new_payload_hold_no_data_of_the_old_one() -> None:
    first = record(arm("ur10"), 9, seconds=6.0)
    heavy = 3.0 * first.phi
    other = record(arm("ur10"), 9, phi=heavy, seconds=6.0)
    late = first.samples.stamp > 3.05
    tau = np.where(late[:, None], other.samples.tau, first.samples.tau)
    samples = replace(first.samples, tau=tau)
    online = OnlineIdentifier(
        first.model,
        Settings(Uncertainty(torque_absolute=0.3), scales=(0.02, 0.5)),
    )
    estimates = []
    for start in range(0, len(samples), 375):
        online.add(samples.part(start, start + 375))
        estimates.append(online.update())
    assert estimates[1].contains(first.phi).all()
    assert "The payload changed at about" in estimates[-1].message
    assert estimates[-1].contains(heavy).all(), estimates[-1].message
    rows = online.problem().rows
    assert rows.start.min() > 3.0
    assert set(rows.scale) == {0.0, 0.02, 0.5}


HATS = Uncertainty(torque_absolute=2.0, torque_hat_window=(0.36, 0.6), torque_hat=(0.3, 0.1))


def hat_noise(run: Run, seed: int) -> dict[str, Array]:
    """Return noise within the bounds of `HATS` that reaches one of them, shape (N, n) each."""
    stamp, rng = run.samples.stamp, np.random.default_rng(seed)
    sign = np.where(gravity_of_payload(run) < 0.0, -1.0, 1.0)
    found = {"towards": sign, "payload": gravity_of_payload(run)}
    for length in (0.0, 0.36, 0.6):
        period = max(length, 0.04)
        wave = np.sign(np.sin(2 * np.pi * stamp / period + rng.uniform(0, 6)))[:, None]
        found[f"wave of {length:g} s towards"] = sign * (0.05 + wave)
    bounds = dict(zip(HATS.torque_hat_window, HATS.torque_hat, strict=True))
    for name, error in found.items():
        room = [2.0 / np.abs(error).max(axis=0)]
        room += [x / largest_hat_mean(stamp, error, length) for length, x in bounds.items()]
        found[name] = error * np.min(room, axis=0)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rows_with_hats_hold_the_truth_within_the_bounds_of_their_means(seed: int) -> None:
    run = record(arm("xarm7"), seed, rate=100.0, seconds=3.0)
    closest = 0.0
    for error in hat_noise(run, seed).values():
        noisy = replace(run, samples=replace(run.samples, tau=run.samples.tau + error))
        rows = blocks_of(noisy, HATS, ())
        assert set(rows.scale) == {0.0, 0.36, 0.6}
        left = np.abs(rows.A @ run.phi - rows.b) / rows.bound(np.abs(run.phi))
        assert left.max() <= 1.0
        for scale, bound in ((0.36, 0.3), (0.6, 0.1)):
            some = rows.scale == scale
            mean = rows.d[some] / (rows.end - rows.start)[some] * 2.0  # a hat weighs half of it
            assert mean.max() < 1.15 * bound
            closest = max(closest, float(left[some].max()))
    assert closest > 0.8  # the bounds are nearly reached


def test_windows_with_hats_cover_their_length_and_begin_often() -> None:
    run = record(arm("pendulum"), 7, seconds=2.05, rate=250.0)
    rows = blocks_of(run, HATS, ())
    for scale in (0.36, 0.6):
        some = rows.take(rows.scale == scale)
        length = some.end - some.start
        assert (length >= scale - 1e-6).all() and (length < scale + 2.0 / 250.0).all()
        assert np.diff(some.end).max() <= scale / 8.0 + 2.0 / 250.0


def test_nothing_with_a_hat_reaches_over_a_gap() -> None:
    run = record(arm("pendulum"), 6, seconds=4.0)
    keep = (run.samples.stamp < 1.45) | (run.samples.stamp > 1.75)
    rows = blocks_of(replace(run, samples=run.samples.chosen(keep)), HATS, ())
    assert ((rows.end <= 1.45) | (rows.start >= 1.75)).all()
    assert ((rows.scale == 0.6) & (rows.start > 1.7)).sum() > 5


@pytest.mark.slow
def test_intervals_contain_the_truth_at_the_bounds_of_means_with_hats() -> None:
    rng, run = np.random.default_rng(1), record(arm("gen3"), 1, rate=100.0, seconds=3.0)
    n = run.model.n
    stated = replace(HATS, torque_relative=0.03, torque_offset=1.0)
    shown = run.samples.tau + rng.choice([-1.0, 1.0], n)
    wide = replace(stated, torque_hat_window=(), torque_hat=())
    for k, error in enumerate(hat_noise(run, 1).values()):
        u = noise(rng, shown.shape, "vertices")
        tau = measured(shown, u, np.full(n, 0.03), np.zeros(n), k % 2 == 0)
        noisy = replace(run, samples=replace(run.samples, tau=tau + error))
        assert check(noisy, stated) < 0.8 * check(noisy, wide)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"torque_hat": (1.0,)}, "'torque_hat' takes .* for 0 lengths"),
        ({"torque_hat_window": (0.0,), "torque_hat": (1.0,)}, "above 0 s"),
        ({"torque_mean": (1.0,)}, "for 0 lengths"),
        ({"torque_mean_window": (1.0, 0.5), "torque_mean": (1.0,)}, "1 bounds for 2 lengths"),
        ({"torque_mean_window": (0.0,), "torque_mean": (1.0,)}, "above 0 s"),
        ({"torque_mean_window": (1.0, 1.0), "torque_mean": (1.0, 2.0)}, "different lengths"),
        ({"torque_mean_window": 1.0, "torque_mean": -1.0}, "not negative"),
    ],
)
def test_means_that_cannot_be_are_refused(entries: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Uncertainty(**entries)  # type: ignore[arg-type]  # that is what is tested


def test_means_for_another_number_of_joints_are_refused() -> None:
    stated = Uncertainty(torque_mean_window=(1.0,), torque_mean=(1.0, 2.0))
    with pytest.raises(InputError, match="2 bounds for each length"):
        MomentumRows.of(arm("gen3"), stated)
    hat = Uncertainty(torque_hat_window=(1.0,), torque_hat=(1.0, 2.0))
    with pytest.raises(InputError, match="'torque_hat' has 2 bounds for each length"):
        MomentumRows.of(arm("gen3"), hat)


def test_scales_that_cannot_be_are_refused() -> None:
    with pytest.raises(InputError, match="lengths of time"):
        OnlineIdentifier(arm("gen3"), Settings(scales=(-1.0,)))
    with pytest.raises(InputError, match="joint torques"):
        OnlineIdentifier(NewtonEulerRows.of(WrenchUncertainty(), "sensor"), Settings(scales=(1.0,)))


def test_means_survive_files() -> None:
    stated = Uncertainty(
        torque_mean_window=0.5, torque_mean=(1.0, 2.0), torque_hat_window=0.4, torque_hat=1.0
    )
    assert Uncertainty.from_dict(stated.to_dict()) == stated
    ((length, bound),) = stated.means(2)
    assert length == 0.5 and bound.tolist() == [1.0, 2.0]
