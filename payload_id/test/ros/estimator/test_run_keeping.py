"""Where a run may be saved: what a caller on the network asks for never leads elsewhere."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.estimator.run_keeping import RunKeeping


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "out").symlink_to(tmp_path)
    return tmp_path / "runs"


def keeping(runs: Path, bag: Path | str = "") -> RunKeeping:
    """Return one that has heard of a recording."""
    folders = SimpleNamespace(runs_folder=str(runs), recordings_folder=str(runs.parent))
    log = SimpleNamespace(warn=lambda key, text: None)
    one = RunKeeping(folders, None, None, "samples", log)
    one.note(str(bag))
    return one


@pytest.mark.parametrize(
    "asked", ["..", "../x", "a/../../x", "/etc", "/", "out/x", "~", "~nobody/x", "\0", "./../runs2"]
)
def test_what_leads_out_of_the_folder_is_refused(runs: Path, asked: str) -> None:
    with pytest.raises(ConfigurationError, match="runs_folder"):
        keeping(runs).folder(asked)


def test_a_recording_elsewhere_is_one_only_if_it_holds_a_recording(runs: Path) -> None:
    bag = runs.parent / "bag"
    bag.mkdir()
    one = keeping(runs, bag)
    assert one.folder("")[0].parent == runs  # somebody says that /etc is the recording
    with pytest.raises(ConfigurationError):
        one.folder(str(bag))
    (bag / "bag_0.mcap").touch()
    assert one.folder("") == (bag, "") == one.folder(str(bag))
    one.begin()
    one.note(str(runs.parent / "bag_2"))
    one.note(str(bag))
    assert f"is in {runs.parent / 'bag_2'}." in one.folder("")[1]
    with pytest.raises(ConfigurationError):
        one.folder(str(bag / "further"))


def test_a_recording_that_grows_is_looked_through_once(runs: Path) -> None:
    bag, looked = runs.parent / "bag", []
    robot, joints = RobotFile.load("kinova_gen3"), SimpleNamespace(effort_sign=(), effort_offset=())
    answers = iter(["", "/arm/joint_states"])

    def recorded_topic(blocks: str, folder: str) -> str:
        looked.append(folder)
        return next(answers) if folder else ""

    run = SimpleNamespace(joint_map=joints, recorded_topic=recorded_topic)
    folders = SimpleNamespace(runs_folder=str(runs), recordings_folder=str(runs.parent))
    one = RunKeeping(folders, robot, run, "samples", SimpleNamespace())
    assert one.entries().topic == robot.joint_states.topic
    bag.mkdir()
    (bag / "bag_0.mcap").touch()
    one.note(str(bag))
    assert one.entries().topic == robot.joint_states.topic  # nothing is in it yet
    assert {one.entries().topic for _ in range(3)} == {"/arm/joint_states"}
    assert looked.count(str(bag)) == 2
