"""Integrals of what bends and jumps between samples: nothing leaves the bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import arm, draw_payload, joint_torques
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.quadrature import (
    end_correction,
    end_samples,
    rough_part,
    trapezoid_weights,
)
from payload_id.core.samples.joint_samples import Samples

SIZES = st.floats(-10.0, 10.0)
# A jump, and a bend beside it, in parts of it per step, that does not hide it; or a bend alone.
BESIDE = st.tuples(SIZES, st.floats(-0.2, 0.2)).map(lambda drawn: (drawn[0], drawn[0] * drawn[1]))
ALONE = SIZES.map(lambda bend: (0.0, bend))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    count=st.integers(5, 60),
    place=st.floats(0.0, 1.0),
    sizes=BESIDE | ALONE,
    slope=SIZES,
    uneven=st.floats(0.0, 0.3),
    seed=st.integers(0, 99),
)
def test_a_bend_and_a_jump_anywhere(count, place, sizes, slope, uneven, seed) -> None:
    jump, bend = sizes
    steps = 1.0 + uneven * np.random.default_rng(seed).uniform(-1.0, 1.0, count - 1)
    t = np.concatenate([[0.0], np.cumsum(0.01 * steps)])
    after = np.maximum(0.0, t - place * t[-1])
    f = 1.0 + slope * t + (after > 0.0) * jump + bend / 0.01 * after
    p = t + slope * t**2 / 2 + jump * after + bend / 0.01 * after**2 / 2
    left = trapezoid_weights(t) @ f - (p[-1] - p[0])
    correction, bound = (x[0] for x in end_correction(t, p[end_samples(count), None]))
    rough = rough_part(t, f[:, None], np.zeros((count, 1)))[0]
    assert abs(left - correction) <= (bound + rough) * (1.0 + 1e-9) + 1e-12


@pytest.mark.parametrize("error", [0.0, 0.3])
def test_smooth_torques_and_stated_errors_cost_next_to_nothing(error: float) -> None:
    t = np.arange(1001) / 1000.0
    f = np.stack([30.0 * np.sin(2 * np.pi * hertz * t) for hertz in (0.5, 2.0, 8.0)], axis=1)
    seen = f + error * np.random.default_rng(0).choice([-1.0, 1.0], f.shape)
    assert rough_part(t, seen, np.full(f.shape, error)).max() < 2e-5


# What jumps: the acceleration, or its derivative.
@pytest.mark.parametrize(
    ("path", "rate"),
    [([0.0, 0.0, 3.0, -2.0], 500), ([0.0, 0.0, 0.0, 10.0, -15.0, 6.0], 100)],
)
def test_motions_that_begin_and_end_between_samples(path: list[float], rate: int) -> None:
    random, model = np.random.default_rng(rate), arm("panda")
    phi, t, way = draw_payload(random), np.arange(4 * rate) / rate, np.polynomial.Polynomial(path)
    q, dq, ddq = (np.tile(random.uniform(-1.0, 1.0, 7), (len(t), 1)), *np.zeros((2, len(t), 7)))
    for _ in range(6):
        begin, length = random.uniform(0.0, 3.0), random.uniform(0.3, 0.9)
        x = np.clip((t - begin) / length, 0.0, 1.0)[:, None]
        far, inside = random.uniform(-0.4, 0.4, model.n), (x > 0.0) & (x < 1.0)
        q = q + far * way(x)
        dq = dq + far / length * way.deriv()(x) * inside
        ddq = ddq + far / length**2 * way.deriv(2)(x) * inside
    tau = joint_torques(model, model.link_phi, phi, q, dq, ddq)
    estimate = identify(Samples(t, q, dq, tau), model, Uncertainty(), window=0.1)
    assert estimate.status is not Status.INCONSISTENT, estimate.message
    assert estimate.contains(phi).all() and estimate.half_width[0] < 0.1
