"""Joints that shake in phase, at rest or fastest whenever a window is looked at in equal steps."""

from __future__ import annotations

import numpy as np
import pytest

from arms import Motion
from erring_arm import arm_named, erring_run
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.scales import Scales
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import cell_ends, fastest

Q, ZERO = Uncertainty(position_error=1e-3), Uncertainty(joint_zero=2e-3)
V = [Uncertainty(velocity_error=e) for e in (1e-6, 0.01, 0.05)]  # with hats
LOAD = Uncertainty(friction_load=0.2, rotor_inertia=0.3, torque_absolute=0.05)
CASES = (  # arm, what is stated, frequency [Hz], size [rad], rate [Hz], window [s], other lengths
    ("flat", Q, 4.0, 0.03, 500.0, 1.0, ()),  # a velocity that is zero at every eighth of a second
    ("gen3", Q, 4.0, 0.03, 500.0, 1.0, (0.05, 0.1)),
    ("ur10", Q, 4.0, 0.03, 500.0, 1.0, ()),
    ("flat", ZERO, 4.0, 0.03, 500.0, 1.0, ()),
    *(("ur10", v, 8.0, 0.03, 100.0, 1.0, ()) for v in V[:2]),
    *(("ur10", v, 40.0, 5e-3, 500.0, 1.0, ()) for v in V[:2]),
    ("ur10", V[2], 80.0, 2e-3, 1000.0, 0.2, ()),
    ("ur10", V[2], 160.0, 5e-4, 1000.0, 0.2, ()),
    ("flat", LOAD, 20.0, 3e-3, 1000.0, 0.1, ()),
    ("flat", LOAD, 40.0, 1e-4, 1000.0, 0.1, ()),
    ("flat", LOAD, 4.0, 0.02, 1000.0, 1.0, ()),
)


def shaking(n: int, hertz: float, size: float, phase: float, second: float) -> Motion:
    """Return joints that shake in phase, with a second harmonic as large as that part."""
    rng = np.random.default_rng(1)
    wave = rng.choice([-size, size], n) * np.array([[1.0], [second]])
    sine, cosine = ([np.sin(phase), np.sin(phase)], [np.cos(phase), np.cos(phase)])
    if second:
        sine, cosine = [0.0, sine[1]], [1.0, cosine[1]]
    turn = (np.array(part)[:, None] * wave for part in (sine, cosine))
    return Motion(rng.uniform(-0.8, 0.8, n), *turn, 2.0 * np.pi * hertz)


@pytest.mark.parametrize("phase", [0.0, 0.8, np.pi / 2])
def test_no_row_misses_the_truth_whatever_errs_with_the_motion(phase: float) -> None:
    for name, stated, hertz, size, rate, window, scales in CASES:
        # Friction that grows with the load has a mean with the second harmonic.
        motion = shaking(arm_named(name).n, hertz, size, phase, 0.4 * (stated is LOAD))
        for seed in range(4):
            run = erring_run(name, stated, seed, kind="with the motion", rate=rate, seconds=window,
                             motion=motion)  # fmt: skip
            source = MomentumRows.of(run.model, stated)
            assert source.takes_hat(run.samples) or stated not in V[:2]
            assert run.used(Scales(source, window, scales).block(run.samples)) <= 1.0


def test_the_fastest_sample_of_each_cell_is_found() -> None:
    t = np.arange(81) / 80.0
    ends = cell_ends(len(t), 8)
    np.testing.assert_array_equal(ends, np.arange(0, 81, 10))
    dq = np.sin(8.0 * np.pi * t)[:, None] * [1.0, 3.0]  # at rest at all ends
    np.testing.assert_array_equal(fastest(dq, ends), ends[:-1] + 5)
    assert len(fastest(np.zeros((3, 2)), cell_ends(3, 8))) == 2
