"""Calibrating an arm: what must hold of box, estimate, links and what later runs make of them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest

from arms import Joints, Run, arm, draw_payload, perturbed_links, record
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.effort_scale import JOINT_STATES, EffortScale
from payload_id.core.arrays import Array
from payload_id.core.body.ellipsoid import bounding_ellipsoid, row_of
from payload_id.core.body.inertial import (
    PSEUDO_INERTIA_BASIS,
    change_of_frame,
    is_physical,
    mass_com_inertia,
    pseudo_inertia,
)
from payload_id.core.calibration import (
    ArmFit,
    CalibrationResult,
    Consistency,
    Options,
    Prior,
    calibrate,
)
from payload_id.core.calibration.equations import factor_of
from payload_id.core.calibration.forgetting import without
from payload_id.core.calibration.identifiability import base_parameters, structural_rank
from payload_id.core.calibration.physical_consistency import (
    SPATIAL_INERTIA_BASIS,
    cone_rows,
    triangle,
    typical_scale,
)
from payload_id.core.calibration.prior import prior_rows
from payload_id.core.errors import InputError, RecordingError, SolverError, UnknownNameError
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.nuisance import candidate_names, group_slice
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

SENSORS = Uncertainty(  # errors of issue 4's figure: gains and offsets constant, little noise
    torque_relative=0.003,
    torque_absolute=0.02,
    torque_gain=0.025,
    torque_offset=0.5,
    link_relative=0.05,
)
FRICTION = Uncertainty(
    torque_absolute=0.05,
    torque_offset=0.5,
    link_relative=0.1,
    friction_coulomb=1.0,
    friction_viscous=0.5,
    rotor_inertia=0.1,
)
NOTHING = np.zeros(10)


def truth_of(links: Array, joints: Joints) -> Array:
    """Return the true psi: T = (reading - offset) / (1 + gain)."""
    gain = 1.0 + joints.gain
    constant = [joints.coulomb, joints.viscous, joints.rotor]
    sensors = [joints.offset / gain, 1.0 / gain - 1.0]
    return np.concatenate([links.ravel(), *constant, *sensors, np.zeros(10)])


def bare_run(
    name: str, uncertainty: Uncertainty, seed: int, seconds: float = 6.0, extreme: bool = False
) -> tuple[Run, Array, Joints]:
    """Return a run without payload, the true psi and the joints."""
    model, rng = arm(name), np.random.default_rng(seed)
    links = perturbed_links(model, rng, uncertainty.link_relative)
    joints = Joints.draw(rng, uncertainty, model.n, extreme)
    run = record(model, seed, NOTHING, seconds, links=links, joints=joints)
    kind = ("uniform", "vertices", "correlated")[seed % 3]
    return run.measured(uncertainty, kind, seed), truth_of(links, joints), joints


@lru_cache
def calibrated(
    name: str, uncertainty: Uncertainty, seed: int
) -> tuple[CalibrationResult, Run, Array, Joints]:
    """Return a calibration and the truth behind it."""
    run, truth, joints = bare_run(name, uncertainty, seed, seconds=10.0)
    return calibrate([run.samples], run.model, uncertainty), run, truth, joints


def outside(result: CalibrationResult, truth: Array) -> list[str]:
    """Return the names of the parameters whose interval misses the truth."""
    calibration = result.calibration
    slip = 1e-12 * (1.0 + np.abs(truth))
    bad = (truth < calibration.lower - slip) | (truth > calibration.upper + slip)
    return [name for name, x in zip(candidate_names(calibration.joints), bad, strict=True) if x]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_windows_of_other_lengths_narrow_the_box_alone(seed: int) -> None:
    uncertainty = replace(SENSORS, velocity_error=1e-3, torque_absolute=0.2)
    run, truth, _ = bare_run("gen3", uncertainty, seed, seconds=3.0)
    one, several = (
        calibrate([run.samples], run.model, uncertainty, Options(scales=scales))
        for scales in ((), (0.5,))
    )
    assert not outside(several, truth)
    width = [x.calibration.upper - x.calibration.lower for x in (one, several)]
    assert (width[1] <= width[0] + 1e-9 * (1.0 + width[0]))[one.stated.uncertain].all()
    assert np.array_equal(one.calibration.factors, several.calibration.factors)
    assert np.array_equal(one.calibration.counts, several.calibration.counts)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_truth_is_in_the_box(seed: int) -> None:
    name = ("gen3", "branched", "ur10", "xarm7")[seed % 4]
    uncertainty = (SENSORS, FRICTION)[seed // 4 % 2]
    run, truth, _ = bare_run(name, uncertainty, seed, seconds=3.0, extreme=seed % 5 == 0)
    result = calibrate([run.samples], run.model, uncertainty)
    assert result.consistent
    assert outside(result, truth) == []
    low, high = result.calibration.lower, result.calibration.upper
    edge = 1e-9 * (1.0 + np.abs(high))
    assert (result.estimate >= low - edge).all() and (result.estimate <= high + edge).all()
    assert all(is_physical(phi) for phi in result.link_phi() if phi[0] > 0)


def test_validation_is_better_than_the_description_and_than_friction_alone() -> None:
    result, _, _, _ = calibrated("gen3", FRICTION, 0)
    nominal, links, everything = (
        np.sqrt(np.mean(x**2))
        for x in (
            result.validation.nominal,
            result.validation.nominal_links,
            result.validation.calibrated,
        )
    )
    assert everything < 0.5 * links < 0.5 * nominal


def test_estimate_approaches_the_true_friction() -> None:
    result, _, truth, _ = calibrated("gen3", FRICTION, 0)
    for group in ("friction_coulomb", "friction_viscous"):
        own = group_slice(group, 7)
        assert result.estimate[own] == pytest.approx(truth[own], abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_mass_is_much_better_known_with_a_calibration(seed: int) -> None:
    result, _, truth, joints = calibrated("gen3", SENSORS, seed)
    links = truth[:70].reshape(7, 10)
    payload = draw_payload(np.random.default_rng(seed))
    model = result_model(result)
    run = record(model, seed + 50, payload, 7.5, links=links, joints=joints)
    samples = run.measured(SENSORS, "uniform", seed).samples
    before = identify(samples, arm("gen3"), SENSORS)
    after = identify(samples, model, SENSORS)
    assert before.contains(payload).all() and after.contains(payload).all()
    assert after.half_width[0] < 0.4 * before.half_width[0]
    assert (after.half_width <= 1.001 * before.half_width).all()


def result_model(result: CalibrationResult) -> ArmModel:
    """Return the Gen3 with a calibration."""
    return arm("gen3").with_calibration(result.calibration)


@pytest.mark.slow
def test_rows_keep_correlations_that_the_box_forgets() -> None:
    result, _, truth, joints = calibrated("gen3", SENSORS, 0)
    links, payload = truth[:70].reshape(7, 10), draw_payload(np.random.default_rng(0))
    run = record(arm("gen3"), 50, payload, 5.0, links=links, joints=joints)
    samples = run.measured(SENSORS, "uniform", 0).samples
    none = result.calibration.equations.take(np.zeros(0, dtype=np.int64))
    box = replace(result.calibration, equations=none)
    widths = [
        identify(samples, arm("gen3").with_calibration(c), SENSORS).half_width[0]
        for c in (result.calibration, box)
    ]
    assert widths[0] < 0.8 * widths[1]


@pytest.mark.slow
def test_calibration_is_as_good_as_a_tare_with_the_same_data() -> None:
    result, bare, truth, joints = calibrated("gen3", SENSORS, 1)
    links, payload = truth[:70].reshape(7, 10), draw_payload(np.random.default_rng(1))
    run = record(arm("gen3"), 51, payload, 5.0, links=links, joints=joints)
    samples = run.measured(SENSORS, "uniform", 1).samples
    online = OnlineIdentifier(arm("gen3"), Settings(SENSORS))
    online.add(bare.samples)
    online.tare()
    online.add(samples)
    tared = online.update()
    after = identify(samples, result_model(result), SENSORS)
    assert after.half_width == pytest.approx(tared.half_width, rel=0.02)
    assert after.phi == pytest.approx(tared.phi, abs=0.02)


@pytest.mark.slow
def test_what_changes_between_runs_can_be_forgotten() -> None:
    result, _, truth, joints = calibrated("gen3", SENSORS, 2)
    links, payload = truth[:70].reshape(7, 10), draw_payload(np.random.default_rng(2))
    moved = replace(joints, offset=-joints.offset)
    run = record(arm("gen3"), 52, payload, 5.0, links=links, joints=moved)
    samples = run.measured(SENSORS, "uniform", 2).samples
    kept = without(result.calibration, ["torque_offset"])
    assert without(kept, ["torque_offset"]).identity == kept.identity
    before = identify(samples, arm("gen3"), SENSORS)
    after = identify(samples, arm("gen3").with_calibration(kept), SENSORS)
    assert after.contains(payload).all()
    assert after.half_width[0] < 0.8 * before.half_width[0]
    with pytest.raises(UnknownNameError, match="torque_offset"):
        without(kept, ["offset"])


@pytest.mark.slow
def test_a_calibration_is_no_tare_and_survives_one() -> None:
    result, bare, _, _ = calibrated("gen3", SENSORS, 0)
    online = OnlineIdentifier(result_model(result), Settings(SENSORS))
    assert not online.tared
    online.add(bare.samples)
    estimate = online.update()
    assert estimate.lower[0] <= 0.0 and estimate.status is Status.SMALL_LOAD
    online.tare()
    assert online.tared


def test_known_payload_is_as_good_as_none() -> None:
    model, rng = arm("gen3"), np.random.default_rng(7)
    links = perturbed_links(model, rng, 0.05)
    joints = Joints.draw(rng, SENSORS, model.n, False)
    payload = draw_payload(rng)
    run = record(model, 7, payload, 4.0, links=links, joints=joints).measured(SENSORS, "uniform", 7)
    result = calibrate([run.samples], model, SENSORS, payloads=[payload])
    assert result.consistent and outside(result, truth_of(links, joints)) == []
    wrong = calibrate([run.samples], model, SENSORS, payloads=[8.0 * payload])
    assert not wrong.consistent and wrong.noise_factor > 1.0


@pytest.mark.slow
def test_errors_of_the_tool_are_narrowed_too() -> None:
    run, truth, joints = bare_run("gen3", replace(SENSORS, torque_gain=0.0), 12, seconds=6.0)
    model, error = run.model, 0.8 * np.array([0.2, 0.01, 0.01, 0.02] + [0.002] * 6)
    bound = replace(SENSORS, torque_gain=0.0, tool=tuple(1.25 * error))
    links, payload = truth[:70].reshape(7, 10), draw_payload(np.random.default_rng(12))
    tool = draw_payload(np.random.default_rng(13))
    tool *= 0.9 * np.min(error / np.abs(tool))
    bare = record(model, 12, tool, 6.0, links=links, joints=joints).measured(bound, "uniform", 1)
    result = calibrate([bare.samples], model, bound)
    truth = np.concatenate([truth[:-10], tool])
    assert result.consistent and outside(result, truth) == []
    run = record(model, 13, payload + tool, 5.0, links=links, joints=joints)
    samples = run.measured(bound, "uniform", 2).samples
    before = identify(samples, model, bound)
    after = identify(samples, model.with_calibration(result.calibration), bound)
    assert before.contains(payload).all() and after.contains(payload).all()
    assert after.half_width[0] < 0.7 * before.half_width[0]


def test_two_recordings_are_better_than_one() -> None:
    first, truth, joints = bare_run("gen3", SENSORS, 3, seconds=3.0)
    links = truth[:70].reshape(7, 10)
    other = record(first.model, 99, NOTHING, 3.0, links=links, joints=joints)
    second = other.measured(SENSORS, "uniform", 9)
    one = calibrate([first.samples], first.model, SENSORS)
    two = calibrate([first.samples, second.samples], first.model, SENSORS)
    width = [np.nansum(result.width_ratio()) for result in (one, two)]
    assert width[1] < width[0] and outside(two, truth) == []


def test_other_arm_tool_or_bounds_are_refused() -> None:
    result, _, _, _ = calibrated("gen3", SENSORS, 0)
    with pytest.raises(InputError, match="joints"):
        arm("xarm7").with_calibration(result.calibration)
    heavier = replace(arm("gen3"), link_phi=arm("gen3").link_phi * 1.01)
    with pytest.raises(InputError, match="another robot description, tool"):
        heavier.with_calibration(result.calibration)
    made, edited = ({JOINT_STATES: EffortScale.of(k, 0.0, 7)} for k in (1.0, 1.08))
    scaled = replace(result.calibration, effort=made)
    assert replace(arm("gen3"), effort=made).with_calibration(scaled).calibration == scaled
    with pytest.raises(InputError, match=r"another factor of the effort .*, now \[1.08, 1.08"):
        replace(arm("gen3"), effort=edited).with_calibration(scaled)
    wider = replace(SENSORS, link_relative=0.06)
    with pytest.raises(InputError, match="wider"):
        MomentumRows.of(result_model(result), wider)
    with pytest.raises(InputError, match="friction_load"):
        MomentumRows.of(result_model(result), replace(SENSORS, friction_load=0.1))
    narrower = replace(SENSORS, torque_offset=0.499)
    impossible = replace(SENSORS, torque_offset=1e-6)
    MomentumRows.of(result_model(result), narrower)
    with pytest.raises(InputError, match="exclude"):
        MomentumRows.of(result_model(result), impossible)


def test_impossible_input_is_refused() -> None:
    model = arm("gen3")
    run = record(model, 1, NOTHING, 1.0)
    with pytest.raises(InputError, match="nothing to calibrate"):
        calibrate([run.samples], model, Uncertainty())
    with pytest.raises(InputError, match="nothing to calibrate"):
        calibrate([], model, SENSORS)
    silent = replace(run.samples, tau=np.zeros_like(run.samples.tau))
    with pytest.raises(RecordingError, match="torques"):
        calibrate([silent], model, SENSORS)
    with pytest.raises(RecordingError, match="no window"):
        calibrate([run.samples.part(0, 3)], model, SENSORS)


def test_a_recording_in_degrees_is_named_by_its_number_and_its_cause() -> None:
    run, _, _ = bare_run("gen3", FRICTION, 4, seconds=3.0)
    degrees = replace(run.samples, q=np.rad2deg(run.samples.q), dq=np.rad2deg(run.samples.dq))
    with pytest.raises(RecordingError, match=r"Recording 2.*degrees"):
        calibrate([run.samples, degrees], run.model, FRICTION)


def test_broken_bounds_are_inconsistent() -> None:
    run, _, _ = bare_run("gen3", FRICTION, 4, seconds=3.0)
    without = replace(FRICTION, friction_coulomb=0.0, friction_viscous=0.0, torque_offset=0.0)
    result = calibrate([run.samples], run.model, without)
    assert not result.consistent and result.noise_factor > 2.0 and result.blame
    assert all(is_physical(phi) for phi in result.link_phi())


@pytest.mark.parametrize("factor", [1e3, 1e6])
def test_torques_in_other_units_are_inconsistent(factor: float) -> None:
    run, _, _ = bare_run("gen3", FRICTION, 4, seconds=3.0)
    samples = replace(run.samples, tau=factor * run.samples.tau)
    result = calibrate([run.samples, samples], run.model, FRICTION)
    assert not result.consistent and result.noise_factor > factor / 100.0 and result.blame
    assert all(is_physical(phi) for phi in result.link_phi())


@pytest.mark.slow
def test_zero_friction_and_no_motion() -> None:
    model = arm("gen3")
    exact = replace(FRICTION, link_relative=0.05)
    run = record(model, 5, NOTHING, 2.0)
    result = calibrate([run.samples], model, exact)
    assert result.consistent and (result.calibration.lower[70:91] <= 1e-12).all()
    still = Samples(
        run.samples.stamp,
        np.repeat(run.samples.q[:1], len(run.samples), axis=0),
        np.zeros_like(run.samples.dq),
        np.repeat(run.samples.tau[:1], len(run.samples), axis=0),
    )
    result = calibrate([still], model, replace(exact, torque_absolute=20.0))
    assert result.identifiability.rank <= model.n
    assert "joint_1.friction_viscous" in result.identifiability.unseen
    assert all(is_physical(phi) for phi in result.link_phi())


# The least-squares program by itself.


def simple_problem(
    consistency: Consistency, prior: Prior = Prior.QUADRATIC, ellipsoids: tuple[Array, ...] = ()
) -> tuple[ArmFit, Array]:
    """Return a problem whose free optimum is not physical, and its R factor."""
    model, rng = arm("ur10"), np.random.default_rng(0)
    fit = ArmFit.of(model, consistency=consistency, prior=prior, pull=0.3, ellipsoids=ellipsoids)
    size = fit.scale()
    C = rng.normal(size=(60, len(size))) / size
    t = C @ (fit.psi0 + 0.5 * size * rng.normal(size=len(size)))
    return fit, factor_of(np.column_stack([C, t]))


@pytest.mark.parametrize("consistency", [Consistency.SEMI, Consistency.FULL, Consistency.ELLIPSOID])
@pytest.mark.parametrize("prior", list(Prior))
def test_fit_agrees_with_an_independent_formulation(consistency: Consistency, prior: Prior) -> None:
    points = np.random.default_rng(1).normal(size=(30, 3)) * 0.3
    around = (bounding_ellipsoid(points),) * 6
    fit, factor = simple_problem(consistency, prior, around)
    psi = fit.solve(factor)
    scale = fit.scale()
    x = cp.Variable(len(scale))
    P = fit.pull * fit.prior_matrix() * scale
    cost = cp.sum_squares(factor[:, :-1] * scale @ x - factor[:, -1])
    cost += cp.sum_squares(P @ x - P @ (fit.psi0 / scale))
    free = fit.upper > fit.lower
    rules = [x[~free] == 0.0]
    lower, upper = fit.lower / scale, fit.upper / scale
    rules += [x[np.isfinite(lower) & free] >= lower[np.isfinite(lower) & free]]
    rules += [x[np.isfinite(upper) & free] <= upper[np.isfinite(upper) & free]]
    basis = SPATIAL_INERTIA_BASIS if consistency is Consistency.SEMI else PSEUDO_INERTIA_BASIS
    for link in range(fit.n):
        phi = cp.multiply(scale[10 * link : 10 * link + 10], x[10 * link : 10 * link + 10])
        rules.append(sum(phi[k] * basis[k] for k in range(10)) >> 0)
        if consistency is Consistency.ELLIPSOID:
            rules.append(row_of(around[link]) @ phi >= 0)
    program = cp.Problem(cp.Minimize(cost), rules)
    program.solve(solver=cp.CLARABEL)
    own = np.sum((factor[:, :-1] @ psi - factor[:, -1]) ** 2)
    own += np.sum((fit.pull * fit.prior_matrix() @ (psi - fit.psi0)) ** 2)
    assert own == pytest.approx(program.value, rel=1e-3)
    assert (psi[60:] >= 0.0).all()
    for phi in psi[:60].reshape(6, 10):
        if consistency is Consistency.SEMI:
            mass, _, inertia = mass_com_inertia(phi)
            assert mass > 0 and np.linalg.eigvalsh(inertia)[0] > 0
        else:
            assert is_physical(phi)


def test_each_constraint_is_tighter_than_the_one_before() -> None:
    small = (0.05**2 * np.eye(3), np.zeros(3))
    Q = np.zeros((4, 4))
    Q[:3, :3], Q[3, 3] = -np.linalg.inv(small[0]), 1.0
    costs = []
    for consistency in Consistency:
        fit, factor = simple_problem(consistency, ellipsoids=(Q,) * 6)
        psi = fit.solve(factor)
        cost = np.sum((factor[:, :-1] @ psi - factor[:, -1]) ** 2)
        cost += np.sum((fit.pull * fit.prior_matrix() @ (psi - fit.psi0)) ** 2)
        costs.append(cost)
    assert costs == sorted(costs)


def test_cone_rows_are_the_scaled_matrix() -> None:
    phi = arm("ur10").link_phi[2]
    scale = typical_scale(phi)
    G, g, k = cone_rows(Consistency.FULL, scale)
    unit = np.array([scale[0] / scale[1]] * 3 + [1.0]) / np.sqrt(scale[0])
    expected = triangle(pseudo_inertia(phi) * np.outer(unit, unit))
    assert k == 4 and G @ (phi / scale) == pytest.approx(expected)
    assert (g <= 0).all()


def test_entropic_prior_does_not_depend_on_the_frame() -> None:
    rng = np.random.default_rng(3)
    phi = arm("ur10").link_phi[2]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T = change_of_frame(turn * np.sign(np.linalg.det(turn)), np.array([0.1, -0.2, 0.3]))
    change = 0.01 * phi * rng.normal(size=10)
    here = np.sum((prior_rows(Prior.ENTROPIC, phi, 0.1) @ change) ** 2)
    there = np.sum((prior_rows(Prior.ENTROPIC, T @ phi, 0.1) @ (T @ change)) ** 2)
    assert there == pytest.approx(here, rel=1e-6)
    # It is the second-order form of the divergence -log det J + tr(J0^-1 J) + log det J0 - 4.
    J0, dJ = pseudo_inertia(phi), pseudo_inertia(1e-4 * phi)
    exact = (
        np.trace(np.linalg.solve(J0, dJ))
        - np.linalg.slogdet(np.eye(4) + np.linalg.solve(J0, dJ))[1]
    )
    assert np.sum((prior_rows(Prior.ENTROPIC, phi, 1.0) @ (1e-4 * phi)) ** 2) == pytest.approx(
        exact, rel=1e-3
    )


# Identifiability.


@pytest.mark.parametrize("name", ["gen3", "ur10", "branched"])
def test_rank_of_a_rich_motion_is_the_structural_one(name: str) -> None:
    result, _, _, _ = calibrated(name, FRICTION, 0)
    assert result.identifiability.rank == result.identifiability.possible


@pytest.mark.parametrize(("name", "rank"), [("ur10", 36), ("panda", 43)])
def test_structural_rank_is_the_known_one(name: str, rank: int) -> None:
    # Six- and seven-axis arms with the first axis along gravity: 36 and 43 base parameters
    # of the links [Gautier1991].
    model = arm(name)
    columns = np.zeros(15 * model.n, dtype=bool)
    columns[: 10 * model.n] = True
    assert structural_rank(model, columns, np.ones(15 * model.n)) == rank


def test_base_parameters_reproduce_the_torques() -> None:
    rng = np.random.default_rng(4)
    first = rng.normal(size=(40, 3))
    W = np.column_stack([first, first @ [1.0, -2.0, 0.0], np.zeros(40), first @ [0.0, 0.5, 3.0]])
    names = tuple("abcdef")
    base, unseen = base_parameters(W, np.array([1.0, 10.0, 0.1, 1.0, 1.0, 5.0]), names)
    assert unseen == ("e",) and len(base) == 3
    x = rng.normal(size=6)
    value = dict(zip(names, x, strict=True))
    chosen = [names.index(b.name) for b in base]
    combined = [value[b.name] + sum(c * value[k] for k, c in b.terms) for b in base]
    assert W[:, chosen] @ combined == pytest.approx(W @ x)


def test_links_that_could_not_be_held_consistent_are_reported(monkeypatch) -> None:
    run, _, _ = bare_run("branched", SENSORS, 3, seconds=2.0)
    solve = ArmFit.solve

    def failing(self: ArmFit, factor: Array) -> Array:
        if self.consistency is not Consistency.NONE:
            raise SolverError("multi-link least-squares program", "InsufficientProgress")
        return solve(self, factor)

    assert not calibrate([run.samples], run.model, SENSORS).notes
    monkeypatch.setattr(ArmFit, "solve", failing)
    assert "may be no rigid body" in calibrate([run.samples], run.model, SENSORS).notes[0]
