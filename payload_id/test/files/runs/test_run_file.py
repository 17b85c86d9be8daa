"""The side file of a run: runs of one recording, and files that belong to no run."""

import dataclasses

import pytest

from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.core.knowledge.catalogue import KnownMass
from payload_id.core.knowledge.knowledge import NOTHING, Knowledge
from payload_id.files.runs.run_file import EARLIER, FILE_NAME, RunFile, bag_of, has_run_file

URDF = '<?xml version="1.0"?>\n<robot name="arm">\r\n  <link name="größe"/>\n</robot>\n'
START = 1_760_000_000_000_000_000
RUN = RunFile(
    joints=("joint_1", "joint_2"), payload_frame="flange", urdf=URDF, start_ns=START,
    end_ns=START + 7_500_000_000, window=0.1, scales=(0.005, 1 / 3), updates=(10, 20, 75),
    result={"status": "GOOD", "estimator": "lmi"},
)  # fmt: skip


def known(mass):
    return Knowledge((KnownMass(mass).statement("mass"),))


def test_another_run_of_the_same_recording_keeps_those_saved_before(tmp_path):
    runs = [
        dataclasses.replace(RUN, start_ns=START + k, knowledge=statement)
        for k, statement in enumerate((known(1.0), NOTHING, NOTHING))
    ]
    for each in runs:
        each.save(tmp_path)
        each.save(tmp_path)  # replaces itself
    assert has_run_file(tmp_path) and RunFile.load(tmp_path) == runs[2]
    kept = sorted((tmp_path / EARLIER).iterdir())
    assert [RunFile.load(path) for path in kept] == runs[:2]
    assert {bag_of(path) for path in (*kept, tmp_path)} == {tmp_path}
    assert runs[2].earlier_run(tmp_path) is None
    assert runs[0].earlier_run(tmp_path).name == str(runs[2].start_ns)
    assert (tmp_path / "robot.urdf").read_bytes().decode() == URDF


def test_a_damaged_run_is_kept_too(tmp_path):
    RUN.save(tmp_path).write_text("start_ns: [")
    RUN.save(tmp_path)
    assert RunFile.load(tmp_path) == RUN
    (kept,) = (tmp_path / EARLIER).iterdir()
    assert (kept / FILE_NAME).read_text() == "start_ns: ["


DAMAGED = (
    ("window: 0.1", "window: -1", "window"), ("window: 0.1", "window: .nan", "window"),
    ("scales: [0.005", "scales: [long", "scales"),
    ("payload_frame: flange\n", "", "payload_frame"),
    ("payload_frame:", "payload_fram:", "'payload_frame'"),
    ("urdf: robot.urdf", "urdf: other.urdf", "other.urdf"),
    ("start_ns: 176", "start_ns: soon176", "start_ns"),
    ("start_ns: 176", "start_ns: -99999999999176", "start_ns"),
    ("updates: [10, 20", "updates: [-10, 20", "updates"),
    ("updates: [10, 20", "updates: [30, 20", "updates"), ("estimator: lmi", "estimator: [", "line"),
)  # fmt: skip


def test_a_file_that_was_changed_is_refused_unless_it_has_no_digest(tmp_path):
    path = RUN.save(tmp_path)
    text = path.read_text()
    head, _, rest = text.partition("digest:")
    by_hand = head + rest.partition("\n")[2]
    path.write_text(by_hand.replace("window: 0.1", "window: 0.2"))
    assert RunFile.load(tmp_path).window == 0.2
    for whole in (text, by_hand):
        for old, new, named in DAMAGED:
            assert old in text
            path.write_text(whole.replace(old, new))
            with pytest.raises(ConfigurationError, match=named if whole is by_hand else FILE_NAME):
                RunFile.load(tmp_path)


def test_files_of_two_runs_or_of_none_are_no_run(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, mass in ((first, 1.0), (second, 2.0)):
        folder.mkdir()
        dataclasses.replace(RUN, knowledge=known(mass)).save(folder)
    (second / "payload_id_knowledge.npz").replace(first / "payload_id_knowledge.npz")
    with pytest.raises(ConfigurationError, match="was not saved with it"):
        RunFile.load(first)
    with pytest.raises(RecordingError, match="missing"):
        RUN.save(tmp_path / "missing")
    assert not has_run_file(tmp_path)
    with pytest.raises(ConfigurationError, match=FILE_NAME):
        RunFile.load(tmp_path)
