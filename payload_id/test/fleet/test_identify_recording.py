"""What a worker makes of a recording that cannot be read, now or at all."""

from __future__ import annotations

import errno

import pytest

from payload_id import RobotFile, Settings
from payload_id.core.errors import RecordingError
from payload_id.fleet import Method
from payload_id.fleet.identify_recording import identify_recording


@pytest.fixture
def method():
    robot = RobotFile.load("kinova_gen3")
    return Method(robot, Settings(robot.uncertainty))


def unreadable(number):
    """Return a reader of recordings that fails as the operating system does."""

    def read(self, path):
        try:
            raise OSError(number, "as a disk or network would say")
        except OSError as error:
            raise RecordingError(f"{path} cannot be read.") from error

    return read


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE])
def test_an_error_that_may_pass_is_no_result(tmp_path, method, monkeypatch, number):
    path = tmp_path / "run.csv"
    path.write_text("time\n")
    monkeypatch.setattr(Method, "read", unreadable(number))
    with pytest.raises(RecordingError, match="cannot be read"):
        identify_recording(str(path), (), False, method)


def test_what_is_wrong_with_a_recording_is_its_result(tmp_path, method):
    path = tmp_path / "run.csv"
    path.write_text("time\n")
    found = identify_recording(str(path), (), False, method)
    assert found.key and found.rows[0]["error"]
