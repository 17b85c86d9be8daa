"""Where a run may be saved: what a caller on the network asks for never leads elsewhere."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.ros.estimator.block_watch import PARTING, BlockWatch
from payload_id.ros.estimator.run_keeping import RunKeeping


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "out").symlink_to(tmp_path)
    return tmp_path / "runs"


def keeping(runs: Path, bag: Path | str = "") -> RunKeeping:
    """Return one that has heard of a recording."""
    one = object.__new__(RunKeeping)
    folders = {"runs_folder": str(runs), "recordings_folder": str(runs.parent)}
    one._settings, one._bag = SimpleNamespace(**folders), str(bag)
    one._log = SimpleNamespace(warn=lambda key, text: None)
    one._told, one._of_run, one._topic, one.publishers = [], [], "bag", 1
    one._watch, one._changes = BlockWatch(), 0
    one._node = SimpleNamespace(count_publishers=lambda topic: one.publishers)
    return one


@pytest.mark.parametrize(
    "asked", ["..", "../x", "a/../../x", "/etc", "/", "out/x", "~", "~nobody/x", "\0", "./../runs2"]
)
def test_what_leads_out_of_the_folder_is_refused(runs: Path, asked: str) -> None:
    with pytest.raises(ConfigurationError, match="runs_folder"):
        keeping(runs).folder(asked)


@pytest.mark.parametrize("told_first", [True, False])
def test_the_recording_is_that_of_the_sampler_whose_blocks_are_used(
    runs: Path, told_first: bool
) -> None:
    """The first one was killed, and the middleware still counts it."""
    one = keeping(runs, "first")
    one.publishers = 2
    one._watch.admit(1, 0.0)
    if told_first:
        one._on_bag(SimpleNamespace(data="second"))
        assert one.recording == "first"
    one._watch.admit(2, PARTING + 0.1)
    if not told_first:
        one._on_bag(SimpleNamespace(data="second"))
    assert one.recording == "second"


def test_a_recording_elsewhere_is_one_only_if_it_holds_a_recording(runs: Path) -> None:
    bag = runs.parent / "bag"
    bag.mkdir()
    one = keeping(runs, bag)
    assert one.folder("")[0].parent == runs  # somebody says that /etc is the recording
    with pytest.raises(ConfigurationError):
        one.folder(str(bag))
    (bag / "bag_0.mcap").touch()
    assert one.folder("") == (bag, "") == one.folder(str(bag))
    with pytest.raises(ConfigurationError):
        one.folder(str(bag / "further"))
