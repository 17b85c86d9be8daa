"""A simulated Gen3 for the examples: recordings with sensor errors that keep their stated bounds.

On a real arm the recording comes from a bag instead; see 02_read_a_bag.py.
"""

from __future__ import annotations

import numpy as np

from payload_id import Recording, RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.motion.trajectory import sampled
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.core.simulation.sensors import SensorModel, measured_samples

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)  # the arm as its description says
LINK_RELATIVE = 0.05  # how far the simulated links are from it at the most, as a fraction
NO_PAYLOAD = np.zeros(10)
# 1.2 kg, centre of mass 80 mm in front of the flange, inertia about the centre of mass
PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.08], np.diag([0.004, 0.003, 0.002]))


def shake(payload: Array, sensor: SensorModel, seed: int, seconds: float = 7.5) -> Recording:
    """Return what the sensors of the simulated arm say while it shakes a payload.

    The links are the same in every call, as those of one real arm are.

    Args:
        payload: True parameters about the payload frame, shape (10,).
        sensor: Errors of its sensors.
        seed: Of noise and motion.
        seconds: Length of the motion [s].
    """
    rng = np.random.default_rng(seed)
    links = perturb_links(MODEL.link_phi, LINK_RELATIVE, np.random.default_rng(0))
    plant = Plant(
        ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame, payload, ROBOT.gravity,
        link_phis=links, q0=ROBOT.home,
    )  # fmt: skip
    series = FourierSeries.from_free(ROBOT.home, 0.1 * rng.normal(size=(MODEL.n, 2, 4)), seconds)
    motion = sampled(series, rate=50.0)
    trajectory = JointTrajectory(motion.time, motion.q, motion.dq, motion.ddq)
    samples = measured_samples(sensor, rng, simulate(plant, trajectory, seconds))
    return Recording(samples.stamp, samples.q, samples.dq, samples.tau, joints=ROBOT.joints)
