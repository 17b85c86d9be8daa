"""Files are there whole or not at all."""

from __future__ import annotations

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.whole_file import saved_file


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path):
    path = tmp_path / "folder" / "file"
    with saved_file(path, "result") as file:
        file.write(b"old")
    with pytest.raises(RuntimeError), saved_file(path, "result") as file:
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"old"


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="The result cannot be written to"):
        with saved_file(tmp_path / "file" / "below", "result"):
            pass
