"""Bounds on the noise from runs with known payloads: consistent with them, and ranked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import arm, record
from payload_id.core.calibration.noise_needed import noise_needed
from payload_id.core.calibration.noise_of_runs import NoiseOfRuns, noise_of_runs
from payload_id.core.errors import InputError
from payload_id.core.history import Load
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

LENGTHS = (0.2, 0.5)
REFERENCE = Uncertainty(torque_absolute=1.0)


def noisy(seed: int):
    """Return samples of a run with noise of several frequencies, and its payload."""
    run = record(arm("gen3"), seed, rate=100.0, seconds=3.0)
    rng, t = np.random.default_rng(seed), run.samples.stamp[:, None]
    waves = [np.sin(f * t + rng.uniform(0, 6, run.model.n)) for f in (5.0, 17.0)]
    tau = run.samples.tau + rng.uniform(0.2, 1.0) * np.sum(waves, axis=0)
    return replace(run.samples, tau=tau), run.phi, run.model


@pytest.fixture(scope="module")
def runs():
    return [noisy(seed) for seed in range(4)]


@pytest.mark.slow
def test_factors_are_those_that_each_run_needs_and_less_where_less_is_known(runs):
    model = runs[0][2]
    whole = [(samples, Load.exactly(phi)) for samples, phi, _ in runs]
    exact = noise_of_runs(whole, model, REFERENCE, LENGTHS, 0.5)
    mass = noise_of_runs(
        [(samples, Load.of_mass(phi[0])) for samples, phi, _ in runs],
        model,
        REFERENCE,
        LENGTHS,
        0.5,
    )
    for k, (samples, phi, _) in enumerate(runs):
        alone = noise_needed([samples], model, REFERENCE, LENGTHS, phi)
        np.testing.assert_allclose(exact.factors[k], [each.factor for each in alone], rtol=1e-9)
        free = noise_needed([samples], model, REFERENCE, LENGTHS)
        assert (mass.factors[k] <= exact.factors[k] + 1e-9).all()
        assert (mass.factors[k] >= np.array([each.factor for each in free]) - 1e-6).all()


def test_ranks_hold_as_stated_for_exchangeable_runs():
    # Factors of any distribution, alike among runs: all bounds hold together at least so often.
    rng, held = np.random.default_rng(5), []
    for _ in range(3000):
        common = rng.pareto(1.2, size=(21, 1)) + 0.1
        factors = common * rng.lognormal(0.0, 0.5, size=(21, 3)) * [1.0, 0.4, 0.1]
        found = NoiseOfRuns(np.array([0.1, 0.5, 1.0]), np.ones(7), factors[:20], 0.9)
        held.append((factors[20] <= found.bounds).all())
    # 19 ranked runs: 18 of 20 ranks. Four standard deviations of the count.
    assert abs(np.mean(held) - 0.9) < 4.0 * np.sqrt(0.9 * 0.1 / len(held))


def test_too_few_runs_give_no_bound(runs):
    factors = np.ones((19, 2))
    found = NoiseOfRuns(np.array(LENGTHS), np.ones(7), factors, 0.95)
    assert found.missing == 1
    assert np.isinf(found.bounds).all()
    one = NoiseOfRuns(np.array([0.2]), np.ones(7), factors[:, :1], 0.95)
    assert one.missing == 0
    np.testing.assert_allclose(one.bounds, 1.0)


def test_what_is_no_level_is_refused(runs):
    samples, phi, model = runs[0]
    for level in (0.0, 1.0, 95.0):
        with pytest.raises(InputError, match="level"):
            noise_of_runs([(samples, Load.exactly(phi))], model, REFERENCE, LENGTHS, level)
    with pytest.raises(InputError, match="at least one run"):
        noise_of_runs([], model, REFERENCE, LENGTHS)
