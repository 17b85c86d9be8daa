"""Estimates are physically consistent, exact where nothing errs, and near the truth elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id import (
    Enough,
    OnlineIdentifier,
    PayloadPrior,
    Settings,
    Status,
    Uncertainty,
    WrenchUncertainty,
    identify,
    identify_wrench,
)

from .arms import drawn_payload
from .errors import Run, everything
from .own_rows import inside, own_rows
from .sensors import Handling
from .sliding_arm import sliding_arm

PRIOR = PayloadPrior(mass_max=5.0, com_max=0.5)
FREE = ("ols", "wls", "rtls")
CONSISTENT = ("lmi", "entropic", "log_cholesky", "manifold")
SHARE = np.array([1.0, *[0.1] * 3, *[0.02] * 6])  # of a kilogram's parameters


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return sliding_arm(tmp_path_factory.mktemp("arm"))


def drawn(arm, seed: int, seconds: float = 1.52, rate: float = 500.0) -> Run:
    rng = np.random.default_rng(seed)
    return Run.drawn(arm, rng, drawn_payload(rng), seconds=seconds, rate=rate, size=0.5)


def is_body(phi: np.ndarray) -> bool:
    """Whether some distribution of mass has these parameters, by its second moments."""
    (a, b, c), (d, e), f = phi[4:7], phi[7:9], phi[9]
    inertia = np.array([[a, b, c], [b, d, e], [c, e, f]])
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = phi[1:4]
    J[3, 3] = phi[0]
    return bool(np.linalg.eigvalsh(J)[0] > -1e-9)


def test_every_estimator_is_exact_where_nothing_errs(arm):
    """All but for what trapezoids leave of a motion at 500 Hz."""
    run = drawn(arm, 1)
    for name in (*FREE, *CONSISTENT):
        found = identify(run.shown(), arm.robot, Uncertainty(prior=PRIOR), estimator=name)
        assert found.estimator == name and found.status is Status.GOOD
        assert (abs(found.phi - run.phi) < 2e-4 * SHARE).all(), (name, found.phi - run.phi)
        assert found.contains(run.phi).all() and found.residual_rms < 1e-3, name
        assert found.physically_consistent and is_body(found.phi)
    handled = Handling.drawn(np.random.default_rng(1)).samples(run.phi)
    exact = WrenchUncertainty(force_bias=1.0, torque_bias=0.1, prior=PRIOR)
    for name in (*FREE, *CONSISTENT):
        found = identify_wrench(handled, exact, estimator=name, largest_offset=0.0)
        assert (abs(found.phi - run.phi) < 1e-5 * SHARE).all(), (name, found.phi - run.phi)


def test_a_run_with_a_known_payload_tells_the_offsets_of_the_next(arm):
    first, second = drawn(arm, 8), drawn(arm, 9, seconds=0.3)
    offset = np.linspace(-0.4, 0.4, arm.n)
    bounds = Uncertainty(torque_absolute=0.01, torque_offset=0.5, prior=PRIOR)
    error = []
    for known in (False, True):
        online = OnlineIdentifier(arm.robot, Settings(bounds))
        if known:
            online.add(first.shown(first.tau + offset))
            online.tare(first.phi)
        online.add(second.shown(second.tau + offset))
        found = online.update()
        error.append(abs(found.phi - second.phi) / SHARE)
        assert found.contains(second.phi).all()
    assert error[1].max() < 0.1 * error[0].max(), error


@pytest.mark.slow
def test_confidence_holds_as_often_as_it_says_where_noise_lasts_too(arm):
    bounds = Uncertainty(torque_absolute=3.0, torque_offset=0.2, link_relative=0.02, prior=PRIOR)
    for lasting in (0.0, 0.96):
        inside, part = [], []
        for seed in range(8):
            rng = np.random.default_rng(seed)
            run = Run.drawn(arm, rng, drawn_payload(rng), seconds=6.0, rate=125.0)
            noise = rng.normal(size=run.tau.shape)
            for k in range(1, len(noise)):
                noise[k] = lasting * noise[k - 1] + np.sqrt(1 - lasting**2) * noise[k]
            found = identify(run.shown(run.tau + 0.2 * noise), arm.robot, bounds)
            told = found.confidence
            inside.append((told.lower <= run.phi) & (run.phi <= told.upper))
            part.append(told.half_width[0] / found.half_width[0])
        assert np.mean(inside) >= 0.93 and np.median(part) < 0.25, (np.mean(inside, 0), part)


def test_good_is_what_is_known_as_near_as_it_must_be(arm):
    run = drawn(arm, 3)
    recording, bounds = run.shown(), Uncertainty(torque_absolute=0.05, prior=PRIOR)
    half = identify(recording, arm.robot, bounds, enough=Enough(0.0, 0.0, 0.0)).headline.half_width
    assert half[0] > 0.0 and half[1:].min() < 0.8 * half[1:].max()
    for k, size in enumerate((half[0], half[1:].max())):
        for times, status in ((1.01, Status.GOOD), (0.99, Status.TOO_WIDE)):
            asked = [0.0, 0.1, 9.0]
            asked[1 + k] = times * size
            found = identify(recording, arm.robot, bounds, enough=Enough(*asked))
            assert found.status is status, (asked, half)


def test_least_squares_is_that_of_the_rows(arm):
    """Rows as they are, links in the middle: the normal equations of own rows."""
    run = drawn(arm, 2)
    rng = np.random.default_rng(2)
    bounds = Uncertainty(torque_absolute=0.3, link_relative=0.05, prior=PRIOR)
    recording = run.shown(run.tau + rng.uniform(-0.3, 0.3, run.tau.shape))
    rows = own_rows(arm, recording, bounds)
    own = np.linalg.lstsq(rows.A, rows.b, rcond=None)[0]
    found = identify(recording, arm.robot, bounds, estimator="ols", intervals="sensitivity")
    size = abs(own - run.phi)
    assert (abs(found.phi - own) < 0.02 * size + 1e-5).all(), (found.phi, own)
    left = (rows.A @ found.phi - rows.b) / 0.1
    assert found.residual_rms < 1.05 * np.sqrt(np.mean(left**2))
    assert abs(found.condition_number / np.linalg.cond(rows.A) - 1) < 0.05 or (
        found.condition_number > 1
    )


def test_weighted_estimates_agree_and_keep_the_rows(arm):
    """Three ways of one problem give one answer, which explains the data within their bounds."""
    run = drawn(arm, 3)
    rng = np.random.default_rng(3)
    bounds = Uncertainty(
        torque_absolute=(0.3, 0.1, 0.05, 0.02), torque_gain=0.02, link_relative=0.03, prior=PRIOR
    )
    size = np.asarray(bounds.torque_absolute)
    recording = run.shown(run.tau + size * rng.uniform(-1, 1, run.tau.shape))
    rows = own_rows(arm, recording, bounds)
    found = {
        name: identify(recording, arm.robot, bounds, estimator=name)
        for name in (*FREE, *CONSISTENT)
    }
    for name, estimate in found.items():
        assert inside(rows, estimate.phi), name
        assert estimate.contains(estimate.phi).all(), name
        free = name in FREE
        assert free or (estimate.physically_consistent and is_body(estimate.phi)), name
        assert (estimate.lower == found["lmi"].lower).all(), name  # do not depend on it
    for name in ("log_cholesky", "manifold"):
        gap = abs(found[name].phi - found["lmi"].phi) / found["lmi"].half_width
        assert (gap < 0.02).all(), (name, gap)
    for name in (*CONSISTENT, "wls", "rtls"):
        gap = abs(found[name].phi - run.phi) / found["lmi"].half_width
        assert (gap < 0.35).all(), (name, gap)


def test_estimates_are_much_nearer_than_intervals_reach(arm):
    """Drawn errors of every kind: the root mean square is a small part of the half-widths."""
    bounds = Uncertainty(
        torque_absolute=0.1, torque_gain=0.03, torque_offset=0.1, link_relative=0.03,
        friction_coulomb=0.1, prior=PRIOR,
    )  # fmt: skip
    parts = {name: [] for name in ("lmi", "wls", "entropic")}
    for seed in range(6):
        run = drawn(arm, 10 + seed, rate=250.0)
        recording = everything(run, bounds, np.random.default_rng(seed))
        for name, found in parts.items():
            estimate = identify(recording, arm.robot, bounds, estimator=name)
            assert estimate.contains(run.phi).all()
            found.append((estimate.phi - run.phi)[:4] / estimate.half_width[:4])
    for name, found in parts.items():
        assert np.sqrt(np.mean(np.square(found))) < 0.2, (name, np.round(found, 2))


def test_more_data_make_estimates_better_and_a_stated_gain_does_not_draw_them_to_zero(arm):
    """Noise that is new at every sample, gains that may be off by a tenth: docs/proofs.md."""
    bounds = Uncertainty(torque_absolute=1.0, torque_gain=0.1, link_relative=0.02, prior=PRIOR)
    errors = {}
    for seconds in (1.02, 8.02):
        for seed in range(3):
            run = drawn(arm, 30 + seed, seconds, rate=250.0)
            rng = np.random.default_rng(seed)
            recording = run.shown(run.tau + rng.uniform(-1, 1, run.tau.shape))
            online = OnlineIdentifier(arm.robot, Settings(bounds, intervals="least_squares_image"))
            online.add(recording)
            found = online.update()
            errors.setdefault(seconds, []).append(found.phi[0] / run.phi[0] - 1)
    assert np.abs(errors[8.02]).max() < 0.06 and abs(np.mean(errors[8.02])) < 0.04, errors
    assert np.abs(errors[8.02]).mean() < np.abs(errors[1.02]).mean(), errors


def test_residuals_are_of_the_size_of_the_noise(arm):
    run = drawn(arm, 5)
    rng = np.random.default_rng(5)
    bounds = Uncertainty(torque_absolute=0.2, prior=PRIOR)
    found = identify(run.shown(run.tau + rng.uniform(-0.2, 0.2, run.tau.shape)), arm.robot, bounds)
    expected = 0.2 / np.sqrt(3) / np.sqrt(50)  # of a mean over a window of 50 samples
    assert 0.7 * expected < found.residual_rms < 1.3 * expected
