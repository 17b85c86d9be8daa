"""Faults on disk: whole or not at all, and what cannot be read is one."""

from __future__ import annotations

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.ros.bridge.fault_memory import FaultMemory

NODE = "/left/payload_bridge"
ARM = "arm"


def test_a_fault_is_there_until_it_is_forgotten(tmp_path):
    memory = FaultMemory(str(tmp_path / "new" / "folder"), NODE, ARM)
    assert memory.read() == ""
    memory.write("TUBE_LEFT: joint_3 is 0.1 rad off. Look.")
    later = FaultMemory(str(tmp_path / "new" / "folder"), NODE, ARM)
    assert later.read().startswith("TUBE_LEFT: joint_3 is 0.1 rad off. Look. It was latched before")
    assert FaultMemory(str(tmp_path / "new" / "folder"), "/right/payload_bridge", ARM).read() == ""
    later.forget()
    later.forget()
    assert memory.read() == "" and not list(memory.path.parent.iterdir())


def test_each_robot_of_a_node_has_a_file_of_its_own_whatever_the_names_are(tmp_path, monkeypatch):
    names = ["/a/b_c", "/a_b/c", "/a/b/c", "/a_b_c", "/b_c", "/1/c"]
    memories = [FaultMemory(str(tmp_path), name, ARM) for name in names]
    robots = ("", "c", "b.c", "../other arm", "a@b", "Arm 3, left / rear")
    memories += [FaultMemory(str(tmp_path), "/a", robot) for robot in robots]
    monkeypatch.setenv("ROS_DOMAIN_ID", "1")
    memories.append(FaultMemory(str(tmp_path), "/c", ARM))
    for number, memory in enumerate(memories):
        memory.write(f"fault {number}.")
    for number, memory in enumerate(memories):
        assert memory.read().startswith(f"fault {number}.")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"fault": "x"'])
def test_what_cannot_be_read_is_a_fault_that_says_so(tmp_path, content):
    memory = FaultMemory(str(tmp_path), NODE, ARM)
    memory.path.write_bytes(content)
    assert "cannot be read" in memory.read() and str(memory.path) in memory.read()


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_moves(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="state_folder"):
        FaultMemory(str(tmp_path / "file" / "folder"), NODE, ARM)
