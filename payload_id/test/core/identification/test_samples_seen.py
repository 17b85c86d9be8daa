"""How much of a recording is in no window is said, and only if it is much."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.identification.identify import identify
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

UNUSED = "could be used"


@pytest.fixture(scope="module")
def gen3():
    """Return the arm, its bounds and samples at 1 kHz."""
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    return model, robot.uncertainty, measured_run(model, robot.uncertainty, 1, 4.0, 1000.0)[0]


def test_what_jitter_costs_is_said_and_nothing_of_few_samples_or_a_pause(gen3) -> None:
    model, stated, samples = gen3
    every = np.arange(len(samples))
    jitter = np.cumsum(np.random.default_rng(1).integers(11, 30, len(every)))
    pause = every[(every < 1000) | (every > 3000)]
    chosen = {"jitter": jitter[jitter < len(every)], "few": every[::10], "pause": pause[::4]}
    for name, which in chosen.items():
        keep = np.isin(every, which)
        said = identify(samples.where(keep), model, stated, "ols", "least_squares_image").message
        assert (UNUSED in said) == (name == "jitter"), name
