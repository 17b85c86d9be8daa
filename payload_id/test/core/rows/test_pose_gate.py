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
IMPOSSIBLE = {
    "angular_velocity": (9e8, -9e8, 90.0),
    "angular_acceleration": (9e8, -9e8, 1e7),
    "linear_acceleration": (9e8, -9e8, 1e5),
}


def gate():
    return NewtonEulerRows.of(STATED).gate(PAUSE)


def with_false(samples, rng, number=15):
    """Return samples with single false rows, and which are false."""
    columns = {name: np.array(getattr(samples, name)) for name in ("rotation", *IMPOSSIBLE)}
    false = np.sort(rng.choice(np.arange(1, len(samples)), number, replace=False))
    for k in false:
        axis, name = rng.integers(3), rng.choice([*columns])
        if name == "rotation":
            turn = Rotation.from_rotvec(rng.uniform(0.3, 3.0) * np.eye(3)[axis]).as_matrix()
            columns[name][k] = columns[name][k] @ turn
        else:
            columns[name][k, axis] = rng.choice(IMPOSSIBLE[name])
    return replace(samples, **columns), false


@pytest.mark.parametrize(
    ("rate", "speed"), [(20.0, 1.0), (200.0, 1.0), (200.0, 4.0), (1000.0, 4.0)]
)
def test_true_motions_are_let_through(rate, speed):
    samples, rng = simulated(seconds=400.0 / rate, rate=rate, speed=speed), np.random.default_rng(3)
    late = np.sort(samples.stamp + rng.uniform(0.0, 0.004, len(samples)))
    noisy = samples.angular_velocity + rng.uniform(-0.01, 0.01, (len(samples), 3))
    for true in (samples, replace(samples, stamp=late, angular_velocity=noisy)):
        judged = gate()
        assert len(judged.let_through(true)) == len(true)
        assert judged.dropped == {}


def test_false_motions_are_left_out_however_samples_arrive_and_the_truth_stays_inside():
    for seed in range(4):
        samples, false = with_false(simulated(seconds=2.0), np.random.default_rng(seed))
        for size in (len(samples), 7):
            judged = gate()
            parts = [samples.part(k, k + size) for k in range(0, len(samples), size)]
            kept = np.concatenate([judged.let_through(part).stamp for part in parts])
            np.testing.assert_array_equal(kept, np.delete(samples.stamp, false))
            assert sum(judged.dropped.values()) == len(false)
    run = OnlineWrench(NewtonEulerRows.of(STATED), Settings())
    run.add(samples)
    estimate = run.update()
    assert estimate.contains(PAYLOAD).all()
    assert sum(estimate.false_samples.values()) == len(false)
    assert "False samples were left out" in estimate.message


def test_a_jump_for_good_counts_again_after_a_pause():
    samples = simulated(seconds=2.0)
    late, judged = samples.part(200, 400), gate()
    turned = replace(late, rotation=late.rotation @ Rotation.from_euler("x", 1.0).as_matrix())
    judged.let_through(samples.part(0, 200))
    left_out = len(turned) - len(judged.let_through(turned))
    assert left_out == pytest.approx(PAUSE * 200.0, abs=1)
