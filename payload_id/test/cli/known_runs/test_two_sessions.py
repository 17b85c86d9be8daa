"""Two sessions in one folder lose no run: the second one to write is refused."""

import pytest

from payload_id.core.errors import InputError
from payload_id.core.history import Load
from payload_id.files.recordings.known_runs import LIST, KnownRecording, write_known_runs
from payload_id.ros.client.wanted_runs import require_unchanged


def test_a_list_that_another_session_has_changed_is_not_written_over(tmp_path):
    path = tmp_path / LIST
    mine, theirs = (KnownRecording(tmp_path / name, Load.none()) for name in ("mine", "theirs"))
    require_unchanged(path, ())
    write_known_runs(path, (theirs,), ())
    for own in ((), (mine,), (mine, theirs)):
        with pytest.raises(InputError, match="another session"):
            require_unchanged(path, own)
    require_unchanged(path, (theirs,))
    path.unlink()
    with pytest.raises(InputError, match="lists 0 runs"):
        require_unchanged(path, (theirs,))
