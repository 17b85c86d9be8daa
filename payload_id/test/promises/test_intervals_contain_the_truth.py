"""Intervals contain the truth whenever the stated bounds hold, and are no wider than these say."""

from __future__ import annotations

import re
from dataclasses import fields, replace

import numpy as np
import pytest

from payload_id import (
    Estimate,
    OnlineIdentifier,
    PayloadIdError,
    PayloadPrior,
    Recording,
    Settings,
    Status,
    Uncertainty,
    identify,
)

from . import errors
from .arms import Arm, Motion, drawn_payload
from .errors import Run, everything
from .own_rows import (
    Rows,
    joined,
    own_factor,
    own_hull,
    own_image,
    own_interval,
    own_noise_factor,
    own_rows,
    stacked,
)
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
    ({"torque_delay": 5e-4, "torque_absolute": 0.002}, 1.25),
    ({"stamp_jitter": 1e-4}, 1.3),
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
    ({"joint_zero": (0.003, 0.0, 0.01, 0.0)}, 1.25),
)


def between(
    found: Estimate, least: np.ndarray, most: np.ndarray, said: object, near: float = 1e-4
) -> None:
    """Hold ends of intervals between those of own ones, shape (2, 10) each."""
    slack = near * (least[1] - least[0])
    assert (found.lower <= least[0] + slack).all(), (said, (found.lower - least[0]) / slack)
    assert (found.upper >= least[1] - slack).all(), (said, (found.upper - least[1]) / slack)
    assert (found.lower >= most[0] - slack).all(), (said, (found.lower - most[0]) / slack)
    assert (found.upper <= most[1] + slack).all(), (said, (found.upper - most[1]) / slack)


def wider(interval: np.ndarray, part: float) -> np.ndarray:
    """Return an interval of which either end is a part of the half-width farther out."""
    return interval + part * (interval[1] - interval[0]) / 2 * np.array([[-1], [1]])


def rows_of(arm: Arm, recording: Recording, bounds: Uncertainty) -> Rows:
    """Return own rows of windows of 0.1 s, and those of 0.5 s where velocities err."""
    rows = own_rows(arm, recording, bounds)
    if not bounds.velocity_error:
        return rows
    return stacked([rows, own_rows(arm, recording, bounds, 0.5, apart=0.1)])


def is_worth(run: Run, bounds: tuple[tuple[dict, float], ...], larger: bool = False) -> None:
    """Hold intervals against own ones: never narrower, wider by a factor at most.

    Or no wider than own ones of bounds that are larger by a factor.
    """
    recording = run.shown()
    for stated, factor in bounds:
        assumed = Uncertainty(**{"torque_absolute": NOISE, "prior": PRIOR, **stated})
        own = own_interval(rows_of(run.arm, recording, assumed), assumed)
        most = wider(own, 2 * (factor - 1))
        if larger:
            more = {name: (factor * np.asarray(x)).tolist() for name, x in stated.items()}
            more = Uncertainty(**{"torque_absolute": NOISE, "prior": PRIOR, **more})
            most = own_interval(rows_of(run.arm, recording, more), more)
        found = identify(recording, run.arm.robot, assumed, intervals="hull_lp")
        assert found.contains(run.phi).all(), stated
        between(found, own, most, stated)
        assert abs(found.phi - run.phi)[0] < (own[1] - own[0])[0] / 4 + 1e-3


def test_bounds_of_the_sensors_widen_as_much_as_they_must(run):
    is_worth(run, SENSORS)


def test_bounds_of_the_arm_widen_as_much_as_they_must(run):
    is_worth(run, ARM)


def test_bounds_of_friction_widen_as_much_as_they_must(run):
    is_worth(run, FRICTION)


@pytest.mark.slow
def test_bounds_of_the_motion_widen_as_much_as_they_must(run):
    half = slice(None, None, 2)  # of the samples: own derivatives take their time
    fewer = Motion(*(getattr(run.motion, f.name)[half] for f in fields(Motion)))
    is_worth(Run(run.arm, fewer, run.phi, run.signs), MOTION, larger=True)


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
    (errors.joint_zero, 0.005, lambda s: {"joint_zero": s}, 0.8),
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


@pytest.mark.slow
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


# Other rows: windows of other lengths, means of the noise, a tare.


def test_windows_of_further_lengths_are_worth_what_their_rows_are(run):
    recording = run.shown()
    bounds = Uncertainty(torque_absolute=0.1, link_relative=0.02, prior=PRIOR)
    tenth = own_rows(run.arm, recording, bounds)
    for window, scales, others in (
        (0.2, (), []),
        (0.1, (0.02, 0.3), [own_rows(run.arm, recording, bounds, 0.02),
                            joined(tenth, 4, 3, 0.3, np.inf)]),
    ):  # fmt: skip
        rows = stacked([own_rows(run.arm, recording, bounds, window), *others])
        own = own_interval(rows, bounds)
        found = identify(recording, run.arm.robot, bounds, intervals="hull_lp", window=window,
                         scales=scales)  # fmt: skip
        between(found, own, wider(own, 0.01), (window, scales))


def test_means_of_the_noise_are_worth_what_they_say(run):
    recording = run.shown()
    for means, links in (
        ({0.2: (0.1,), 0.5: (0.02,)}, 0.0),
        ({0.3: (0.1, 0.2, 0.3, 0.4)}, 0.0),
        ({0.1: (0.1,)}, 0.02),
    ):
        bounds = Uncertainty(
            torque_absolute=0.5, link_relative=links, prior=PRIOR,
            torque_mean_window=tuple(means), torque_mean=np.ravel(list(means.values())),
        )  # fmt: skip
        rows = own_rows(run.arm, recording, bounds)
        more = [joined(rows, 4, round(10 * x), x, np.resize(y, 4)) for x, y in means.items()]
        own = own_interval(stacked([rows, *more]), bounds)
        found = identify(recording, run.arm.robot, bounds, intervals="hull_lp")
        between(found, own, wider(own, 0.01), means)


def test_poor_velocities_cost_less_over_longer_windows(run):
    """Velocities that are off by 0.05 rad/s all the time count at the ends of windows alone."""
    bounds = Uncertainty(torque_absolute=0.02, velocity_error=0.05, prior=PRIOR)
    turning = np.sign(np.sin(2 * np.pi * 20 * run.motion.time))
    false = run.shown(dq=run.motion.dq + 0.05 * run.signs * turning[:, None])
    found = identify(false, run.arm.robot, bounds)
    short = own_interval(own_rows(run.arm, false, bounds), bounds)
    assert found.contains(run.phi).all()
    assert found.half_width[0] < 0.5 * (short[1] - short[0])[0] / 2, (found, short)


def test_a_tare_is_worth_what_its_rows_are(arm, run):
    """Rows without payload, and with a known one, whose links, gains and offsets are the same."""
    bounds = Uncertainty(
        torque_absolute=NOISE, link_relative=0.05, torque_offset=0.3, torque_gain=0.02,
        friction_coulomb=0.2, prior=PRIOR,
    )  # fmt: skip
    recording = run.shown(1.01 * run.tau + 0.1)
    rows = own_rows(arm, recording, bounds)
    alone = own_interval(rows, bounds)
    rng = np.random.default_rng(9)
    for known in (np.zeros(10), drawn_payload(rng)):
        bare = Run.drawn(arm, rng, known, seconds=0.92, rate=1000.0, size=0.5)
        first = bare.shown(1.01 * bare.tau + 0.1)
        online = OnlineIdentifier(arm.robot, Settings(bounds, intervals="hull_lp"))
        online.add(first)
        online.tare(known if known.any() else None)
        online.add(recording)
        found = online.update()
        tare = own_rows(arm, first, bounds)
        tare = replace(tare, A=0 * tare.A, b=tare.b - tare.A @ known, E=0 * tare.E)
        own = own_interval(stacked([tare, rows]), bounds)
        assert (own[1] - own[0])[0] < 0.4 * (alone[1] - alone[0])[0]
        between(found, own, wider(own, 0.03), known)
        assert found.contains(run.phi).all()


# Interval methods.


@pytest.fixture(scope="module")
def arms(arm):
    return [arm, *(Arm(name) for name in ("kinova_gen3", "xarm7", "kinova_gen3_2f85"))]


def test_the_hull_is_the_least_interval_of_any_arm(arms):
    """Against semidefinite programs over own rows; the other methods are wider and hold."""
    bounds = Uncertainty(
        torque_absolute=0.1, torque_relative=0.01, link_relative=0.02, friction_coulomb=0.1,
        torque_offset=0.2, prior=PRIOR,
    )  # fmt: skip
    for number, arm in enumerate(arms):
        rng = np.random.default_rng(number)
        run = Run.drawn(arm, rng, drawn_payload(rng), seconds=0.62, rate=1000.0, size=0.5)
        recording = run.shown()
        own = own_hull(own_rows(arm, recording, bounds), bounds)
        hull = identify(recording, arm.robot, bounds)
        assert hull.contains(run.phi).all() and hull.physically_consistent
        between(hull, own, wider(own, 0.05), arm.name, near=1e-3)
        before = hull
        for name in ("hull_lp", "least_squares_image"):
            found = identify(recording, arm.robot, bounds, intervals=name)
            assert found.intervals == name and found.contains(run.phi).all()
            assert (found.lower <= before.lower + 1e-9).all(), (arm.name, name)
            assert (found.upper >= before.upper - 1e-9).all(), (arm.name, name)
            before = found


def test_the_image_and_theorem_13_are_what_their_formulas_say():
    arm, rng = Arm(), np.random.default_rng(4)
    run = Run.drawn(arm, rng, drawn_payload(rng, 1.0, 2.0), seconds=0.62, rate=1000.0, size=0.5)
    recording = run.shown()
    for method, noise, offset, part in (
        ("least_squares_image", 0.1, 0.0, 0.01),
        ("least_squares_image", 0.1, 0.1, 0.01),
        ("sensitivity", 0.01, 0.0, 0.05),
        ("sensitivity_enclosed", 0.001, 0.0, 0.05),
    ):
        bounds = Uncertainty(torque_absolute=noise, torque_offset=offset, prior=PRIOR)
        own = own_image(own_rows(arm, recording, bounds), bounds)
        found = identify(recording, arm.robot, bounds, intervals=method)
        assert found.contains(run.phi).all()
        between(found, own, wider(own, part), (method, noise))


def test_a_contradiction_asks_for_the_noise_factor_of_the_rows(arms):
    """Noise at twice the bound, of one sign, is called out; the factor is that of own rows."""
    for number, arm in enumerate(arms[:2]):
        rng = np.random.default_rng([5, number])
        run = Run.drawn(arm, rng, drawn_payload(rng), seconds=0.62, rate=1000.0, size=0.5)
        bounds = Uncertainty(torque_absolute=0.2, torque_relative=0.02, prior=PRIOR)
        worst = (0.2 + 0.02 * abs(run.tau)) * run.signs
        half = identify(run.shown(run.tau + 0.99 * worst), arm.robot, bounds)
        assert half.contains(run.phi).all() and np.isnan(half.noise_factor)
        recording = run.shown(run.tau + 2.2 * worst)
        method = ("hull_lp", "hull")[number]
        found = identify(recording, arm.robot, bounds, intervals=method)
        factor, asking = own_noise_factor(own_rows(arm, recording, bounds), bounds)
        assert found.status is Status.INCONSISTENT and factor > 1.1
        assert abs(found.noise_factor / factor - 1) < 0.01
        assert f"{found.noise_factor:.3g} times" in found.message
        assert np.isinf(found.half_width).all() and not found.identifiable.any()
        named = re.search(r"asked for by (.*?)\)", found.message)[1].split(", ")
        shares = asking.reshape(-1, len(arm.file.joints)).sum(axis=0)
        for name, share in zip(arm.file.joints, shares / shares.sum(), strict=True):
            assert (name in named) == (share > 0.1) or 0.08 < share < 0.12, (name, share)


def test_no_interval_method_calls_a_payload_beyond_the_prior_consistent(run):
    heavy = replace(run, phi=10.0 * run.phi)
    for name in ("hull", "hull_lp", "least_squares_image"):
        bounds = Uncertainty(torque_absolute=0.1, prior=PayloadPrior(3.0, 0.5))
        found = identify(heavy.shown(), heavy.arm.robot, bounds, intervals=name)
        assert found.status is Status.INCONSISTENT, name


# Everything at once, on every arm.

STATED = Uncertainty(
    torque_relative=0.02, torque_absolute=0.05, torque_gain=0.02, torque_offset=0.1,
    link_relative=0.03, friction_coulomb=0.2, friction_viscous=0.2, rotor_inertia=0.05,
    position_error=2e-4, velocity_error=2e-3, joint_zero=1e-3, prior=PRIOR,
)  # fmt: skip


@pytest.mark.slow
def test_whatever_is_drawn_within_the_bounds_is_contained(arms):
    for number, arm in enumerate(arms):
        for kind in ("uniform", "worst"):
            rng = np.random.default_rng([number, len(kind)])
            run = Run.drawn(arm, rng, drawn_payload(rng, 0.2), seconds=1.02, rate=250.0, size=0.5)
            found = identify(everything(run, STATED, rng, kind), arm.robot, STATED)
            said = (arm.name, kind)
            assert found.status in (Status.GOOD, Status.TOO_WIDE, Status.SMALL_LOAD), said
            assert found.contains(run.phi).all(), said
            assert (abs(found.phi - run.phi) < 0.8 * found.half_width).all(), said
            assert found.half_width[0] < 0.8, said
            assert found.windows == 10 and found.samples == len(run.motion.time)


def test_bounds_as_shipped_contain_what_is_within_them():
    for name in ("kinova_gen3", "kinova_gen3_2f85"):
        arm, rng = Arm(name), np.random.default_rng(8)
        run = Run.drawn(arm, rng, drawn_payload(rng, 1.0), seconds=3.02, rate=250.0, size=0.5)
        bounds = arm.file.uncertainty
        found = identify(everything(run, bounds, rng, "worst"), arm.robot, bounds)
        assert found.status in (Status.GOOD, Status.TOO_WIDE) and found.contains(run.phi).all()
        assert found.half_width[0] < 1.3


def test_an_arm_at_rest_and_a_bare_one_are_said_to_be_that(arms):
    """What does not move tells no inertia, and no load is a small one."""
    for arm in arms[:2]:
        rng = np.random.default_rng(6)
        bare = Run.drawn(arm, rng, np.zeros(10), seconds=1.02, rate=250.0, size=0.5)
        bounds = Uncertainty(torque_absolute=0.05, link_relative=0.02, prior=PRIOR)
        found = identify(bare.shown(), arm.robot, bounds)
        assert found.status is Status.SMALL_LOAD and found.lower[0] <= 0.0 <= found.upper[0] < 0.6
        still = bare.arm.motion(rng, seconds=1.02, size=0.0)
        rest = Run(arm, still, drawn_payload(rng), bare.signs)
        exact = Uncertainty(torque_absolute=0.01, prior=PRIOR)
        found = identify(rest.shown(), arm.robot, exact)
        own = own_hull(own_rows(arm, rest.shown(), exact), exact)
        assert found.contains(rest.phi).all() and not found.identifiable[4:].any()
        between(found, own, wider(own, 0.1), arm.name, near=1e-3)


# Growing data.


@pytest.mark.slow
def test_intervals_never_widen_and_pieces_make_no_difference(arms):
    for arm in arms[:1]:
        rng = np.random.default_rng(7)
        run = Run.drawn(arm, rng, drawn_payload(rng), seconds=2.02, rate=250.0, size=0.5)
        recording = everything(run, STATED, rng, "uniform")
        online, before = OnlineIdentifier(arm.robot, Settings(STATED)), None
        for start in range(0, len(recording), 169):
            online.add(recording.part(start, start + 169))
            now = online.update()
            assert now.contains(run.phi).all()
            if before is not None:
                assert (now.lower >= before.lower).all() and (now.upper <= before.upper).all()
            before = now
        whole = identify(recording, arm.robot, STATED)
        assert before.windows == whole.windows == 20
        first = identify(recording.part(0, 169), arm.robot, STATED)
        assert (before.half_width < 0.95 * first.half_width).any()
        assert (abs(before.half_width / whole.half_width - 1) < 0.02).all()
        assert (before.lower >= whole.lower - 0.02 * whole.half_width).all()


def test_intervals_that_may_miss_the_truth_do_not_narrow_later_ones(run):
    bounds = Uncertainty(torque_absolute=0.3, prior=PRIOR)
    recording, ends = run.shown(), []
    for moments in ((920,), (300, 500, 920)):
        online, before = (
            OnlineIdentifier(run.arm.robot, Settings(bounds, intervals="sensitivity")),
            0,
        )
        for moment in moments:
            online.add(recording.part(before, moment))
            found, before = online.update(), moment
        ends.append(np.array([found.lower, found.upper]))
    np.testing.assert_array_equal(*ends)


def test_a_gap_and_false_samples_are_left_out(arm):
    rng = np.random.default_rng(11)
    run = Run.drawn(arm, rng, drawn_payload(rng), seconds=1.52, rate=250.0, size=0.5)
    bounds = Uncertainty(torque_absolute=0.01, prior=PRIOR)
    whole, tau, q = run.shown(), run.tau.copy(), run.motion.q.copy()
    keep = abs(run.motion.time - 0.72) > 0.07
    pause = replace(whole, stamp=whole.stamp[keep], q=whole.q[keep], dq=whole.dq[keep],
                    tau=whole.tau[keep])  # fmt: skip
    for recording, windows in ((whole, 15), (pause, 13)):
        found = identify(recording, arm.robot, bounds)
        assert found.contains(run.phi).all() and found.windows == windows
        longer = identify(recording, arm.robot, bounds, scales=(0.4,))  # windows as well
        assert longer.contains(run.phi).all() and np.isfinite(longer.half_width).all()
    q[100, 2] += 1.0  # one position that never was
    tau[200] = np.nan
    found = identify(arm.recording(replace(run.motion, q=q), tau), arm.robot, bounds)
    assert found.contains(run.phi).all() and sum(found.false_samples.values()) == 1
    assert found.half_width[0] < 1.3 * identify(whole, arm.robot, bounds).half_width[0]
