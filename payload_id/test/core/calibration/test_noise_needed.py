"""The noise that recordings need: what was put in, where nothing else can explain it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arms import Run, arm, record
from payload_id.core.arrays import Array
from payload_id.core.calibration.noise_needed import noise_needed
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from scaled_noise import largest_hat_mean, largest_mean

LENGTHS = (0.2, 0.5)
REFERENCE = Uncertainty(torque_absolute=1.0)


def noisy(name: str, seed: int) -> tuple[Run, Array]:
    """Return a run with noise of several frequencies, of another size at every joint, and it."""
    run = record(arm(name), seed, rate=250.0, seconds=3.0)
    rng, t = np.random.default_rng(seed), run.samples.stamp[:, None]
    size = np.linspace(0.2, 1.0, run.model.n)
    waves = [np.sin(f * t + rng.uniform(0, 6, run.model.n)) for f in (5.0, 17.0, 61.0)]
    error = size * np.sum(waves, axis=0)
    return replace(run, samples=replace(run.samples, tau=run.samples.tau + error)), error


@pytest.mark.slow
@pytest.mark.parametrize("hat", [False, True], ids=["box", "hat"])
@pytest.mark.parametrize("name", ["gen3", "branched"])
def test_it_is_the_noise_itself_where_all_else_is_known(name: str, hat: bool) -> None:
    run, error = noisy(name, 1)
    found = noise_needed([run.samples], run.model, REFERENCE, LENGTHS, run.phi, hat)
    assert [each.length for each in found] == list(LENGTHS)
    for each in found:
        largest = (largest_hat_mean if hat else largest_mean)(run.samples.stamp, error, each.length)
        assert (each.absolute <= largest + 1e-3).all()
        assert (each.absolute >= 0.85 * largest).all()  # windows begin at every fourth part only
        assert each.factor == pytest.approx(each.absolute.max(), rel=1e-6)
        assert each.without == () and np.isnan(each.margin)


def test_what_is_free_explains_some_of_it_and_never_more_is_needed() -> None:
    run, error = noisy("gen3", 2)
    wide = replace(REFERENCE, link_relative=0.1, torque_offset=1.0)
    known = noise_needed([run.samples], run.model, REFERENCE, LENGTHS, run.phi)
    free = noise_needed([run.samples], run.model, wide, LENGTHS)
    for one, other in zip(known, free, strict=True):
        assert other.factor <= one.factor + 1e-9
        assert other.factor <= largest_mean(run.samples.stamp, error, one.length).max()


@pytest.mark.slow
def test_more_recordings_need_more_and_are_consistent_with_it() -> None:
    runs = [noisy("gen3", 3)[0], noisy("gen3", 3)[0]]
    runs[1] = replace(runs[1], samples=replace(runs[1].samples, stamp=runs[0].samples.stamp + 50))
    phi, wide = runs[0].phi, replace(REFERENCE, torque_offset=1.0)
    both = [run.samples for run in runs]
    both[1] = replace(both[1], tau=record(arm("gen3"), 3, seconds=3.0).samples.tau + 0.3)
    for each in noise_needed(both, runs[0].model, wide, LENGTHS, phi):
        assert each.factor >= max(each.alone) - 1e-9
        assert each.factor >= max(each.without) - 1e-9
        assert each.margin >= 1.0
        stated = replace(
            wide,
            torque_absolute=100.0,
            torque_mean_window=(each.length,),
            torque_mean=(1.05 * each.factor,),
        )
        joined = both[0].joined(both[1])
        assert identify(joined, runs[0].model, stated).contains(phi).all()
        less = replace(stated, torque_mean=(0.2 * min(each.alone),))
        assert identify(joined, runs[0].model, less).status is Status.INCONSISTENT


def test_rest_tells_the_noise_but_for_its_mean() -> None:
    run = record(arm("gen3"), 4, seconds=3.0)
    rng = np.random.default_rng(4)
    error = np.cumsum(rng.normal(size=run.samples.tau.shape), axis=0) * 0.01
    error -= (error.max(axis=0) + error.min(axis=0)) / 2
    still = np.repeat(run.samples.q[:1], len(run.samples), axis=0)
    at_rest = replace(
        run.samples,
        q=still,
        dq=0 * still,
        tau=np.repeat(run.samples.tau[:1], len(still), axis=0) + error,
    )
    stated = replace(REFERENCE, torque_offset=100.0)
    (found,) = noise_needed([at_rest], run.model, stated, [0.5])
    largest = largest_mean(at_rest.stamp, error, 0.5)
    assert (found.absolute <= largest + 1e-3).all()
    assert (found.absolute >= 0.5 * largest).all()


def test_what_cannot_be_measured_is_refused() -> None:
    run = record(arm("pendulum"), 5, seconds=0.3)
    with pytest.raises(InputError, match="at least one length"):
        noise_needed([run.samples], run.model, REFERENCE, [])
    with pytest.raises(RecordingError, match="no window of 0.5 s"):
        noise_needed([run.samples], run.model, REFERENCE, [0.2, 0.5])
