"""How much of a recording is in no window is said, and only if it is much."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.identification.identify import identify
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from stated_arm import measured_run

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)


def some(seed: int, rate: float, chosen) -> str:
    """Return the message for some of the samples of a run."""
    samples, _ = measured_run(MODEL, ROBOT.uncertainty, seed, 6.0, rate)
    keep = np.zeros(len(samples), dtype=bool)
    keep[chosen(samples.stamp)] = True
    return identify(samples.chosen(keep), MODEL, ROBOT.uncertainty).message


def every(step: int):
    """Return a choice of every so many samples."""
    return lambda stamp: np.arange(0, len(stamp), step)


def jittered(stamp):
    """Return a choice of samples 11 to 29 ms apart."""
    steps = np.random.default_rng(1).integers(11, 30, len(stamp))
    chosen = np.cumsum(steps)
    return chosen[chosen < len(stamp)]


def with_pause(stamp):
    """Return a choice without 3 s in the middle."""
    return np.flatnonzero((stamp < 1.5) | (stamp > 4.5))


@pytest.mark.slow
def test_what_jitter_costs_is_said() -> None:
    assert "s could be used: steps between samples of more than 0.025 s" in some(
        1, 1000.0, jittered
    )


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [every(1), every(10), with_pause], ids=["all", "few", "pause"])
def test_of_usual_recordings_and_of_pauses_nothing_is_said(chosen) -> None:
    assert "could be used" not in some(2, 1000.0, chosen)
