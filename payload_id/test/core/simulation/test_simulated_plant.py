"""The MuJoCo plant against Pinocchio, momentum and energy, for several arms and payloads."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from arms import BORROWED, description
from arms import arm as arm_model
from payload_id.core.body.inertial import TO_PINOCCHIO, from_mass_com_inertia
from payload_id.core.errors import InputError, ModelError, UnknownNameError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant
from payload_id.core.simulation.skeleton import nominal_arm
from payload_id.files.robots.robot_file import RobotFile

BRICK = from_mass_com_inertia(1.81, [0.02, -0.03, 0.07], np.diag([0.004, 0.005, 0.003]))
POINT = from_mass_com_inertia(2.0, [0.0, 0.05, 0.1], np.zeros((3, 3)))
ROD = from_mass_com_inertia(1.0, [0.1, 0.0, 0.2], 0.01 * (np.eye(3) - np.ones((3, 3)) / 3))
PLATE = from_mass_com_inertia(1.5, [0.0, 0.1, 0.0], np.diag([0.003, 0.005, 0.008]))
NOTHING = np.zeros(10)

# A continuous and a prismatic joint, a tilted inertial frame, massless links, no geometry.
CRANE = """<robot name="crane"><link name="base"/>
<link name="beam"><inertial><origin xyz="0.1 0 -0.4" rpy="0.3 0.2 0.1"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<link name="rail"/><link name="hook"/>
<link name="trolley"><inertial><mass value="0.7"/>
<inertia ixx="0.002" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="beam"/>
<axis xyz="0 1 0"/></joint>
<joint name="rail_mount" type="fixed"><parent link="beam"/><child link="rail"/>
<origin xyz="0 0 -0.3" rpy="0 1 0"/></joint>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="trolley"/>
<axis xyz="1 0 0"/><limit lower="-0.1" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="hook_mount" type="fixed"><parent link="trolley"/><child link="hook"/>
<origin xyz="0 0.2 0" rpy="0 0 1"/></joint></robot>"""
CRANE_ARM = (CRANE, ("hinge", "slide"), "hook")
MASSLESS_TROLLEY = CRANE.replace('mass value="0.7"', 'mass value="0"')


def arm(name: str) -> tuple[str, tuple[str, ...], str]:
    """Return description, joints and payload frame of an arm."""
    if name == "crane":
        return CRANE_ARM
    if name in BORROWED:
        urdf, frame, _ = description(name)
        return urdf, arm_model(name).joints, frame
    robot = RobotFile.load(name)
    return robot.urdf, robot.joints, robot.payload_frame


def motion(n: int, duration: float = 3.0) -> JointTrajectory:
    """Return a smooth motion from rest to rest, quintic between points every 20 ms."""
    free = 0.05 * np.random.default_rng(0).normal(size=(n, 2, 3))
    points = points_of(FourierSeries.from_free(np.zeros(n), free, duration), 50.0)
    return JointTrajectory(points.time, points.q, points.dq, points.ddq)


def true_model(plant: Plant) -> pin.Model:
    """Return a Pinocchio model with the plant's links and payload."""
    nominal = plant.nominal
    model = nominal.pinocchio.copy()
    for joint_id, k in enumerate(nominal.order, start=1):
        phi = plant.link_phis[k]
        model.inertias[joint_id] = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
    placement = pin.SE3(nominal.payload_rotation, nominal.payload_translation)
    if plant.payload_phi[0] > 0:
        payload = pin.Inertia.FromDynamicParameters(plant.payload_phi[TO_PINOCCHIO])
        joint_id = list(nominal.order).index(nominal.payload_joint) + 1
        model.inertias[joint_id] += placement.act(payload)
    return model


def acceleration(plant: Plant, tau: np.ndarray) -> np.ndarray:
    """Return MuJoCo's acceleration under torques tau in the plant's state, in MuJoCo's order."""
    data = mujoco.MjData(plant.model)
    data.qpos[:], data.qvel[:] = plant.data.qpos, plant.data.qvel
    names = [plant.model.joint(k).name for k in range(plant.n)]
    data.qfrc_applied[:] = [tau[plant.nominal.joints.index(name)] for name in names]
    mujoco.mj_forward(plant.model, data)
    return np.array([data.joint(name).qacc[0] for name in plant.nominal.joints])


@pytest.mark.parametrize(
    ("name", "payload"),
    [("kinova_gen3", POINT), ("xarm7", NOTHING), ("panda", ROD), ("ur10", BRICK), ("crane", PLATE)],
)
def test_reported_torque_and_wrench_are_pinocchios_inverse_dynamics(name, payload):
    """Tau = RNEA(q, dq, ddq) of the true arm at MuJoCo's own acceleration, some joints locked.

    The wrench in the payload frame is what moves the payload alone.
    """
    urdf, joints, frame = arm(name)
    joints = joints[2:] if name == "panda" else joints
    nominal = nominal_arm(urdf, joints, frame)
    links = perturb_links(nominal.link_phi, 0.1, np.random.default_rng(7))
    plant = Plant(urdf, joints, frame, payload, link_phis=links)
    before, _ = plant.state
    plant.step_to(0.05)
    np.testing.assert_allclose(plant.state, [before, 0.0 * before], atol=1e-8)
    plant.set_trajectory(motion(plant.n))
    model, order = true_model(plant), list(plant.nominal.order)
    data = model.createData()
    for t in (0.4, 0.81, 1.207):
        plant.step_to(t)
        state = plant.measure()
        ddq = acceleration(plant, state.tau)
        tau = np.empty(plant.n)
        tau[order] = pin.rnea(model, data, state.q[order], state.dq[order], ddq[order])
        np.testing.assert_allclose(state.tau, tau, atol=1e-9 * np.abs(tau).max())
        zero = pin.Inertia.Zero()
        body = pin.Inertia.FromDynamicParameters(payload[TO_PINOCCHIO]) if payload[0] else zero
        joint = order.index(nominal.payload_joint) + 1
        place = pin.SE3(nominal.payload_rotation, nominal.payload_translation)
        v, a = place.actInv(data.v[joint]), place.actInv(data.a_gf[joint])
        wrench = (body * a + v.cross(body * v)).vector
        np.testing.assert_allclose(plant.payload_wrench(), wrench, atol=1e-8)


def test_a_payload_that_is_exchanged_is_carried_like_one_from_the_start(payload=BRICK):
    """Once the integral has settled, the same torques move the same payload along the same way."""
    robot = RobotFile.load("kinova_gen3")
    description = robot.urdf, robot.joints, robot.payload_frame
    earlier = NOTHING
    changed, built = (Plant(*description, phi, q0=robot.home) for phi in (earlier, payload))
    with pytest.raises(InputError):
        changed.set_payload(-BRICK)
    changed.set_payload(payload)
    np.testing.assert_array_equal(changed.payload_phi, payload)
    for plant in (changed, built):
        plant.step_to(2.0)
        goal = np.array([robot.home, robot.home + 0.4])
        rest = np.zeros_like(goal)
        plant.set_trajectory(JointTrajectory(np.array([0.0, 1.0]), goal, rest, rest))
        plant.step_to(2.4)
    np.testing.assert_allclose(changed.measure().tau, built.measure().tau, atol=1e-6)
    np.testing.assert_allclose(changed.state, built.state, atol=1e-8)


def test_friction_and_rotor_inertia_need_their_torque():
    """Tau = RNEA + F_c sign(dq) + F_v dq + I_a ddq while the joint moves."""
    coulomb, viscous, rotor = 1.5, 0.7, 0.3
    plant = Plant(
        *CRANE_ARM,
        BRICK,
        friction_coulomb=coulomb,
        friction_viscous=viscous,
        armature=rotor,
    )
    rest = np.zeros((2, 2))
    wanted = JointTrajectory([0.0, 2.0], [[0.0, 0.0], [2.0, -1.0]], rest, rest)
    plant.set_trajectory(wanted)
    model = true_model(plant)
    for t in (0.6, 1.0, 1.4):
        plant.step_to(t)
        state = plant.measure()
        ddq = acceleration(plant, state.tau)
        rigid = pin.rnea(model, model.createData(), state.q, state.dq, ddq)
        expected = rigid + coulomb * np.sign(state.dq) + viscous * state.dq + rotor * ddq
        assert np.abs(state.dq).min() > 0.3
        np.testing.assert_allclose(state.tau, expected, atol=1e-6)


def test_impossible_arms_are_refused_by_name():
    for error, words, change in (
        (UnknownNameError, "Did you mean 'hinge'", {"joints": ["hinges"]}),
        (ModelError, "'fixed'", {"joints": ["rail_mount"]}),
        (UnknownNameError, "'top'", {"payload_frame": "top"}),
        (InputError, "no body", {"payload_phi": [1, 1, 0, 0, 0, 0, 0, 0, 0, 0]}),
        (InputError, "no body", {"payload_phi": [-1] + [0] * 9}),
        (InputError, "ten finite", {"payload_phi": [1, 2]}),
        (ModelError, "URDF", {"urdf": "<robot"}),
        (ModelError, "inertia", {"urdf": MASSLESS_TROLLEY}),
        (InputError, "friction_viscous", {"friction_viscous": -1.0}),
        (InputError, "2 joints", {"q0": [0.0]}),
        (InputError, "step", {"step": 0.0}),
    ):
        arguments = dict(zip(("urdf", "joints", "payload_frame"), CRANE_ARM, strict=True)) | change
        with pytest.raises(error, match=words):
            Plant(**arguments)
