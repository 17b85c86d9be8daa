"""What drives of the simulated arm are told between the points of a trajectory."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.motion.joint_trajectory import JointTrajectory, sample
from payload_id.ros.simulated_arm.controllers.sampled_trajectory import SampledTrajectory


@pytest.mark.parametrize("fields", ["q", "q dq", "q dq ddq"])
def test_the_fast_sampling_is_that_of_the_mathematics(fields):
    random = np.random.default_rng(1)
    time = np.cumsum(random.uniform(0.1, 0.3, 6))
    values = {name: random.normal(size=(6, 3)) for name in fields.split()}
    for name in ("dq", "ddq"):
        if name in values:
            values[name][-1] = 0.0
    trajectory = JointTrajectory(time, **values)
    fast = SampledTrajectory(trajectory)
    for t in [*np.linspace(time[0] - 0.1, time[-1] + 0.1, 50), *time]:
        wanted, found = sample(trajectory, t), fast.at(t)
        for name in ("q", "dq", "ddq"):
            assert np.allclose(getattr(found, name), getattr(wanted, name), atol=1e-10)
