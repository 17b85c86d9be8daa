"""Calibrating an arm: what must hold of box, estimate, links and what later runs make of them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cvxpy as cp
import numpy as np
import pytest

from arms import Joints, Run, arm, draw_payload, perturbed_links, record
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
    LinkPrior,
    calibrate,
)
from payload_id.core.calibration.fit import SPATIAL_INERTIA_BASIS, prior_rows
from payload_id.core.calibration.forgetting import without
from payload_id.core.calibration.identifiability import base_parameters, structural_rank
from payload_id.core.errors import InputError, UnknownNameError
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.statistics.triangular_factor import factor_of

SENSORS = Uncertainty(  # gains and offsets constant, little noise
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


def truth_of(links: Array, joints: Joints, tool: Array = NOTHING) -> Array:
    """Return the true psi: T = (reading - offset) / (1 + gain)."""
    gain = 1.0 + joints.gain
    constant = [joints.coulomb, joints.viscous, joints.rotor]
    sensors = [joints.offset / gain, 1.0 / gain - 1.0]
    return np.concatenate([links.ravel(), *constant, *sensors, tool])


@lru_cache
def bare_run(
    name: str, uncertainty: Uncertainty, seed: int, seconds: float = 2.0, extreme: bool = False
) -> tuple[Run, Array, Joints]:
    """Return a run without payload, the true psi and the joints."""
    model, rng = arm(name), np.random.default_rng(seed)
    links = perturbed_links(model, rng, uncertainty.link_relative)
    joints = Joints.draw(rng, uncertainty, model.n, extreme)
    run = record(model, seed, NOTHING, seconds, rate=125.0, links=links, joints=joints)
    kind = ("uniform", "vertices", "correlated")[seed % 3]
    return run.measured(uncertainty, kind, seed), truth_of(links, joints), joints


@lru_cache
def calibrated(name: str, uncertainty: Uncertainty, seed: int) -> CalibrationResult:
    """Return the calibration of a long run without payload."""
    run, _, _ = bare_run(name, uncertainty, seed, 8.0)
    return calibrate([run.samples], run.model, uncertainty)


@lru_cache
def later_run() -> tuple[Run, CalibrationResult]:
    """Return a later run of the Gen3 with a payload, and the calibration from before."""
    _, truth, joints = bare_run("gen3", SENSORS, 0, 8.0)
    payload = draw_payload(np.random.default_rng(0))
    links = truth[:70].reshape(7, 10)
    run = record(arm("gen3"), 50, payload, 4.0, rate=125.0, links=links, joints=joints)
    return run.measured(SENSORS, "uniform", 0), calibrated("gen3", SENSORS, 0)


def outside(result: CalibrationResult, truth: Array) -> list[str]:
    """Return the names of the parameters whose interval misses the truth."""
    calibration, slip = result.calibration, 1e-12 * (1.0 + np.abs(truth))
    bad = (truth < calibration.lower - slip) | (truth > calibration.upper + slip)
    return [name for name, x in zip(result.stated.every, bad, strict=True) if x]


@pytest.mark.parametrize("seed", range(8))
def test_truth_is_in_the_box(seed: int) -> None:
    name = ("gen3", "branched", "ur10", "xarm7")[seed % 4]
    uncertainty = (SENSORS, FRICTION)[seed // 4]
    run, truth, _ = bare_run(name, uncertainty, seed, extreme=seed % 3 == 0)
    result = calibrate([run.samples], run.model, uncertainty)
    assert result.consistent
    assert outside(result, truth) == []
    low, high, found = (getattr(result.calibration, x) for x in ("lower", "upper", "estimate"))
    edge = 1e-9 * (1.0 + np.abs(high))
    assert (found >= low - edge).all() and (found <= high + edge).all()
    assert all(is_physical(phi) for phi in result.link_phi() if phi[0] > 0)


@pytest.mark.slow
def test_an_error_of_one_run_is_allowed_for_and_not_learnt() -> None:
    """Gravity is off by as much as is stated; links and sensors stay in the box."""
    stated = replace(SENSORS, gravity_error=0.3)
    run, truth, joints = bare_run("gen3", SENSORS, 1)
    there, links = run.model.pinocchio.copy(), truth[:70].reshape(7, 10)
    there.gravity.linear = run.model.gravity + 0.3 * np.array([1.0, -1.0, 1.0])
    off = replace(run.model, pinocchio=there)
    samples = record(off, 1, NOTHING, 2.0, rate=125.0, links=links, joints=joints).samples
    assert not calibrate([samples], run.model, SENSORS).consistent
    result = calibrate([samples], run.model, stated)
    assert result.consistent and outside(result, truth) == []


# What later runs make of it


@pytest.mark.slow
def test_what_changes_between_runs_can_be_forgotten() -> None:
    (run, result), (_, truth, joints) = later_run(), bare_run("gen3", SENSORS, 0, 8.0)
    moved = replace(joints, offset=-joints.offset)
    links = truth[:70].reshape(7, 10)
    later = record(run.model, 52, run.phi, 4.0, rate=125.0, links=links, joints=moved)
    samples = later.measured(SENSORS, "uniform", 2).samples
    kept = without(result.calibration, ["torque_offset"])
    assert without(kept, ["torque_offset"]).identity == kept.identity
    before = identify(samples, run.model, SENSORS)
    after = identify(samples, run.model.with_calibration(kept), SENSORS)
    assert after.contains(run.phi).all()
    assert after.half_width[0] < 0.8 * before.half_width[0]
    with pytest.raises(UnknownNameError, match="torque_offset"):
        without(kept, ["offset"])


# What does not go together


def test_other_arm_tool_scale_or_bounds_are_refused() -> None:
    calibration, model = calibrated("gen3", SENSORS, 0).calibration, arm("gen3")
    made, edited = ({JOINT_STATES: EffortScale.of(k, 0.0, 7)} for k in (1.0, 1.08))
    scaled = replace(calibration, effort=made)
    assert replace(model, effort=made).with_calibration(scaled).calibration == scaled
    heavier = replace(model, link_phi=model.link_phi * 1.01)
    for other, own, said in (
        (arm("xarm7"), calibration, "joints"),
        (heavier, calibration, "robot description"),
        (replace(model, effort=edited), scaled, r"factor of the effort .*1.08"),
    ):
        with pytest.raises(InputError, match=said):
            other.with_calibration(own)
    model = model.with_calibration(calibration)
    for wrong, said in (
        ({"link_relative": 0.06}, "wider"),
        ({"friction_load": 0.1}, "friction_load"),
        ({"torque_offset": 1e-6}, "exclude"),
    ):
        with pytest.raises(InputError, match=said):
            MomentumRows.of(model, replace(SENSORS, **wrong))
    MomentumRows.of(model, replace(SENSORS, torque_offset=0.499))


# The least-squares program by itself


def simple_problem(
    consistency: Consistency,
    prior: LinkPrior = LinkPrior.QUADRATIC,
    ellipsoids: tuple[Array, ...] = (),
) -> tuple[ArmFit, Array]:
    """Return a problem whose free optimum is not physical, and its R factor."""
    links, rng = arm("ur10").link_phi.ravel(), np.random.default_rng(0)
    fit = ArmFit(
        np.append(links, np.zeros(40)),
        np.append(np.full(60, -np.inf), np.zeros(40)),
        np.repeat([np.inf, 0.0], [78, 22]),  # offsets, gains and tool are known
        consistency,
        ellipsoids,
        prior,
        pull=0.3,
    )
    size = fit.scale()
    C = rng.normal(size=(60, len(size))) / size
    t = C @ (fit.psi0 + 0.5 * size * rng.normal(size=len(size)))
    return fit, factor_of(np.column_stack([C, t]))


def cost_of(fit: ArmFit, factor: Array, psi: Array) -> float:
    """Return what the program makes least."""
    pulled = fit.pull * fit.prior_matrix() @ (psi - fit.psi0)
    return float(np.sum((factor[:, :-1] @ psi - factor[:, -1]) ** 2) + np.sum(pulled**2))


@pytest.mark.slow
@pytest.mark.parametrize("consistency", [Consistency.SEMI, Consistency.FULL, Consistency.ELLIPSOID])
def test_fit_agrees_with_an_independent_formulation(consistency: Consistency) -> None:
    points = np.random.default_rng(1).normal(size=(30, 3)) * 0.3
    around = (bounding_ellipsoid(points),) * 6
    for prior in LinkPrior:
        fit, factor = simple_problem(consistency, prior, around)
        psi, scale = fit.solve(factor), fit.scale()
        x = cp.Variable(len(scale))
        P = fit.pull * fit.prior_matrix() * scale
        cost = cp.sum_squares(factor[:, :-1] * scale @ x - factor[:, -1])
        cost += cp.sum_squares(P @ x - P @ (fit.psi0 / scale))
        free, lower, upper = fit.upper > fit.lower, fit.lower / scale, fit.upper / scale
        low, high = np.isfinite(lower) & free, np.isfinite(upper) & free
        rules = [x[~free] == 0.0, x[low] >= lower[low], x[high] <= upper[high]]
        basis = SPATIAL_INERTIA_BASIS if consistency is Consistency.SEMI else PSEUDO_INERTIA_BASIS
        for link in range(fit.n):
            own = slice(10 * link, 10 * link + 10)
            phi = cp.multiply(scale[own], x[own])
            rules.append(sum(phi[k] * basis[k] for k in range(10)) >> 0)
            if consistency is Consistency.ELLIPSOID:
                rules.append(row_of(around[link]) @ phi >= 0)
        best = cp.Problem(cp.Minimize(cost), rules).solve(solver=cp.CLARABEL)
        assert cost_of(fit, factor, psi) == pytest.approx(best, rel=1e-3)
        assert (psi[60:] >= 0.0).all()
        for phi in psi[:60].reshape(6, 10):
            mass, _, inertia = mass_com_inertia(phi)
            assert mass > 0 and np.linalg.eigvalsh(inertia)[0] > 0
            assert consistency is Consistency.SEMI or is_physical(phi)


def test_entropic_prior_is_the_divergence_to_second_order_in_any_frame() -> None:
    rng, phi = np.random.default_rng(3), arm("ur10").link_phi[2]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T = change_of_frame(turn * np.sign(np.linalg.det(turn)), np.array([0.1, -0.2, 0.3]))
    change = 0.01 * phi * rng.normal(size=10)
    here = np.sum((prior_rows(LinkPrior.ENTROPIC, phi, 0.1) @ change) ** 2)
    there = np.sum((prior_rows(LinkPrior.ENTROPIC, T @ phi, 0.1) @ (T @ change)) ** 2)
    assert there == pytest.approx(here, rel=1e-6)
    # -log det J + tr(J0^-1 J) + log det J0 - 4
    part = np.linalg.solve(pseudo_inertia(phi), pseudo_inertia(1e-4 * phi))
    exact = np.trace(part) - np.linalg.slogdet(np.eye(4) + part)[1]
    found = np.sum((prior_rows(LinkPrior.ENTROPIC, phi, 1.0) @ (1e-4 * phi)) ** 2)
    assert found == pytest.approx(exact, rel=1e-3)


# Identifiability


@pytest.mark.slow
def test_rank_is_the_known_one_and_a_rich_motion_reaches_it() -> None:
    """Arms of six and seven axes, the first along gravity: 36 and 43 [Gautier1991]."""
    for name, rank in (("ur10", 36), ("panda", 43)):
        model = arm(name)
        columns = np.arange(15 * model.n) < 10 * model.n
        assert structural_rank(model, columns, np.ones(15 * model.n)) == rank
    found = calibrated("gen3", FRICTION, 0).identifiability
    assert found.rank == found.possible


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
