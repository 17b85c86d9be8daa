"""Intervals from a force-torque sensor contain the truth, and are no wider than its bounds say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id import (
    PayloadIdError,
    PayloadPrior,
    Status,
    WrenchSamples,
    WrenchUncertainty,
    identify_poses,
    identify_static,
    identify_wrench,
)

from .arms import drawn_payload
from .own_rows import own_hull, own_interval
from .sensors import GRAVITY, Handling, tilted, true_wrench, wrench_rows

PRIOR = PayloadPrior(mass_max=5.0, com_max=0.5)
NOISE = {"force_error": 0.2, "torque_error": 0.01, "force_bias": 0.0, "torque_bias": 0.0,
         "prior": PRIOR}  # fmt: skip
BOUNDS = (  # and by which part of a half-width an end may be farther out than that of own rows
    ({}, 1e-3),
    ({"force_error": (0.1, 0.2, 0.4), "torque_error": (0.03, 0.02, 0.01)}, 1e-3),
    ({"force_bias": 5.0, "torque_bias": (0.5, 0.2, 0.1)}, 1e-3),
    ({"force_gain": 0.02, "torque_gain": (0.01, 0.02, 0.05), "force_bias": 2.0}, 1e-3),
    (
        {"force_bias": 1.0, "torque_bias": 0.1, "force_drift": 0.2, "torque_drift": 0.02,
         "force_gain": 0.1}, 1e-3,
    ),
    ({"force_sigma": 0.5, "torque_sigma": 0.02, "sigma_factor": 3.0}, 1e-3),
    ({"time_error": 0.002}, 0.08),
    ({"gravity_error": 0.02}, 0.06),
    ({"orientation_error": 0.01}, 0.01),
    ({"angular_velocity_error": 0.05}, 0.01),
    ({"angular_acceleration_error": (0.1, 0.2, 0.3), "linear_acceleration_error": 0.05}, 0.01),
    ({"linear_acceleration_sigma": 0.5, "angular_acceleration_sigma": 0.5}, 0.01),
)  # fmt: skip


@pytest.fixture(scope="module")
def phi():
    return drawn_payload(np.random.default_rng(4))


@pytest.fixture(scope="module")
def handling():
    return Handling.drawn(np.random.default_rng(5))


@pytest.fixture(scope="module")
def samples(handling, phi):
    return handling.samples(phi)


def within(found, own: np.ndarray, part: float, said: object, near: float = 5e-3) -> None:
    """Hold ends of intervals against own ones: hardly nearer, farther out by a part at most."""
    half = (own[1] - own[0]) / 2
    out = np.array([(own[0] - found.lower) / half, (found.upper - own[1]) / half])
    assert (out > -near).all() and (out < part + near).all(), (said, out)


def test_each_bound_of_the_sensor_widens_as_much_as_it_must(samples, phi):
    for stated, part in BOUNDS:
        bounds = WrenchUncertainty(**{**NOISE, **stated})
        found = identify_wrench(samples, bounds, intervals="hull_lp", largest_offset=0.0)
        assert found.contains(phi).all() and found.status in (Status.GOOD, Status.TOO_WIDE)
        within(found, own_interval(wrench_rows(samples, bounds), bounds), part, stated,
               near=1e-4 if part < 2e-3 else 1e-2)  # fmt: skip


def test_the_hull_is_the_least_interval_of_a_sensor(samples, phi):
    for stated in ({}, {"force_bias": 3.0, "torque_bias": 0.3, "force_gain": 0.02}):
        bounds = WrenchUncertainty(**{**NOISE, **stated, "force_error": 1.0, "torque_error": 0.1})
        before = identify_wrench(samples, bounds, largest_offset=0.0)
        within(before, own_hull(wrench_rows(samples, bounds), bounds), 0.01, stated)
        for name in ("hull_lp", "least_squares_image"):
            found = identify_wrench(samples, bounds, intervals=name, largest_offset=0.0)
            assert found.contains(phi).all()
            assert (found.lower <= before.lower + 1e-9).all(), name
            assert (found.upper >= before.upper - 1e-9).all(), name
            before = found


# An error at its bound: what is stated, and what the sensor then says, times a size.


def off(samples: WrenchSamples, wrench: np.ndarray) -> WrenchSamples:
    return samples.with_wrench(samples.wrench + wrench)


def moved(name: str, size: np.ndarray):
    def err(samples: WrenchSamples, k: float) -> WrenchSamples:
        turning = np.sign(np.sin(2 * np.pi * samples.stamp / 0.4 + 0.1))[:, None]
        return replace(samples, **{name: getattr(samples, name) + k * size * turning})

    return err


SIX = np.array([1.0, -1.0, 1.0, 0.1, 0.1, -0.1])
ERRORS = (  # and the part of the bound that is not enough
    ({"force_error": 0.3, "torque_error": 0.03},
     lambda s, k: off(s, 0.3 * k * SIX * np.sign(np.sin(15 * s.stamp + 1))[:, None]), 0.9),
    ({"force_bias": 3.0, "torque_bias": 0.3}, lambda s, k: off(s, 3 * k * SIX), 0.95),
    ({"force_gain": 0.04, "torque_gain": 0.04},
     lambda s, k: s.with_wrench(s.wrench * (1 + 0.04 * k * np.sign(SIX))), 0.5),
    ({"force_bias": 0.0, "force_drift": 0.5, "torque_drift": 0.05},
     lambda s, k: off(s, 0.5 * k * SIX * s.stamp[:, None]), 0.95),
    ({"orientation_error": 0.03}, lambda s, k: replace(s, rotation=np.where(
        np.sin(s.stamp * 15 + 1)[:, None, None] > 0, tilted(s, 0.03 * k).rotation,
        tilted(s, -0.03 * k).rotation)), 0.7),
    ({"gravity_error": 0.03}, lambda s, k: tilted(s, 0.03 * k), 0.2),
    ({"linear_acceleration_error": 0.3}, moved("linear_acceleration", np.array([0.3, -0.3, 0.3])),
     0.7),
    ({"angular_acceleration_error": 3.0}, moved("angular_acceleration", np.array([3.0, -3, 3])),
     0.3),
    ({"angular_velocity_error": 0.4}, moved("angular_velocity", np.array([0.4, 0.4, -0.4])), 0.3),
)  # fmt: skip


@pytest.mark.slow
def test_an_error_of_the_sensor_at_its_bound_is_contained_and_beyond_it_is_noticed(samples, phi):
    little = {**NOISE, "force_error": 2e-3, "torque_error": 2e-4}
    for stated, error, short in ERRORS:
        bounds = {
            part: WrenchUncertainty(
                **{**little, **{name: part * value for name, value in stated.items()}}
            )
            for part in (1.0, short)
        }
        found = identify_wrench(error(samples, 0.999), bounds[1.0], largest_offset=0.0)
        assert found.status is not Status.INCONSISTENT, stated
        assert found.contains(phi).all() and found.physically_consistent, stated
        found = identify_wrench(error(samples, 1.0), bounds[short], largest_offset=0.0)
        assert found.status is Status.INCONSISTENT and found.noise_factor > 1.0, stated


def test_noise_that_is_independent_is_covered_by_its_standard_deviation(samples, phi):
    rng, sigma = np.random.default_rng(3), np.array([0.5] * 3 + [0.05] * 3)
    for number in range(4):
        noisy = off(samples, sigma * rng.normal(size=samples.wrench.shape))
        bounds = WrenchUncertainty(
            force_sigma=0.5, torque_sigma=0.05, force_bias=1.0, torque_bias=0.1, prior=PRIOR
        )
        estimator = ("lmi", "entropic", "wls", "manifold")[number]
        found = identify_wrench(noisy, bounds, estimator=estimator)
        assert found.contains(phi).all() and not found.compensated
        assert abs(found.phi - phi)[0] < 0.02 and (abs(found.phi - phi) < found.half_width).all()


# Delay, poses, rests.


def test_a_delay_is_found_and_taken_out_where_the_data_exclude_that_there_is_none(handling, phi):
    bounds = WrenchUncertainty(**{**NOISE, "force_error": 0.05, "torque_error": 5e-3})
    for delay in (0.03, -0.02):
        exact = handling.samples(phi, seconds=3.0, rate=200.0)
        late = np.array([np.interp(exact.stamp - delay, exact.stamp, x) for x in exact.wrench.T])
        keep = (exact.stamp > 0.1) & (exact.stamp < 2.9)
        samples = exact.with_wrench(late.T).where(keep)
        found = identify_wrench(samples, bounds)
        assert abs(found.time_offset.seconds - delay) < 2e-3 and found.compensated
        assert f"{1000 * delay:.0f}"[:2] in found.message or "ms" in found.message
        assert found.contains(phi).all() and found.status is Status.GOOD
        blind = identify_wrench(samples, bounds, largest_offset=0.0)
        assert blind.status is Status.INCONSISTENT and not blind.compensated
    prompt = identify_wrench(exact, bounds)
    assert not prompt.compensated and prompt.contains(phi).all()


def poses(handling: Handling, phi: np.ndarray, count: int) -> WrenchSamples:
    none, stamp = np.zeros((count, 3)), np.arange(float(count))
    rotation = np.array([handling.rotation(x) for x in 0.7 * stamp])
    rest = WrenchSamples(
        stamp, rotation, none, none, none, np.zeros((count, 6)), gravity=tuple(GRAVITY)
    )
    return rest.with_wrench(true_wrench(rest, phi))


def test_poses_tell_mass_and_centre_as_their_rows_do(handling, phi):
    rest = poses(handling, phi, 9)
    for stated in (
        {},
        {"force_bias": 2.0, "torque_bias": 0.2},
        {"force_gain": 0.02, "torque_gain": 0.02},
    ):
        bounds = WrenchUncertainty(**{**NOISE, **stated})
        worst = rest.wrench + np.where(np.arange(6) < 3, 0.18, 0.009) * np.sign(SIX)
        for wrench in (rest.wrench, worst):
            found = identify_poses(rest.rotation, wrench, bounds, intervals="hull_lp")
            factor = np.ones(6) if found.bound_factor is None else found.bound_factor
            noise = factor.reshape(2, 3) * [[NOISE["force_error"]], [NOISE["torque_error"]]]
            force, torque = noise.tolist()
            proved = replace(bounds, force_error=tuple(force), torque_error=tuple(torque))
            own = own_interval(wrench_rows(rest.with_wrench(wrench), proved, None), proved)
            within(found, own, 1e-3, stated, near=1e-4)
            assert (factor.max() > 1.0) == ("larger" in found.message)
            assert found.contains(phi).all() and found.samples == 9
            assert found.identifiable[:4].all() and not found.identifiable[4:].any()
    with pytest.raises(PayloadIdError, match="4 poses"):
        identify_poses(rest.rotation[:3], rest.wrench[:3], bounds)


def test_rests_of_a_recording_tell_mass_and_centre(handling, phi):
    """Six rests of half a second, half a second of motion between them."""
    rest, rate = poses(handling, phi, 6), 200
    every = np.repeat(np.arange(6), rate)
    moving = np.tile(np.arange(rate) >= rate // 2, 6)
    stamp = np.arange(len(every)) / rate
    rates = np.where(moving[:, None], 0.5, 0.0) * np.ones(3)
    wrench = rest.wrench[every] + np.where(moving[:, None], 3.0, 0.0)  # not to be used
    samples = WrenchSamples(
        stamp, rest.rotation[every], rates, 0 * rates, 0 * rates, wrench, gravity=tuple(GRAVITY)
    )
    bounds = WrenchUncertainty(**NOISE)
    found = identify_static(samples, bounds)
    assert found.contains(phi).all() and found.half_width[0] < 0.05
    assert not found.identifiable[4:].any()
    again = identify_poses(rest.rotation, rest.wrench, bounds)
    assert np.allclose(found.half_width[:4], again.half_width[:4], rtol=0.05)
    with pytest.raises(PayloadIdError, match="rests"):
        identify_static(handling.samples(phi), bounds)
