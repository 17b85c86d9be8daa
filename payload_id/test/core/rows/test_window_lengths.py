"""Rows of windows of several lengths: sums of each other, and within the bounds of their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import ARMS, Run, arm, noise, record, windows
from payload_id.core.arrays import Array
from payload_id.core.errors import InputError
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.joint_torque.window_lengths import WindowLengths
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty

EVERY_ARM = pytest.mark.parametrize("name", ARMS)
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
    makes = WindowLengths(MomentumRows.of(run.model, uncertainty), 0.1, scales)
    return RowBlock.stack(makes.blocks(windows(run.samples)))


def part_used(rows: RowBlock, phi: Array) -> Array:
    """Return how much of its bound each row needs for the truth, shape (m,)."""
    return np.abs(rows.A @ phi - rows.b) / rows.bound(np.abs(phi))


def with_errors(run: Run, **errors: Array) -> Run:
    """Return a run whose samples are off."""
    off = {name: getattr(run.samples, name) + error for name, error in errors.items()}
    return replace(run, samples=replace(run.samples, **off))


@EVERY_ARM
def test_rows_are_those_of_the_window_s_own_samples(name: str) -> None:
    run = record(arm(name), 1, rate=500.0, seconds=0.9, jitter=0.2)
    for stated in (Uncertainty(), EVERYTHING):
        rows, source = blocks_of(run, stated, (0.02, 0.3, 0.7)), MomentumRows.of(run.model, stated)
        assert {0.0, 0.02, 0.3, 0.7} <= set(rows.scale)
        for scale in (0.02, 0.3, 0.7):
            some = rows.take(rows.scale == scale)
            for k in range(0, len(some), 12 * run.model.n):
                one = some.take(np.arange(k, k + run.model.n))
                ends = np.array([one.start[0] - 1e-9, one.end[0] + 1e-9])
                own = source.window(run.samples.part(*np.searchsorted(run.samples.stamp, ends)))
                size, links = np.abs(own.A).max(), slice(0, source.of_arm.p)
                np.testing.assert_allclose(one.A, own.A, atol=1e-11 * size)
                np.testing.assert_allclose(one.b, own.b, atol=1e-10)
                np.testing.assert_allclose(one.B[:, links], own.B[:, links], atol=1e-11 * size)
                # What it leaves out is at the most a little less (probes lie closer), never none.
                assert (one.d > 0.9 * own.d).all() and (one.d < 3.0 * own.d + 1e-9).all()


@EVERY_ARM
def test_a_long_row_is_the_sum_of_its_short_ones_and_errors_at_shared_samples_cancel(name) -> None:
    run = record(arm(name), 2, rate=500.0, seconds=1.0)
    rows = blocks_of(run, Uncertainty(velocity_error=0.01), (0.5,))
    long, short = (rows.take(rows.scale == scale) for scale in (0.5, 0.0))
    for k in range(len(long)):
        inside = (short.start >= long.start[k] - 1e-9) & (short.end <= long.end[k] + 1e-9)
        inside &= short.joint == long.joint[k]
        assert inside.sum() == 5
        assert short.reading[inside].sum() == pytest.approx(long.reading[k], abs=1e-12)
        between, ends = short.A[inside].sum(axis=0) - long.A[k], short.A_error[inside].sum(axis=0)
        assert (np.abs(between) <= ends).all()
    assert (long.A_error[-1] <= 0.9 * ends)[ends > 0].any()
    # and what is left does bound them, of whatever sign they are at every sample
    for seed in range(3):
        wrong = 0.01 * noise(np.random.default_rng(seed), run.samples.dq.shape, "vertices")
        seen = blocks_of(with_errors(run, dq=wrong), Uncertainty(velocity_error=0.01), (0.02, 0.3))
        assert part_used(seen, run.phi).max() <= 1.0


def test_means_and_lengths_that_cannot_be_are_refused_by_name() -> None:
    gen3 = arm("gen3")
    for entries in (
        {"torque_mean": (1.0,)}, {"torque_mean_window": (0.0,), "torque_mean": (1.0,)},
        {"torque_mean_window": (1.0, 0.5), "torque_mean": (1.0,)},
        {"torque_mean_window": (1.0, 1.0), "torque_mean": (1.0, 2.0)},
        {"torque_mean_window": 1.0, "torque_mean": -1.0},
        {"torque_mean_window": (1.0,), "torque_mean": (1.0, 2.0)},  # for two joints
    ):  # fmt: skip
        with pytest.raises(InputError, match=next(iter(entries)).removesuffix("_window")):
            MomentumRows.of(gen3, Uncertainty(**entries))
    for source in (gen3, NewtonEulerRows.of(WrenchUncertainty(), "sensor")):
        with pytest.raises(InputError, match="scales"):
            OnlineIdentifier(source, Settings(scales=(-1.0,)))
