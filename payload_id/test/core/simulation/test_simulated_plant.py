"""The MuJoCo plant against Pinocchio, momentum and energy, for several arms and payloads."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from payload_id.core.body.inertial import TO_PINOCCHIO, from_mass_com_inertia
from payload_id.core.errors import InputError, ModelError, UnknownNameError
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.simulation.mujoco_arm import nominal_arm
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
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


def third_party(name: str) -> str:
    """Return a robot description that others wrote."""
    files = metadata.files("example-robot-data") or []
    return Path(next(f for f in files if f.name == name).locate()).read_text()


def arm(name: str) -> tuple[str, tuple[str, ...], str]:
    """Return description, joints and payload frame of an arm."""
    if name == "crane":
        return CRANE_ARM
    if name == "panda":
        return (
            third_party("panda.urdf"),
            tuple(f"panda_joint{k}" for k in range(1, 8)),
            "panda_hand",
        )
    if name == "ur10":
        kinds = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
        return third_party("ur10_robot.urdf"), tuple(f"{k}_joint" for k in kinds), "tool0"
    robot = RobotFile.load(name)
    return robot.urdf, robot.joints, robot.payload_frame


def motion(n: int, duration: float = 3.0, seed: int = 0) -> JointTrajectory:
    """Return a smooth motion from rest to rest, quintic between points every 20 ms."""
    t = np.linspace(0.0, duration, round(duration / 0.02) + 1)
    w = np.pi / duration
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-0.6, 0.6, (2, n))
    # q = a s^4 + b s^4 c with s = sin(w t), c = cos(w t)
    s, c = np.sin(w * t)[:, None], np.cos(w * t)[:, None]
    q = a * s**4 + b * s**4 * c
    dq = w * (a * 4 * s**3 * c + b * (4 * s**3 * c**2 - s**5))
    ddq = w**2 * (a * (12 * s**2 * c**2 - 4 * s**4) + b * (12 * s**2 * c**3 - 13 * s**4 * c))
    dq[-1] = 0.0
    return JointTrajectory(t, q, dq, ddq)


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
def test_reported_torque_is_pinocchios_inverse_dynamics(name, payload):
    """Tau = RNEA(q, dq, ddq) of the true arm at MuJoCo's own acceleration, some joints locked."""
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


def test_joint_order_of_the_caller():
    """Joints named in another order only permute the columns."""
    urdf, joints, frame = arm("kinova_gen3")
    shuffle = [3, 0, 6, 1, 5, 2, 4]
    wanted = motion(7, duration=0.6)
    straight = simulate(Plant(urdf, joints, frame, BRICK), wanted, 0.5)
    columns = (wanted.q[:, shuffle], wanted.dq[:, shuffle], wanted.ddq[:, shuffle])
    turned = JointTrajectory(wanted.time, *columns)
    plant = Plant(urdf, [joints[k] for k in shuffle], frame, BRICK)
    permuted = simulate(plant, turned, 0.5)
    np.testing.assert_allclose(permuted.tau, straight.tau[:, shuffle], atol=1e-8)
    np.testing.assert_allclose(permuted.q, straight.q[:, shuffle], atol=1e-10)


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


def test_an_error_in_the_controller_surfaces(monkeypatch):
    """What goes wrong inside MuJoCo's callback is raised, and the callback is removed."""
    plant = Plant(*CRANE_ARM)

    def broken(row: int) -> None:
        raise InputError("broken")

    monkeypatch.setattr(plant, "_torque", broken)
    with pytest.raises(InputError, match="broken"):
        plant.step_to(0.01)
    assert mujoco.get_mjcb_control() is None


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


def test_effort_limit_is_kept_and_reported():
    """The reported torque is the clipped one, which really acts."""
    plant = Plant(*CRANE_ARM, BRICK, effort_limit=2.0, q0=[1.0, 0.0])
    plant.step_to(0.2)
    state = plant.measure()
    np.testing.assert_array_equal(np.abs(state.tau), 2.0)
    model = true_model(plant)
    ddq = acceleration(plant, state.tau)
    rigid = pin.rnea(model, model.createData(), state.q, state.dq, ddq)
    np.testing.assert_allclose(rigid, state.tau, atol=1e-9)


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
