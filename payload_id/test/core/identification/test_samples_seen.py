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
    """Return what is said after each window of samples that come in so many pieces."""
    cutter, used, said = WindowCutter(window), TimeUsed(), []
    before = None
    for piece in np.array_split(np.asarray(stamp), chops):
        used, before = used.with_samples(before, piece, window), piece[-1]
        for found in cutter.add(Stamps(piece)):
            used = used.with_window(found.stamp)
            said.append((used.remark(window), used))
    return said


@pytest.mark.parametrize("seed", range(5))
def test_what_is_said_is_the_same_however_the_samples_come_and_adds_up(seed) -> None:
    """A live run gets blocks, and a replay all of them at once."""
    rng = np.random.default_rng(seed)
    step = rng.uniform(0.004, 0.028, 4000)
    step[[1000, 3000]] = 20.0, 1e4  # pauses
    stamp = np.cumsum(step)
    whole = remarks(stamp, 1)
    for chops in (7, 400):
        assert [words for words, _ in remarks(stamp, chops)] == [words for words, _ in whole]
    words, used = whole[-1]
    assert "could be used" in words
    cutter = WindowCutter(0.1)
    first = cutter.add(Stamps(stamp))[0].stamp[0]
    assert used.used + used.left_out == pytest.approx(used.end - first - 20.0 - 1e4)


@pytest.mark.parametrize("chops", [1, 9])
def test_why_there_is_no_window_does_not_take_a_pause_for_a_step(chops) -> None:
    def seen(stamp):
        found = SamplesSeen()
        for piece in np.array_split(np.asarray(stamp), chops):
            found = found.with_samples(Stamps(piece))
        return found.why_no_window(0.1)

    slow = 0.05 * np.arange(100)
    paused = np.concatenate([slow, slow + 300.0])
    for stamp in (slow, paused):
        words = seen(stamp)
        least = float(words.rpartition("at least ")[2].removesuffix(" s."))
        assert "free of gaps" in words and 0.2 < least < 0.4  # which does have windows
        cutter = WindowCutter(least)
        assert cutter.add(Stamps(stamp))
    pieces = np.concatenate([k + 0.002 * np.arange(41) for k in range(40)])
    assert "do not fill one window" in seen(pieces) and "0.92 s" in seen(pieces)
    assert "record longer" in seen(0.01 * np.arange(9))
