"""What the demonstrations draw and state is true of what they simulate."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.cli.demo.scene import HEAVIEST, REACH, draw_payload
from payload_id.cli.demo.team_robots import _message
from payload_id.cli.demo.team_scene import BOUNDS, NAMES, ROBOT, SENSORS, draw_team
from payload_id.core.body.inertial import is_physical
from payload_id.core.codec import plain
from payload_id.core.mechanism.readings import JointReadings
from payload_id.core.simulation.team.scene import table_one
from payload_id.core.simulation.team.team_motion import Stage, TeamMotion
from payload_id.core.simulation.team.team_plant import TeamPlant
from payload_id.core.simulation.team.team_sensors import RATE, TeamReader, recorded
from payload_id.core.wrists.joint_stream import JointStream
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.teams.team_file import TeamFile
from payload_id.ros.team.robot_messages import reader_of


def test_every_payload_is_a_body_within_the_prior_and_a_seed_repeats_it():
    lower, upper = RobotFile.load("kinova_gen3").uncertainty.prior.box()
    for seed in range(20):
        payload, again = (draw_payload(np.random.default_rng(seed)) for _ in range(2))
        assert is_physical(payload) and 0 < payload[0] <= HEAVIEST
        assert (np.abs(payload[1:4]) <= REACH * payload[0]).all()
        assert (lower <= payload).all() and (payload <= upper).all()
        assert (payload == again).all()
    assert not np.array_equal(payload, draw_payload(np.random.default_rng(0)))


def test_the_team_file_states_the_robots_that_are_simulated_and_heard(tmp_path):
    demo = draw_team(3, tmp_path)
    team = TeamFile.load(demo.team_file)
    assert team.names == NAMES and demo.seconds < 60.0
    for robot in team.robots:
        assert robot.mechanism.masses == ROBOT.mechanism.masses
        assert robot.mechanism.delta.lower_leg == ROBOT.mechanism.delta.lower_leg
        assert plain(robot.bounds).items() >= BOUNDS.items()
    reading = JointReadings(np.array([1.5]), *np.random.default_rng(0).normal(size=(4, 1, 3)))
    message = _message(reading)
    parts = (reading.before, reading.theta, reading.gimbal, reading.tau)
    heard = reader_of("joint_states", team.robots[0])(message)
    np.testing.assert_array_equal(heard, np.concatenate([x[0] for x in parts]))
    assert message.header.stamp.nanosec == 500_000_000


@pytest.mark.slow
def test_samples_err_by_no_more_than_is_stated():
    scene, rng = table_one(ROBOT), np.random.default_rng(2)
    reader = TeamReader(scene, SENSORS, rng)
    motion = TeamMotion.random(rng, scene.centre, np.deg2rad(6.0), 0.02, 0.9)
    truth = list(TeamPlant(scene).through((Stage(motion, 4.0),), lambda step: True))
    time = np.array([x.time for x in truth])
    turns, bases = scene.bases()
    for i, seen in recorded(truth, reader).items():
        samples = JointStream("x", scene.robot.mechanism, RATE).add(seen)
        at = np.clip(np.searchsorted(time, samples.time - reader.errors[i].clock), 0, len(time) - 1)
        state = [truth[k] for k in at]
        body = np.stack([x.rotation for x in state])
        R = turns[i].T @ body @ scene.rotations[i]
        lag = Rotation.from_matrix(np.swapaxes(R, 1, 2) @ samples.rotation).as_rotvec()
        assert np.abs(lag).max() < BOUNDS["orientation"] + 0.6e-3  # half a step of the physics
        grasp = np.stack([x.position for x in state]) + body @ scene.positions[i]
        off = samples.position - (grasp - bases[i]) @ turns[i]
        assert np.abs(off).max() < BOUNDS["position"] + 0.3e-3
        twist = np.stack([x.twist for x in state])
        w = twist[:, :3] @ scene.rotations[i]
        v = (twist[:, 3:] + np.cross(twist[:, :3], scene.positions[i])) @ scene.rotations[i]
        assert np.abs(samples.twist[:, :3] - w).max() < BOUNDS["angular_velocity"]
        assert np.abs(samples.twist[:, 3:] - v).max() < BOUNDS["linear_velocity"]
