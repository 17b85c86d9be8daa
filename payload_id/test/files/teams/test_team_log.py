"""A team's log: what was written is read, bit by bit; damage and limits are said."""

import io
from contextlib import ExitStack, closing

import numpy as np
import pytest

from payload_id.core.errors import RecordingError
from payload_id.core.team.samples import RobotSamples
from payload_id.files.teams.team_log import Left, TeamLog, Touched, Updated, read_log


@pytest.fixture
def new_log():
    """Makes logs that are closed in the end."""
    with ExitStack() as stack:
        yield lambda most: stack.enter_context(closing(TeamLog(most)))


def samples(k=5, **more):
    rng = np.random.default_rng(k)
    turns = np.linalg.qr(rng.normal(size=(k, 3, 3)))[0]
    turns *= np.linalg.det(turns)[:, None, None]
    return RobotSamples("a", np.arange(k) / 3, turns, rng.normal(size=(k, 3)),
                        rng.normal(size=(k, 6)), rng.normal(size=(k, 3)), **more)  # fmt: skip


def saved(log, path):
    with path.open("wb") as file:
        log.copy_to(file)
    return path


def test_events_come_back_bit_by_bit_and_in_order(tmp_path, new_log):
    log = new_log(10**7)
    imu = {"imu_angular_velocity": np.ones((4, 3)), "imu_specific_force": np.full((4, 3), 0.1)}
    given = [samples(3), Updated(), samples(4, **imu), Left("a", 1 / 3), Touched(0.1, 2.5)]
    for event in given[:2]:
        log.write(event)
    saved(log, tmp_path / "early")  # and it goes on
    for event in given[2:]:
        log.write(event)
    found = list(read_log(saved(log, tmp_path / "log")))
    assert [type(x) for x in found] == [type(x) for x in given]
    for one, other in ((given[0], found[0]), (given[2], found[2])):
        for name in ("time", "rotation", "position", "twist", "force", "imu_specific_force"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert found[3:] == given[3:]
    assert len(list(read_log(tmp_path / "early"))) == 2


def test_a_log_that_grows_too_large_says_so_and_is_not_saved(tmp_path, new_log):
    log = new_log(1000)
    log.write(samples(100))
    assert "larger recording_most" in log.loss
    size = log.size
    log.write(samples(100))
    assert log.size == size
    with pytest.raises(RecordingError, match="not kept"):
        saved(log, tmp_path / "log")


def test_a_damaged_log_is_named(tmp_path, new_log):
    log = new_log(10**7)
    log.write(samples(50))
    path = saved(log, tmp_path / "log")
    events = [io.BytesIO() for _ in range(4)]
    for file, text in zip(events, ("[" * 100_000, "{}", '{"event": 3}', "null"), strict=True):
        np.lib.format.write_array(file, np.frombuffer(text.encode(), dtype=np.uint8))
    damaged = [path.read_bytes()[:-10], b"no log at all", *(file.getvalue() for file in events)]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(RecordingError, match="cut off"):
            list(read_log(path))
