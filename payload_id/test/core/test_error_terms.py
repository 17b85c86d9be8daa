"""Each kind of error alone, at its extreme values, with all others absent: no interval misses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Motion, arm, draw_payload, noise, record
from payload_id.core.arm_model import ArmModel
from payload_id.core.errors import InputError
from payload_id.core.identify import identify
from payload_id.core.inertial import Array
from payload_id.core.samples import Samples
from payload_id.core.uncertainty import Uncertainty

SEEDS = range(4)
KINDS = ("vertices", "correlated")
SIDE = pytest.mark.parametrize("kind", KINDS)


def exact(name: str, seed: int) -> tuple[ArmModel, Samples, Array]:
    """Return an arm, a recording without any error, and its payload."""
    run = record(arm(name), seed)
    return run.model, run.samples, run.phi


def check(model: ArmModel, samples: Samples, phi: Array, uncertainty: Uncertainty) -> None:
    """The intervals contain the truth with the bound, and the bound widens them."""
    estimate = identify(samples, model, uncertainty)
    assert estimate.contains(phi).all(), estimate.message
    assert np.isfinite(estimate.half_width).all()
    without = identify(samples, model, Uncertainty())
    if without.status.value != "INCONSISTENT":
        assert (estimate.half_width > without.half_width).all()


@SIDE
@pytest.mark.parametrize("seed", SEEDS)
def test_stamps(seed: int, kind: str) -> None:
    model, samples, phi = exact("panda", seed)
    jitter = 2e-4
    u = noise(np.random.default_rng(seed), (len(samples), 1), kind)[:, 0]
    wrong = Samples(samples.stamp + jitter * u, samples.q, samples.dq, samples.tau)
    check(model, wrong, phi, Uncertainty(stamp_jitter=jitter))


@pytest.mark.parametrize("name", ["gen3", "ur10"])
@pytest.mark.parametrize("seed", SEEDS)
def test_gravity(seed: int, name: str) -> None:
    model, samples, phi = exact(name, seed)
    error = 0.05
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 3)
    # The arm stands in gravity g; the estimator believes in g + error.
    believed = replace(model, gravity=model.gravity + error * signs)
    check(believed, samples, phi, Uncertainty(gravity_error=error))


@pytest.mark.parametrize("seed", SEEDS)
def test_tool(seed: int) -> None:
    model, samples, _ = exact("xarm7", seed)
    rng = np.random.default_rng(seed)
    bound = np.array([0.05] + [0.003] * 3 + [2e-4] * 6)
    payload = draw_payload(rng)
    error = bound * rng.choice([-1.0, 1.0], 10)
    run = record(model, seed, phi=payload + error)
    check(model, run.samples, payload, Uncertainty(tool=tuple(bound)))


@SIDE
@pytest.mark.parametrize("which", ["position_error", "velocity_error"])
@pytest.mark.parametrize("seed", SEEDS)
def test_encoders(seed: int, which: str, kind: str) -> None:
    model, samples, phi = exact("gen3", seed)
    error = 2e-4 if which == "position_error" else 2e-3
    u = error * noise(np.random.default_rng(seed), samples.q.shape, kind)
    q = samples.q + (u if which == "position_error" else 0.0)
    dq = samples.dq + (u if which == "velocity_error" else 0.0)
    wrong = Samples(samples.stamp, q, dq, samples.tau)
    check(model, wrong, phi, Uncertainty(**{which: error}))


@SIDE
@pytest.mark.parametrize("which", ["torque_relative", "torque_absolute"])
@pytest.mark.parametrize("seed", SEEDS)
def test_torque_noise(seed: int, which: str, kind: str) -> None:
    model, samples, phi = exact("ur10", seed)
    bound = 0.03 if which == "torque_relative" else 0.5
    size = np.abs(samples.tau) if which == "torque_relative" else np.ones_like(samples.tau)
    u = noise(np.random.default_rng(seed), samples.tau.shape, kind)
    wrong = Samples(samples.stamp, samples.q, samples.dq, samples.tau + bound * size * u)
    check(model, wrong, phi, Uncertainty(**{which: bound}))


@SIDE
@pytest.mark.parametrize("seed", range(2))
def test_stiction(seed: int, kind: str) -> None:
    model, rng = arm("ur10"), np.random.default_rng(seed)
    motion = Motion.draw(model, rng, period=20.0)  # slow: near standstill for much of the time
    run = record(model, seed, motion=motion)
    coulomb, threshold = 1.0, 0.05
    dq = run.samples.dq
    assert 0.1 < np.mean(np.abs(dq) < threshold) < 0.9
    # Below the threshold friction may take any value up to its largest.
    sign = np.where(np.abs(dq) > threshold, np.sign(dq), noise(rng, dq.shape, kind))
    sticking = replace(run.samples, tau=run.samples.tau + coulomb * sign)
    bounds = Uncertainty(friction_coulomb=coulomb, stiction_velocity=threshold)
    check(model, sticking, run.phi, bounds)


def test_gaussian_noise_stays_inside_at_least_as_often_as_stated() -> None:
    sigma, coverage, trials = 0.4, 0.8, 20
    model, samples, phi = exact("ur10", 1)
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(trials):
        noisy = samples.tau + sigma * rng.normal(size=samples.tau.shape)
        estimate = identify(
            Samples(samples.stamp, samples.q, samples.dq, noisy),
            model,
            Uncertainty(torque_sigma=sigma, coverage=coverage),
        )
        inside += bool(estimate.contains(phi).all())
    assert inside >= coverage * trials


def test_gaussian_bound_is_far_below_the_hard_one() -> None:
    model, samples, _ = exact("ur10", 1)
    gaussian = identify(samples, model, Uncertainty(torque_sigma=0.1))
    hard = identify(samples, model, Uncertainty(torque_absolute=0.3))
    assert (gaussian.half_width < 0.7 * hard.half_width).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tool": (0.1,)}, "ten bounds"),
        ({"coverage": 1.0}, "below 1"),
        ({"stamp_jitter": -1e-3}, "not negative"),
        ({"torque_sigma": float("nan")}, "finite"),
    ],
)
def test_impossible_bounds_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Uncertainty(**wrong)


def test_torques_of_the_generator_are_those_of_the_model() -> None:
    """The checks above would be empty if the recording did not fit the model."""
    model, samples, phi = exact("ur10", 0)
    estimate = identify(samples, model, Uncertainty())
    assert np.abs(estimate.phi - phi).max() < 1e-4
