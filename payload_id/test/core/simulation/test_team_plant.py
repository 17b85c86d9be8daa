"""A simulated team obeys what it was not made of: Newton and Euler, energy, kinematics."""

import numpy as np
import pytest

from payload_id.core.body.inertial import inertia_matrix, mass_com_inertia
from payload_id.core.mechanism.readings import DOWN
from payload_id.core.simulation.mujoco_plant import SimulationError
from payload_id.core.simulation.team.scene import table_one
from payload_id.core.simulation.team.team_motion import Stage, TeamMotion, WristReferences
from payload_id.core.simulation.team.team_plant import TeamPlant, weight_shares
from payload_id.core.simulation.team.team_sensors import RATE, TeamReader, TeamSensors, recorded
from payload_id.core.wrists.joint_stream import JointStream


def test_shares_carry_the_weight_without_a_moment():
    scene = table_one()
    shares = weight_shares(scene)
    mass, com, _ = mass_com_inertia(scene.phi)
    assert shares.sum() == pytest.approx(-DOWN[2] * mass)
    np.testing.assert_allclose(shares @ scene.positions[:, :2] / shares.sum(), com[:2])


def test_forces_from_the_springs_are_those_of_newton_and_euler():
    """Noise-free readings of moving robots against the payload's own equations of motion."""
    scene, rng = table_one(), np.random.default_rng(0)
    motion = TeamMotion.random(rng, scene.centre)
    reader = TeamReader(scene, TeamSensors(), rng)
    truth = list(TeamPlant(scene).through((Stage(motion, 1.5),), reader.due))
    samples = {
        f"omnid{i + 1}": JointStream("x", scene.robot.mechanism, RATE, 0.03).add(seen)
        for i, seen in recorded(truth, reader).items()
    }
    mass, com, _ = mass_com_inertia(scene.phi)
    inertia = inertia_matrix(scene.phi)
    by_time = {round(x.time, 3): x for x in truth}
    for k, time in enumerate(samples["omnid1"].time):
        state = by_time[round(float(time), 3)]
        forces = [R @ samples[f"omnid{i + 1}"].force[k] for i, R in enumerate(scene.rotations)]
        w, v, alpha = state.twist[:3], state.twist[3:], state.acceleration[:3]
        a = state.acceleration[3:] + np.cross(w, v) - state.rotation.T @ DOWN
        f = mass * (a + np.cross(alpha, com) + np.cross(w, np.cross(w, com)))
        m = mass * np.cross(com, a) + inertia @ alpha + np.cross(w, inertia @ w)
        # 0.1 % of the weight: smoothing over 60 ms, soft constraints, steps of 1 ms.
        np.testing.assert_allclose(np.sum(forces, axis=0), f, atol=0.1)
        np.testing.assert_allclose(np.cross(scene.positions, forces).sum(axis=0), m, atol=0.1)
    turns, bases = scene.bases()  # loops stay closed, and grasps hold
    for state in truth[::50]:
        for i in range(scene.n):
            wrist = bases[i] + turns[i] @ scene.robot.mechanism.delta.forward(state.theta[i])
            grasp = state.position + state.rotation @ scene.positions[i]
            np.testing.assert_allclose(wrist, grasp, atol=2e-6)
            turned = turns[i] @ scene.robot.mechanism.gimbal.rotation(state.gimbal[i][None])[0]
            np.testing.assert_allclose(turned, state.rotation @ scene.rotations[i], atol=2e-6)


def test_a_motion_beyond_the_mechanism_is_refused():
    scene = table_one()
    high = np.array([0, 0, 0, 0, 0, 0.4])
    plant = TeamPlant(scene)
    plant.follow(TeamMotion.hold(high, scene.centre))
    with pytest.raises(SimulationError, match="end of its travel"):
        for _ in plant.run(3.0, lambda step: step % 1000 == 0):
            pass


def test_wrists_follow_references_that_only_each_robot_knows():
    """The payload goes where the wrists of all are told to go, to what a soft impedance allows."""
    scene, time = table_one(), np.linspace(0.0, 1.5, 151)
    shift = 0.02 * (1.0 - np.cos(2 * np.pi * time / 1.5)) / 2.0
    plant = TeamPlant(scene)
    home = np.tile([0.0, 0.0, scene.robot.home_height], (scene.n, 1))
    up = home[:, None] + shift[None, :, None] * [0.0, 0.0, 1.0]
    plant.follow(WristReferences(time, up))
    heights = [state.position[2] for state in plant.run(1.5, lambda step: step % 20 == 0)]
    assert 0.012 < max(heights) < 0.03
    plant.follow(TeamMotion.hold(np.zeros(6), scene.centre))
    *_, last = plant.run(3.0, lambda step: step % 100 == 0)
    np.testing.assert_allclose(last.position, 0.0, atol=2e-3)
