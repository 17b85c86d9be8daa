"""The robust controller: passivity, disturbance, tubes that are left."""

from __future__ import annotations

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from closed_loop import run
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.control.armour import Armour
from payload_id.core.control.controller import limited
from payload_id.core.control.robust_design import robust_design
from payload_id.core.errors import InputError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import with_payload
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.simulation.plant import Plant
from payload_id.core.simulation.skeleton import nominal_arm
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

PAYLOAD = from_mass_com_inertia(2.7, [0.01, -0.005, 0.09], np.diag([0.01, 0.011, 0.006]))
HALF = 0.15 * np.abs(PAYLOAD) + np.array([0.0] + [0.01] * 3 + [0.003] * 6)
ROTOR_RELATIVE = 0.05
DISTURBANCE = np.array([5.0, 8.0, 4.0, 8.0, 4.0, 4.0, 4.0])


@cache
def robot() -> RobotFile:
    return RobotFile.load("kinova_gen3")


@cache
def gen3():
    return nominal_arm(robot().urdf, robot().joints, robot().payload_frame)


def box(model, link_relative: float = 0.05, friction: float = 0.0) -> ParameterBox:
    rotor = robot().control.rotor_inertia
    return ParameterBox.around(
        model,
        (PAYLOAD - HALF, PAYLOAD + HALF),
        Uncertainty(link_relative=link_relative, friction_coulomb=friction),
        ((1 - ROTOR_RELATIVE) * rotor, (1 + ROTOR_RELATIVE) * rotor),
    )


def design(model, parameters, level: float = 0.05, **change):
    return robust_design(model, parameters, level, 10.0, DISTURBANCE, 0.3, **change)


def state(n: int, seed: int):
    return np.random.default_rng(seed).normal(size=(4, n))


@pytest.mark.parametrize("name", ["kinova_gen3", "xarm7"])
def test_regressor_is_mass_coriolis_and_gravity(name):
    """Y theta = M ddq_a + C dq_a + g with Pinocchio's matrices, and Mdot - 2 C is skew."""
    model = RobotModel.from_robot_file(RobotFile.load(name))
    rotor = (np.zeros(7), np.zeros(7))
    parameters = ParameterBox.around(model, (PAYLOAD, PAYLOAD), Uncertainty(), rotor)
    dynamics = ArmDynamics(model, parameters)
    q, dq, dq_a, ddq_a = state(model.n, 1)
    loaded = with_payload(model, PAYLOAD)
    data, at = loaded.createData(), model.pinocchio_q(q)
    C = pin.computeCoriolisMatrix(loaded, data, at, dq).copy()
    g = pin.computeGeneralizedGravity(loaded, data, at).copy()
    M = np.triu(pin.crba(loaded, data, at))
    M = M + np.triu(M, 1).T
    tau, w = dynamics.torque(q, dq, dq_a, ddq_a)
    np.testing.assert_allclose(tau, M @ ddq_a + C @ dq_a + g, atol=1e-11)
    np.testing.assert_allclose(w, 0.0, atol=1e-11)
    np.testing.assert_allclose(dynamics.momentum(q, dq_a), M @ dq_a, atol=1e-11)
    assert dynamics.largest_energy(q, dq_a) == pytest.approx(0.5 * dq_a @ M @ dq_a, rel=1e-12)
    # r' (Mdot - 2 C) r = 0 with the C that is in Y: d/dt (r' M r) along dq, r held.
    still = ArmDynamics(model, parameters)
    step = 1e-6
    change = still.largest_energy(q + step * dq, dq_a) - still.largest_energy(q - step * dq, dq_a)
    power = dq_a @ (dynamics.torque(q, dq, dq_a, 0 * q)[0] - g)
    assert change / (2 * step) == pytest.approx(power, rel=1e-6)


def test_disturbance_is_the_largest_over_the_box():
    """No corner of the box, and no friction, needs more than w; one corner needs all of it."""
    model = gen3()
    parameters = box(model, friction=0.4)
    dynamics = ArmDynamics(model, parameters)
    q, dq, dq_a, ddq_a = state(7, 2)
    nominal, w = dynamics.torque(q, dq, dq_a, ddq_a)
    rng, reached = np.random.default_rng(0), np.zeros(7)
    middle, half = parameters.bodies
    Y = dynamics.regressor(q, dq, dq_a, ddq_a)
    for j in range(7):
        signs = rng.choice([-1.0, 1.0], size=Y.shape[1])
        for corner in (signs, np.sign(Y[j]), -np.sign(Y[j])):
            rotor = dynamics.rotor[0] + rng.choice([-1, 1], 7) * dynamics.rotor[1]
            friction = rng.choice([0.0, 0.4], 7) * np.sign(dq)
            tau = Y @ (dynamics.centre + corner * dynamics.half_width) + rotor * ddq_a + friction
            assert (np.abs(tau - nominal) <= w + 1e-9).all()
            reached = np.maximum(reached, np.abs(tau - nominal))
    assert (reached > 0.6 * w).all()


def excitation(seed: int, size: float = 0.012) -> FourierSeries:
    free = size * np.random.default_rng(seed).normal(size=(7, 2, 4))
    return FourierSeries.from_free(robot().home, free, 3.0)


def test_the_tube_is_left_and_said_when_the_payload_is_outside():
    """A payload far beyond its interval, with small torque limits, is noticed."""
    model = gen3()
    parameters = box(model)
    made = design(model, parameters)
    heavy = from_mass_com_inertia(9.0, [0.0, 0.1, 0.2], 0.02 * np.eye(3))
    plant = Plant(
        robot().urdf,
        robot().joints,
        robot().payload_frame,
        heavy,
        armature=robot().control.rotor_inertia,
    )
    controller = Armour(ArmDynamics(model, parameters), made, np.full(7, 100.0))
    done = run(plant, controller, MotionSequence((excitation(0),), (0.5,)))
    assert not made.contains(done.position_error, done.velocity_error)
    assert any("The tube is left" in reason for _, reason in done.reasons)


def test_cut_torques_have_a_reason():
    """What is above the limit is cut and said; what is no number becomes zero and is said."""
    torque, reasons = limited(np.array([5.0, -20.0, np.nan]), np.full(3, 10.0), ("a", "b", "c"))
    np.testing.assert_array_equal(torque, [5.0, -10.0, 0.0])
    assert [reason[0] for reason in reasons] == ["b", "c"]
    assert "the limit is 10" in reasons[0]


def test_impossible_designs_are_refused_by_name():
    model = gen3()
    given = {"level": 0.05, "gain": 10.0, "disturbance": 6.0, "change": 1.0}
    for name in given:
        for wrong in (np.nan, np.inf, -1.0):
            with pytest.raises(InputError, match="must be finite|above 0"):
                robust_design(model, box(model), **{**given, name: wrong})
    for rotor, change, words in (
        (0.0, {}, "rotor"), (10.0, {"level": 1e-6}, "narrow"),
        (10.0, {"sampling": Sampling(0.1)}, "0.1 s"),
    ):  # fmt: skip
        rotors = (np.full(7, rotor),) * 2
        parameters = ParameterBox.around(model, (PAYLOAD, PAYLOAD), Uncertainty(), rotors)
        with pytest.raises(InputError, match=words):
            design(model, parameters, **change)
