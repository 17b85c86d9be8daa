"""False poses of a sensor make no rows: they are left out and counted, true ones never are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.identification.settings import Settings
from payload_id.core.identification.wrench.online import OnlineWrench
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from wrench_motion import PAYLOAD, simulated

PAUSE = WindowCutter(0.1).pause
STATED = WrenchUncertainty(force_error=0.5, torque_error=0.05, angular_velocity_error=0.02)


def gate():
    return NewtonEulerRows.of(STATED).gate(PAUSE)


def with_false(samples, rng, number=15):
    """Return samples with single false rows, and which are false."""
    columns = {
        name: np.array(getattr(samples, name))
        for name in ("rotation", "angular_velocity", "angular_acceleration", "linear_acceleration")
    }
    false = np.sort(rng.choice(np.arange(1, len(samples)), number, replace=False))
    for k in false:
        axis = rng.integers(3)
        kind = rng.integers(4)
        if kind == 0:
            turn = Rotation.from_rotvec(rng.uniform(0.3, 3.0) * np.eye(3)[axis]).as_matrix()
            columns["rotation"][k] = columns["rotation"][k] @ turn
        elif kind == 1:
            columns["angular_velocity"][k, axis] = rng.choice([9e8, -9e8, 90.0])
        elif kind == 2:
            columns["angular_acceleration"][k, axis] = rng.choice([9e8, -9e8, 1e7])
        else:
            columns["linear_acceleration"][k, axis] = rng.choice([9e8, -9e8, 1e5])
    return replace(samples, **columns), false


@pytest.mark.parametrize(
    ("rate", "speed"), [(20.0, 1.0), (200.0, 1.0), (200.0, 4.0), (1000.0, 4.0)]
)
def test_true_motions_are_let_through(rate, speed):
    samples = simulated(seconds=400.0 / rate, rate=rate, speed=speed)
    rng = np.random.default_rng(3)
    late = np.clip(samples.stamp + rng.uniform(0.0, 0.004, len(samples)), None, None)
    noisy = samples.angular_velocity + rng.uniform(-0.01, 0.01, (len(samples), 3))
    for true in (samples, replace(samples, stamp=np.sort(late), angular_velocity=noisy)):
        judged = gate()
        assert len(judged.let_through(true)) == len(true)
        assert judged.dropped == {}


@pytest.mark.parametrize("seed", range(4))
def test_false_motions_are_left_out_however_samples_arrive(seed):
    rng = np.random.default_rng(seed)
    samples, false = with_false(simulated(seconds=3.0), rng)
    whole, pieces = gate(), gate()
    kept = whole.let_through(samples)
    assert np.array_equal(kept.stamp, np.delete(samples.stamp, false))
    assert sum(whole.dropped.values()) == len(false)
    parts = [pieces.let_through(samples.part(k, k + 7)) for k in range(0, len(samples), 7)]
    assert np.array_equal(np.concatenate([part.stamp for part in parts]), kept.stamp)
    assert pieces.dropped == whole.dropped


def test_a_jump_for_good_counts_again_after_a_pause():
    samples = simulated(seconds=2.0)
    late = samples.part(200, 400)
    turned = replace(late, rotation=late.rotation @ Rotation.from_euler("x", 1.0).as_matrix())
    judged = gate()
    judged.let_through(samples.part(0, 200))
    left_out = len(turned) - len(judged.let_through(turned))
    assert left_out == pytest.approx(PAUSE * 200.0, abs=1)


def test_false_rows_do_not_change_the_truth_in_the_interval():
    samples = simulated(seconds=3.0)
    run = OnlineWrench(NewtonEulerRows.of(STATED), Settings())
    false, rows = with_false(samples, np.random.default_rng(9))
    run.add(false)
    estimate = run.update()
    assert estimate.contains(PAYLOAD).all()
    assert estimate.false_samples
    assert "False samples were left out" in estimate.message
    assert sum(estimate.false_samples.values()) == len(rows)
