"""The design of a robust controller is proved with each motion, and closed loops keep it."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pinocchio as pin
import pytest

from closed_loop import run
from payload_id.core.body.inertial import TO_PINOCCHIO, is_physical
from payload_id.core.control.armour import Armour
from payload_id.core.control.controller import Command, Measurement
from payload_id.core.control.robust_design import design_for
from payload_id.core.motion.limits import with_payload
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.certificate.sampled_check import sampled_margins
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import DESIGN, Refusal
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.simulation.plant import Plant
from payload_id.files.robots.arm_geometry import robot_geometry
from safety_scenes import arm_named, limits_of, motion

ARMS = ("kinova_gen3", "xarm7")
ROTOR = np.array([8.0, 12.0, 9.0, 11.6, 8.5, 8.9, 8.9])  # what the Gen3's file says, about
GAIN, PERIOD, LATE = 5.0, 1e-3, 2
SAMPLING = Sampling((1 + LATE) * PERIOD, 1e-4, 2e-3)
MASS = 1.2
PAYLOAD = MASS * np.array([1.0, 0.0, 0.0, 0.06, 0.006, 0.0, 0.0, 0.006, 0.0, 0.002])
HALF = 0.15 * np.abs(PAYLOAD) + 1e-3
FRICTION = 0.3  # Coulomb, at most [N m]
MARGIN = 1e-6


def box_of(name: str, friction: float = FRICTION) -> ParameterBox:
    """Return a box with rotors, links and friction that are not known exactly."""
    _, model = arm_named(name)
    unsure = Uncertainty(link_relative=0.03, friction_coulomb=friction)
    bounds = (PAYLOAD - HALF, PAYLOAD + HALF)
    return ParameterBox.around(model, bounds, unsure, (0.95 * ROTOR, 1.05 * ROTOR))


def path_of(name: str, seed: int = 0, speed: float = 0.3, acceleration: float = 1.0):
    home = arm_named(name)[0].home
    return motion(home, np.random.default_rng([seed, 7]), speed, acceleration)


@lru_cache
def designed(name: str = "kinova_gen3", seed: int = 0, friction: float = FRICTION):
    """Return case, design, motion and certificate; wide limits of the torque refuse nothing."""
    robot, model = arm_named(name)
    path, box = path_of(name, seed), box_of(name, friction)
    made = design_for(ArmDynamics(model, box), [path], GAIN, SAMPLING)
    limits = limits_of(robot, next(iter(robot.limit_sets)))
    limits = replace(limits, torque=np.full(model.n, 150.0), acceleration=np.full(model.n, 20.0))
    volume = ConvexBody.primitive("sphere", (0.04,), translation=(0.0, 0.0, 0.04))
    case = SafetyCase(model, robot_geometry(robot, model, [volume]), (), box, made, limits)
    certificate = certify(case, path)
    assert isinstance(certificate, Certificate), certificate
    return case, made, path, certificate


@pytest.mark.parametrize("name", ARMS)
def test_a_certificate_proves_its_design_and_names_what_it_cannot(name):
    case, made, _, certificate = designed(name)
    names = [m.constraint for m in certificate.margins]
    assert tuple(names[-len(DESIGN) :]) == DESIGN
    assert all(0.0 <= certificate.margin(what).used <= 1.0 for what in DESIGN)
    said = " ".join(certificate.assumptions)
    for value in (SAMPLING.period, SAMPLING.position_error, SAMPLING.velocity_error):
        assert f"{value:g}" in said
    for words in ("reflected inertias are at least", "are wrong by", "starts within the tube"):
        assert words in said
    assert case.tube.kind == "robust" and "stated without a design" not in said
    plain = TrackingTube.passivity_based(made.design.level, made.gain, made.design.inertia)
    assert "stated without a design" in " ".join(replace(case, tube=plain).assumptions())


def test_no_sampled_state_goes_beyond_the_margin_of_a_design():
    for name in ARMS:
        case, _, path, certificate = designed(name)
        found = sampled_margins(case, path, 150, 1)
        for what in DESIGN:
            assert found[what] >= certificate.margin(what).left - MARGIN, what
        assert found["torque change"] < 0.9 and found["disturbance"] < 0.7  # they are looked for


def test_a_motion_that_is_faster_than_the_design_is_refused():
    """A jerky or fast motion breaks delta or the disturbance; which is said."""
    case, _, path, _ = designed()
    found = set()
    for speed, acceleration in ((1.2, 6.0), (1.2, 3.0), (0.6, 2.5)):
        outcome = certify(case, path_of("kinova_gen3", 0, speed, acceleration))
        assert isinstance(outcome, Refusal)
        found.add(outcome.constraint)
    assert found <= {*DESIGN, "velocity", "position", "obstacles", "self-collision"}
    assert found & {"disturbance", "torque change"}, found


def plant_of(name: str, payload, links, rotor, friction=0.0) -> Plant:
    robot, _ = arm_named(name)
    place = (robot.urdf, robot.joints, robot.payload_frame)
    return Plant(*place, payload, link_phis=links, armature=rotor, friction_coulomb=friction)


def corner(rng: np.random.Generator) -> np.ndarray:
    """Return a payload at a corner of the box that is a body."""
    while True:
        payload = PAYLOAD + rng.choice([-1.0, 1.0], 10) * HALF
        if is_physical(payload):
            return payload


def energies(model, links, payload, rotor, q, r) -> np.ndarray:
    """Return V of the true arm by Pinocchio's mass matrix, shape (N,) [J]."""
    order = np.asarray(model.order)
    arm = model.pinocchio.copy()
    for k, j in enumerate(order):
        arm.inertias[k + 1] = pin.Inertia.FromDynamicParameters(links[j][TO_PINOCCHIO])
    loaded = with_payload(replace(model, pinocchio=arm), payload)
    data, found = loaded.createData(), []
    for position, error in zip(q, r, strict=True):
        M = np.triu(pin.crba(loaded, data, model.pinocchio_q(position)))
        M = M + np.triu(M, 1).T
        own = error[order]
        found.append(0.5 * own @ M @ own + 0.5 * rotor @ error**2)
    return np.array(found)


def worst_start(case, made, path, rng) -> tuple[np.ndarray, np.ndarray]:
    """Return errors of position and velocity with |p| near pi, positions at the tube's edge."""
    signs = rng.choice([-1.0, 1.0], (2, case.model.n))
    e = 0.999 * signs[0] * made.design.reach / made.gain * rng.choice([0.0, 0.5, 1.0])
    q = path.at(np.zeros(1)).q[0] - e
    dynamics = ArmDynamics(case.model, case.box)
    M = np.array([dynamics.momentum(q, unit) for unit in np.eye(case.model.n)])
    r = np.linalg.solve(M, signs[1] * made.design.start)
    return e, r - made.gain * e


def measured(rng: np.random.Generator):
    """Return what sensors make of states, with errors at their ends."""

    def measure(truth: Measurement) -> Measurement:
        signs = rng.choice([-1.0, 1.0], (2, len(truth.q)))
        q = truth.q + SAMPLING.position_error * signs[0]
        return Measurement(truth.time, q, truth.dq + SAMPLING.velocity_error * signs[1])

    return measure


@pytest.mark.slow
def test_closed_loops_of_certified_motions_keep_level_and_tube():
    """Parameters at corners, |p| near pi, positions at the edge, torques late and states wrong."""
    rng = np.random.default_rng(11)
    for seed, name in enumerate(ARMS):
        case, made, path, certificate = designed(name, seed)
        n, model = case.model.n, case.model
        payload, friction = corner(rng), FRICTION * rng.choice([0.0, 1.0], n)
        rotor = ROTOR * (1.0 + 0.05 * rng.choice([-1.0, 1.0], n))
        links = model.link_phi * (1.0 + 0.03 * rng.choice([-1.0, 1.0], (n, 1)))
        controller = Armour(ArmDynamics(model, case.box), made, case.limits.torque)
        start = worst_start(case, made, path, rng)
        plant = plant_of(name, payload, links, rotor, friction)
        done = run(plant, controller, path, PERIOD, measured(rng), None, 0.1, start, LATE)
        assert done.reasons == ()
        assert made.contains(done.position_error, done.velocity_error)
        r = done.velocity_error + made.gain * done.position_error
        assert (np.abs(r) <= made.reference_velocity).all()
        V = energies(model, links, payload, rotor, done.q[::5], r[::5])
        assert V[0] > 0.1 * made.design.level and V.max() <= made.design.level
        # What the margins are of: disturbance, change within a period, torque.
        w = np.array([step.disturbance for step in done.states])
        nominal = np.array([step.nominal for step in done.states])
        change = np.abs(np.diff(nominal, axis=0)) + np.abs(np.diff(w, axis=0))
        for what, found, allowed in (
            ("disturbance", w, made.design.disturbance),
            ("torque change", change, made.design.change),
            ("torque", np.abs(done.torque), case.limits.torque),
        ):
            assert (found / allowed).max() <= certificate.margin(what).used, what


class Against:
    """A controller whose torque reaches the arm less the worst that the box allows."""

    def __init__(self, controller: Armour) -> None:
        self.controller, self.start = controller, controller.start

    def command(self, state, measurement, reference):
        command, after = self.controller.command(state, measurement, reference)
        e = reference.q - measurement.q
        r = reference.dq - measurement.dq + self.controller.tube.gain * e
        against = np.where(r >= 0, 1.0, -1.0) * after.disturbance
        return Command(command.torque - against, command.reasons), after


@pytest.mark.slow
def test_the_worst_disturbance_from_the_edge_does_not_leave_the_tube():
    """All of |w_j| against the motion from |p| near pi on, torques late and states wrong."""
    rng = np.random.default_rng(12)
    case, made, path, _ = designed("kinova_gen3", 0, 0.0)
    model = case.model
    controller = Against(Armour(ArmDynamics(model, case.box), made, case.limits.torque))
    plant = plant_of("kinova_gen3", PAYLOAD, model.link_phi, ROTOR)
    start = worst_start(case, made, path, rng)
    done = run(plant, controller, path, PERIOD, measured(rng), None, 0.0, start, LATE)
    assert done.reasons == ()
    assert made.contains(done.position_error, done.velocity_error)
    r = done.velocity_error + made.gain * done.position_error
    V = energies(model, model.link_phi, PAYLOAD, ROTOR, done.q[::5], r[::5])
    assert V.max() <= made.design.level and np.median(V) > 0.01 * made.design.level
