"""Files are there whole or not at all."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.atomic_write import (
    atomic_write,
    check_place,
    exclusive_lock,
    saved_file,
)


def test_a_file_that_is_not_finished_leaves_the_old_one(tmp_path):
    path = tmp_path / "folder" / ("ä" * 127 + ".")  # the longest name
    with saved_file(path, "result") as file:
        file.write(b"old")
    with pytest.raises(RuntimeError), saved_file(path, "result") as file:
        file.write(b"new")
        raise RuntimeError
    child = os.fork()
    if not child:
        with saved_file(path, "result") as file:
            file.write(b"new")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert path.read_bytes() == b"old"
    with saved_file(path, "result") as file:
        file.write(b"later")
    assert path.read_bytes() == b"later"


def test_of_two_writers_at_once_each_leaves_a_whole_file(tmp_path):
    path = tmp_path / "file"
    with saved_file(path, "result") as slow:
        slow.write(b"slow")
        slow.flush()
        with saved_file(path, "result") as fast:
            fast.write(b"fast, and longer")
        assert path.read_bytes() == b"fast, and longer"
        slow.write(b"er")
    assert path.read_bytes() == b"slower"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="result .*file"):
        with saved_file(tmp_path / "file" / "below", "result"):
            pass
    for place in (tmp_path / "link", tmp_path / "link" / "folder" / "file"):
        with pytest.raises(ConfigurationError, match="nowhere"):
            check_place(place, "result")
    (tmp_path / "nowhere").mkdir()
    assert check_place(tmp_path / "link" / "file", "result")


def test_content_is_on_the_disk_before_the_name_and_the_name_before_the_end(tmp_path, monkeypatch):
    """The order that outlives a power failure, whatever the file system does in between."""
    done = []
    fsync, replace = os.fsync, os.replace

    def synced(handle):
        done.append(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)

    def renamed(old, new):
        done.append("renamed")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr("pathlib.Path.replace", renamed)
    with atomic_write(tmp_path / "file") as file:
        file.write(b"x")
    part, name, folder = done
    assert part.endswith(".part") and name == "renamed" and folder == str(tmp_path)


def test_who_writes_several_files_into_a_folder_is_alone_there(tmp_path):
    order, begun = [], threading.Event()

    def second():
        begun.set()
        with exclusive_lock(tmp_path, wait=True):
            order.append("second")

    with exclusive_lock(tmp_path, wait=True):
        other = threading.Thread(target=second)
        other.start()
        begun.wait()
        other.join(0.05)
        order.append("first")
    other.join()
    assert order == ["first", "second"]
