"""The bounds that the demonstration of a team states are true for its simulated robots."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.cli.demo.team_scene import BOUNDS, ROBOT, SENSORS
from payload_id.core.simulation.team.scene import table_one
from payload_id.core.simulation.team.simulated_run import Stage, mechanism_of, states
from payload_id.core.simulation.team.team_motion import TeamMotion
from payload_id.core.simulation.team.team_plant import TeamPlant
from payload_id.core.simulation.team.team_sensors import RATE, TeamReader, recorded
from payload_id.core.wrists.joint_stream import JointStream


@pytest.mark.slow
def test_samples_err_by_no_more_than_is_stated():
    scene, rng = table_one(ROBOT), np.random.default_rng(2)
    reader = TeamReader(scene, SENSORS, rng)
    motion = TeamMotion.random(rng, scene.centre, np.deg2rad(6.0), 0.02, 0.9)
    plant = TeamPlant(scene)
    truth = list(states(plant, (Stage(motion, 5.0),), lambda step: True))
    time = np.array([x.time for x in truth])
    turns, bases = scene.bases()
    for i, seen in recorded(truth, reader).items():
        samples = JointStream("x", mechanism_of(scene, i), RATE).add(seen)
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
