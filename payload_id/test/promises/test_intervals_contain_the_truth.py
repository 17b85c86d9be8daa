"""Intervals contain the truth whenever the stated bounds hold, and are no wider than these say."""

from __future__ import annotations

import re

import numpy as np
import pytest

from payload_id import (
    OnlineIdentifier,
    PayloadIdError,
    PayloadPrior,
    Settings,
    Status,
    Uncertainty,
    identify,
)

from . import errors
from .arms import drawn_payload
from .errors import Run
from .own_rows import own_factor, own_interval, own_rows
from .sliding_arm import sliding_arm

PRIOR = PayloadPrior(mass_max=5.0, com_max=0.5)
NOISE = 0.02  # [N m] of a sample, stated beside the bound that is looked at


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return sliding_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def run(arm):
    """Almost a second at 1 kHz: what integrals over samples leave out is a thousandth."""
    rng = np.random.default_rng(3)
    return Run.drawn(arm, rng, drawn_payload(rng), seconds=0.92, rate=1000.0, size=0.5)


# What each bound is worth: rows and intervals of the product against own ones.

SENSORS = (
    ({}, 1.01),
    ({"torque_relative": 0.05}, 1.01),
    (
        {"torque_relative": (0.01, 0.02, 0.03, 0.04), "torque_absolute": (0.1, 0.2, 0.02, 0.01)},
        1.01,
    ),
    ({"torque_gain": 0.05, "torque_relative": 0.02}, 1.01),
    ({"torque_gain": (0.1, 0.0, 0.02, 0.05)}, 1.01),
    ({"torque_offset": 0.3, "torque_relative": 0.1}, 1.01),
    ({"torque_offset": (0.0, 0.3, 0.1, 0.2), "torque_gain": 0.2}, 1.01),
    ({"torque_sigma": 0.02}, 1.01),
    ({"torque_drift": 0.1, "torque_gain": 0.1}, 1.01),
    ({"torque_delay": 5e-4, "torque_absolute": 0.002}, 1.3),
)
ARM = (
    ({"link_relative": 0.05}, 1.01),
    ({"link_relative": 0.05, "link_shift": 0.01}, 1.02),
    ({"tool": tuple(0.3 * errors.TOOL)}, 1.01),
    ({"gravity_error": 0.1, "link_relative": 0.05}, 1.02),
    ({"rotor_inertia": (0.1, 0.2, 0.05, 0.3)}, 1.01),
)
FRICTION = (
    ({"friction_coulomb": 0.4}, 1.06),
    ({"friction_viscous": (0.4, 0.1, 0.2, 0.3)}, 1.01),
    ({"friction_coulomb": 0.4, "friction_coulomb_asymmetry": 0.3}, 1.04),
    ({"friction_viscous": 0.4, "friction_viscous_asymmetry": 0.3}, 1.01),
    ({"torque_ripple": 0.2, "ripple_cycles": 4.0}, 1.01),
)
MOTION = (  # and by how much the bound would have to be larger for own rows to be wider
    ({"position_error": 0.001}, 1.5),
    ({"position_error": (0.0, 0.002, 0.001, 0.0)}, 1.5),
    ({"velocity_error": 0.005, "position_error": 0.01}, 1.6),
    ({"velocity_error": 0.005, "position_error": 0.01, "friction_viscous": 3.0}, 1.6),
    ({"velocity_error": 0.005, "position_error": 0.01, "rotor_inertia": 1.0}, 1.6),
    ({"joint_zero": 0.005, "link_relative": 0.05}, 1.05),
    ({"joint_zero": (0.003, 0.0, 0.01, 0.0)}, 1.1),
    ({"stamp_jitter": 1e-4}, 1.3),
)


def is_worth(run: Run, bounds: tuple[tuple[dict, float], ...], larger: bool = False) -> None:
    """Hold intervals against own ones: never narrower, wider by a factor at most.

    Or no wider than own ones of bounds that are larger by a factor.
    """
    recording = run.shown()
    for stated, factor in bounds:
        assumed = Uncertainty(**{"torque_absolute": NOISE, "prior": PRIOR, **stated})
        own = own_interval(own_rows(run.arm, recording, assumed), assumed)
        found = identify(recording, run.arm.robot, assumed, intervals="hull_lp")
        half = (own[1] - own[0]) / 2
        assert found.contains(run.phi).all(), stated
        assert (found.lower <= own[0] + 1e-4 * half).all(), (stated, (found.lower - own[0]) / half)
        assert (found.upper >= own[1] - 1e-4 * half).all(), (stated, (found.upper - own[1]) / half)
        if larger:
            more = {name: tuple(factor * np.ravel(x)) for name, x in stated.items()}
            more = Uncertainty(
                **{
                    **assumed.to_dict(),
                    "prior": PRIOR,
                    **{name: x if len(x) > 1 else x[0] for name, x in more.items()},
                }
            )
            most = own_interval(own_rows(run.arm, recording, more), more)
            assert (found.lower >= most[0]).all(), (stated, (found.lower - own[0]) / half)
            assert (found.upper <= most[1]).all(), (stated, (found.upper - own[1]) / half)
        else:
            assert (found.half_width <= factor * half + 1e-9).all(), (
                stated,
                found.half_width / half,
            )
        assert abs(found.phi - run.phi)[0] < half[0] / 2 + 1e-3


def test_bounds_of_the_sensors_widen_as_much_as_they_must(run):
    is_worth(run, SENSORS)


def test_bounds_of_the_arm_widen_as_much_as_they_must(run):
    is_worth(run, ARM)


def test_bounds_of_friction_widen_as_much_as_they_must(run):
    is_worth(run, FRICTION)


def test_bounds_of_the_motion_widen_as_much_as_they_must(run):
    is_worth(run, MOTION, larger=True)


# An error at its bound, alone. `enough`: the part of the bound that covers it already.

EXACT = (  # error, size, what states it, enough
    (errors.relative, 0.03, lambda s: {"torque_relative": s}, 0.95),
    (errors.absolute, 0.1, lambda s: {"torque_absolute": s + 1e-3}, 0.95),
    (errors.gain, 0.03, lambda s: {"torque_gain": s}, 0.98),
    (errors.offset, 0.3, lambda s: {"torque_offset": s}, 0.98),
    (errors.drift, 0.3, lambda s: {"torque_drift": s}, 0.85),
    (errors.delay, 0.002, lambda s: {"torque_delay": s}, 0.95),
    (
        errors.mean, 0.05,
        lambda s: {"torque_absolute": 0.5 + 1e-3, "torque_mean": (s + 1e-3, 2 * s + 1e-3),
                   "torque_mean_window": (errors.MEAN_LENGTH, 0.2)}, 0.9,
    ),
)  # fmt: skip
OF_THE_ARM = (
    (errors.links, 0.05, lambda s: {"link_relative": s}, 0.98),
    (errors.link_shift, 0.01, lambda s: {"link_shift": s}, 0.95),
    (errors.rotor, 0.05, lambda s: {"rotor_inertia": s}, 0.98),
    (errors.gravity, 0.1, lambda s: {"gravity_error": s}, 0.7),
    (errors.tool, 1.0, lambda s: {"tool": tuple(s * errors.TOOL)}, 0.98),
)
OF_FRICTION = (
    (errors.coulomb, 0.3, lambda s: {"friction_coulomb": s}, 0.98),
    (
        errors.coulomb_one_way, 0.3,
        lambda s: {"friction_coulomb": 0.3, "friction_coulomb_asymmetry": s}, 0.95,
    ),
    (errors.viscous, 0.3, lambda s: {"friction_viscous": s}, 0.98),
    (
        errors.viscous_one_way, 0.3,
        lambda s: {"friction_viscous": 0.3, "friction_viscous_asymmetry": s}, 0.95,
    ),
    (errors.load_friction, 0.05, lambda s: {"friction_load": s}, 0.98),
    (
        errors.stribeck, 0.3,
        lambda s: {"friction_stribeck": s, "stribeck_velocity": errors.STRIBECK_VELOCITY}, 0.55,
    ),
    (errors.ripple, 0.2, lambda s: {"torque_ripple": s, "ripple_cycles": errors.CYCLES}, 0.85),
)  # fmt: skip
OF_THE_MOTION = (
    (errors.position, 0.003, lambda s: {"position_error": s}, 0.5),
    (errors.velocity, 0.05, lambda s: {"velocity_error": s, "position_error": 0.002}, 0.55),
    (errors.joint_zero, 0.005, lambda s: {"joint_zero": s}, 0.9),
    (errors.jitter, 5e-4, lambda s: {"stamp_jitter": s}, 0.5),
)
SMALL = {"torque_absolute": 0.003, "stiction_velocity": 0.001, "prior": PRIOR}


def asked_for(run: Run, recording, bounds: Uncertainty) -> float:
    """Return how much larger all bounds would have to be for the known payload; 1 where not."""
    online = OnlineIdentifier(run.arm.robot, Settings(bounds))
    online.add(recording)
    try:
        online.tare(run.phi)
    except PayloadIdError as error:
        said = re.search(r"be ([\d.e+]+) times", str(error))
        return float(said.group(1)) if said else np.inf
    return 1.0


def at_its_bound(arm, members) -> None:
    """An error at its bound is contained, and less than is enough is noticed, also in a tare."""
    for number, (error, size, stated, enough) in enumerate(members):
        for seed in range(2):
            rng = np.random.default_rng([seed, number])
            run = Run.drawn(arm, rng, drawn_payload(rng), seconds=1.02, rate=500.0)
            recording = error(run, size)
            bounds = {
                part: Uncertainty(**{**SMALL, **(stated(part * size) if part else {})})
                for part in (1.0, enough, 0.0)
            }
            said = f"{error.__name__} with seed {seed}"
            found = identify(recording, arm.robot, bounds[1.0])
            assert found.status not in (Status.INCONSISTENT, Status.NO_DATA), said
            assert found.contains(run.phi).all(), said
            assert (abs(found.phi - run.phi) <= 2 * found.half_width).all(), said
            assert asked_for(run, recording, bounds[1.0]) == 1.0, said
            assert asked_for(run, recording, bounds[enough]) > 1.0, said
            assert asked_for(run, recording, bounds[0.0]) > 1.5, said


def test_an_error_of_a_sensor_at_its_bound_is_contained_and_beyond_it_is_noticed(arm):
    at_its_bound(arm, EXACT)


def test_an_error_of_the_arm_at_its_bound_is_contained_and_beyond_it_is_noticed(arm):
    at_its_bound(arm, OF_THE_ARM)


def test_friction_at_its_bound_is_contained_and_beyond_it_is_noticed(arm):
    at_its_bound(arm, OF_FRICTION)


def test_an_error_of_the_motion_at_its_bound_is_contained_and_beyond_it_is_noticed(arm):
    at_its_bound(arm, OF_THE_MOTION)


def test_a_tare_asks_for_the_factor_that_the_rows_do(run):
    """What a contradiction amounts to, against own rows."""
    wrong = ({}, {"torque_gain": 0.01}, {"link_relative": 0.02, "friction_coulomb": 0.05})
    recording = run.shown(run.tau * 1.03 + 0.4 * run.signs)
    for stated in wrong:
        bounds = Uncertainty(**{"torque_absolute": 0.1, "torque_relative": 0.01, **stated})
        own = own_factor(own_rows(run.arm, recording, bounds), run.phi)
        found = asked_for(run, recording, bounds)
        assert own > 1.3 and own / 1.02 < found < 1.005 * own, (stated, own, found)
