"""What a worker makes of a recording that cannot be read, now or at all."""

from __future__ import annotations

import errno

import pytest

from payload_id import RobotFile, Settings
from payload_id.core.errors import RecordingError
from payload_id.fleet import Method
from payload_id.fleet.identify_recording import identify_recording


def test_what_is_wrong_with_a_recording_is_its_result_but_an_error_that_may_pass_is_none(
    tmp_path, monkeypatch
):
    robot, path = RobotFile.load("kinova_gen3"), tmp_path / "run.csv"
    path.write_text("time\n")
    method = Method(robot, Settings(robot.uncertainty))
    found = identify_recording(str(path), (), False, method)
    assert found.key and found.rows[0]["error"]
    for number in (errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.EMFILE):

        def read(self, path, number=number):
            raise RecordingError(f"{path} cannot be read.") from OSError(number, "of a disk")

        monkeypatch.setattr(Method, "read", read)
        with pytest.raises(RecordingError, match="cannot be read"):
            identify_recording(str(path), (), False, method)
