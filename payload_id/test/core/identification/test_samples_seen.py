"""How much of a recording is in no window is said, and only if it is much."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.identification.identify import identify
from payload_id.core.identification.samples_seen import SamplesSeen, TimeUsed
from payload_id.core.rows.windows import WindowCutter
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
        said = identify(samples.chosen(keep), model, stated, "ols", "least_squares_image").message
        assert (UNUSED in said) == (name == "jitter"), name


class Stamps:
    """Samples that are instants and nothing else."""

    def __init__(self, stamp):
        self.stamp = np.asarray(stamp)

    def __len__(self):
        return len(self.stamp)

    def part(self, start, stop):
        return Stamps(self.stamp[start:stop])

    def joined(self, newer):
        return Stamps(np.concatenate([self.stamp, newer.stamp]))


def remarks(stamp, chops, window=0.1):
    """Return what is said after each window of samples that come in so many pieces, and the use."""
    cutter, used, said, before = WindowCutter(window), TimeUsed(), [], None
    for piece in np.array_split(stamp, chops):
        used, before = used.with_samples(before, piece, window), piece[-1]
        for found in cutter.add(Stamps(piece)):
            used = used.with_window(found.stamp)
            said.append(used.remark(window))
    return said, used


def test_what_is_said_is_the_same_however_the_samples_come_and_adds_up() -> None:
    """A live run gets blocks, and a replay all of them at once."""
    for seed in range(3):
        step = np.random.default_rng(seed).uniform(0.004, 0.028, 2000)
        step[[500, 1500]] = 20.0, 1e4  # pauses
        stamp = np.cumsum(step)
        said, used = remarks(stamp, 1)
        assert all(remarks(stamp, chops)[0] == said for chops in (7, 400))
        first = WindowCutter(0.1).add(Stamps(stamp))[0].stamp[0]
        assert UNUSED in said[-1]
        assert used.used + used.left_out == pytest.approx(used.end - first - 20.0 - 1e4)


def test_why_there_is_no_window_does_not_take_a_pause_for_a_step() -> None:
    def why(stamp):
        found = SamplesSeen()
        for piece in np.array_split(stamp, 9):
            found = found.with_samples(Stamps(piece))
        return found.why_no_window(0.1)

    slow = 0.05 * np.arange(100)
    for stamp in (slow, np.concatenate([slow, slow + 300.0])):
        least = float(why(stamp).rpartition("at least ")[2].removesuffix(" s."))
        assert 0.2 < least < 0.4 and WindowCutter(least).add(Stamps(stamp))  # has windows
    pieces = np.concatenate([k + 0.002 * np.arange(41) for k in range(40)])
    assert "do not fill one window" in why(pieces) and "0.92 s" in why(pieces)
    assert "record longer" in why(0.01 * np.arange(9))
