"""The enclosure of the joint torques holds, is tight, and is exact where nothing is uncertain."""

from itertools import product

import numpy as np
import pytest

from arms import EVERY_ARM, arm, draw_payload, joint_torques, perturbed_links
from payload_id import Uncertainty
from payload_id.core.errors import InputError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import MotionRanges
from payload_id.core.safety.torque.bilinear_bound import bilinear_bound
from payload_id.core.safety.torque.linear_terms import base_to_tip, body_terms
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.torque.slice_torque_bounds import slice_torque_bounds
from payload_id.core.safety.tube.tracking_tube import TrackingTube

DURATION = 3.0
ARM = Uncertainty(link_relative=0.05, friction_coulomb=0.5, friction_viscous=0.3, rotor_inertia=0.4)


def piece_of(model, rng):
    n = model.n
    start = MotionState(rng.uniform(-1.5, 1.5, n), rng.uniform(-0.4, 0.4, n), rng.uniform(-1, 1, n))
    return BezierPiece(start, rng.uniform(-1.0, 1.0, n), DURATION)


def tube_of(n, rng=None, scale=1.0):
    shares = np.ones((4, n)) if rng is None else rng.uniform(0, 1, (4, n))
    sizes = scale * shares * np.array([[0.01], [0.1], [0.05], [1.0]])
    return TrackingTube(*sizes, "robust", ("A test's.",))


def box_of(model, rng, relative=0.15, uncertainty=ARM):
    phi = draw_payload(rng)
    slack = relative * np.abs(phi) + 0.01 * relative
    return ParameterBox.around(model, (phi - slack, phi + slack), uncertainty)


def at_instant(model, rng, count=4):
    q, dq, ddq = rng.uniform(-2, 2, (3, count, model.n))
    return MotionRanges(np.arange(count + 1.0), q, q, dq, dq, ddq, ddq)


@pytest.mark.parametrize("name", EVERY_ARM)
def test_exact_where_nothing_is_uncertain(name):
    rng = np.random.default_rng(1)
    model, phi = arm(name), draw_payload(rng)
    box = ParameterBox.around(model, (phi, phi), Uncertainty())
    ranges = at_instant(model, rng)
    found = slice_torque_bounds(model, ranges, TrackingTube.exact(model.n), box)
    true = joint_torques(
        model, model.link_phi, phi, ranges.q_lower, ranges.dq_lower, ranges.ddq_lower
    )
    assert (found.lower <= true).all() and (true <= found.upper).all()
    scale = np.abs(true).max()
    assert (found.upper - found.lower).max() < 1e-8 * scale
    assert found.disturbance.max() < 1e-8 * scale


@pytest.mark.parametrize("name", EVERY_ARM)
def test_value_and_slopes_of_the_regressor(name):
    """The value is Pinocchio's inverse dynamics, the slopes are its finite differences."""
    rng = np.random.default_rng(4)
    model, phi = arm(name), draw_payload(rng)
    n, order, links = model.n, base_to_tip(model), perturbed_links(model, rng, 0.1)
    theta = np.vstack([links, phi])
    state = rng.uniform(-2, 2, (3, 2, n))  # joints base to tip

    def torque(parts):
        back = np.argsort(order)
        return joint_torques(model, links, phi, *(part[:, back] for part in parts))[:, order]

    terms = body_terms(model, order, *state)
    value = np.einsum("kbjp,bp->kj", terms.value, theta)
    np.testing.assert_allclose(value, torque(state), atol=1e-10)
    slopes = np.einsum("kbjdp,bp->kjd", terms.slope, theta)
    for direction in range(3 * n):
        step = np.zeros((3, 1, n))
        step[direction // n, 0, direction % n] = 1e-5
        difference = (torque(state + step) - torque(state - step)) / 2e-5
        np.testing.assert_allclose(slopes[:, :, direction], difference, atol=1e-6)


def test_bilinear_bound_holds_and_is_near():
    """Against the exact maximum, from all corners of one box."""
    rng = np.random.default_rng(12)
    p, D = 9, 7
    a, b = rng.normal(size=(40, p)), rng.normal(size=(40, D))
    c = rng.normal(size=(40, D, p)) * rng.choice([0.05, 0.3, 1.0], (40, 1, 1))
    corners = np.array(list(product((-1.0, 1.0), repeat=p)))
    exact = (a @ corners.T + np.abs(b[:, :, None] + c @ corners.T).sum(axis=1)).max(axis=1)
    found = bilinear_bound(a, b, c)
    assert (exact <= found).all()
    whole = bilinear_bound(a, b, c, splits=0)
    assert (found <= whole).all() and (whole / exact).mean() < 1.3
    excess = (found - exact).mean() / (whole - exact).mean()
    assert excess < 0.7, "splitting closes part of the relaxation's gap"
    for least, most in ((0.95, np.inf), (1.2, np.inf), (-np.inf, 0.9)):  # what need not be close
        ends = least * found, most * exact
        rough = bilinear_bound(a, b, c, enough=ends[0], hopeless=ends[1])
        assert (exact <= rough).all() and ((rough <= ends[0]) >= (found <= ends[0])).all()
        assert np.array_equal(rough <= ends[1], found <= ends[1])


def test_ranges_of_parts_tell_the_torque_within_a_slice():
    """Known parameters: the width comes nearer to what the torque changes by."""
    rng = np.random.default_rng(14)
    model, phi = arm("gen3"), draw_payload(rng)
    piece, slices, tube = piece_of(model, rng), 60, TrackingTube.exact(7)
    box = ParameterBox.around(model, (phi, phi), Uncertainty())
    excess = []
    for parts in (1, 16):
        ranges = piece.ranges(np.linspace(0.0, DURATION, slices * parts + 1))
        found = slice_torque_bounds(model, ranges, tube, box, parts)
        times = np.linspace(0.0, DURATION, 20 * slices, endpoint=False)
        at = piece.at(times)
        true = joint_torques(model, model.link_phi, phi, at.q, at.dq, at.ddq)
        true = true.reshape(slices, 20, 7)
        assert (found.lower <= true.min(axis=1)).all() and (true.max(axis=1) <= found.upper).all()
        excess.append((found.upper - found.lower - np.ptp(true, axis=1)).mean())
    assert excess[1] < 0.5 * excess[0]


def test_what_does_not_fit_together_is_refused_by_name():
    rng, gen3, ur10 = np.random.default_rng(10), arm("gen3"), arm("ur10")
    box, other, at = box_of(gen3, rng), box_of(ur10, rng), at_instant(gen3, rng)
    phi = np.array([1.0] + [0.0] * 3 + [0.01, 0.0, 0.0, 0.01, 0.0, 0.01])
    first = np.eye(10)[0]
    for call, words in (
        (lambda: slice_torque_bounds(gen3, at, tube_of(7), box, 3), "groups of 3"),
        (lambda: slice_torque_bounds(gen3, at, tube_of(6), box), "tube is of 6 joints"),
        (lambda: slice_torque_bounds(gen3, at, tube_of(7), other), "box is of 6 joints"),
        (lambda: ParameterBox.around(gen3, (phi + first, phi), ARM), "inverted"),
        (lambda: ParameterBox.around(gen3, (phi + np.nan * first, phi), ARM), "nan"),
    ):
        with pytest.raises(InputError, match=words):
            call()
