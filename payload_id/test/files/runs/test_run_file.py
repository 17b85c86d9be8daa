"""The side file of a run."""

import math

import numpy as np
import pytest

from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.core.knowledge.catalogue.known_mass import KnownMass
from payload_id.core.knowledge.knowledge import NOTHING, Knowledge
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.files.runs.run_file import EARLIER, FILE_NAME, RunFile, bag_of, has_run_file

URDF = '<?xml version="1.0"?>\n<robot name="arm">\r\n  <link name="größe"/>\n</robot>\n'


def run(**changes):
    rng = np.random.default_rng(1)
    entries = {
        "joints": ("joint_1", "joint_2"),
        "payload_frame": "flange",
        "urdf": URDF,
        "robot": "kinova_gen3",
        "effort_sign": (1.0, -1.0),
        "effort_offset": 1e-7,
        "start_ns": 1_760_000_000_123_456_789,
        "end_ns": 1_760_000_007_623_456_789,
        "window": 0.1,
        "scales": (0.005, 1 / 3),
        "uncertainty": Uncertainty(torque_relative=0.025, torque_absolute=(0.1, 1 / 3)).to_dict(),
        "updates": (10, 20, 75),
        "result": {
            "phi": (rng.normal(size=10) * 10.0 ** rng.integers(-12, 12, 10)),
            "lower": [-math.inf, math.inf, -0.0, 5e-324, 1e16, 1e22, 0.1 + 0.2],
            "condition": np.float64(1e300),
            "status": "GOOD",
            "message": "a: 'b' # c\nd",
            "nothing": None,
            "good": True,
        },
        "software_version": "0.1.0",
    }
    return RunFile(**{**entries, **changes})


def test_round_trip_is_bit_equal(tmp_path):
    saved = run()
    path = saved.save(tmp_path)
    assert has_run_file(tmp_path) and path == tmp_path / FILE_NAME
    assert RunFile.load(tmp_path) == saved
    assert (tmp_path / "robot.urdf").read_bytes().decode() == URDF
    assert math.copysign(1.0, RunFile.load(tmp_path).result["lower"][2]) == -1.0
    assert Uncertainty.from_dict(saved.uncertainty).torque_absolute == (0.1, 1 / 3)


def test_another_run_of_the_same_recording_keeps_those_saved_before(tmp_path):
    runs = [
        run(start_ns=1_760_000_000_000_000_000 + k, knowledge=statement)
        for k, statement in enumerate(
            (Knowledge((KnownMass(1.0).statement("mass"),)), NOTHING, NOTHING)
        )
    ]
    for each in runs:
        each.save(tmp_path)
        each.save(tmp_path)  # replaces itself
    assert RunFile.load(tmp_path) == runs[2]
    kept = sorted((tmp_path / EARLIER).iterdir())
    assert [RunFile.load(path) for path in kept] == runs[:2]
    assert {bag_of(path) for path in (*kept, tmp_path)} == {tmp_path}
    assert runs[2].earlier_run(tmp_path) is None
    assert runs[0].earlier_run(tmp_path).name == str(runs[2].start_ns)


def test_a_damaged_run_is_kept_too(tmp_path):
    run().save(tmp_path).write_text("start_ns: [")
    run().save(tmp_path)
    assert RunFile.load(tmp_path) == run()
    (kept,) = (tmp_path / EARLIER).iterdir()
    assert (kept / FILE_NAME).read_text() == "start_ns: ["


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("window: 0.1", "window: -1", "number above 0"),
        ("window: 0.1", "window: .nan", "number above 0"),
        ("scales: [0.005", "scales: [long", "a list of numbers"),
        ("payload_frame: flange\n", "", "lacks payload_frame"),
        ("payload_frame:", "payload_fram:", "Did you mean 'payload_frame'"),
        ("urdf: robot.urdf", "urdf: other.urdf", "other.urdf"),
        ("start_ns: 176", "start_ns: soon176", "whole number"),
        ("start_ns: 176", "start_ns: -99999999999176", "below 2"),
        ("updates: [10, 20", "updates: [-10, 20", "do not fall"),
        ("updates: [10, 20", "updates: [30, 20", "do not fall"),
        ("estimator: lmi", "estimator: [", "line"),
    ],
)
def test_damaged_files(tmp_path, old, new, sentence):
    path = run().save(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError, match=sentence):
        RunFile.load(tmp_path)


def test_files_of_two_runs_are_no_run(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, mass in ((first, 1.0), (second, 2.0)):
        folder.mkdir()
        run(knowledge=Knowledge((KnownMass(mass).statement("mass"),))).save(folder)
    (second / "payload_id_knowledge.npz").replace(first / "payload_id_knowledge.npz")
    with pytest.raises(ConfigurationError, match="was not saved with it"):
        RunFile.load(first)


def test_a_run_file_without_digest_may_be_changed_by_hand(tmp_path):
    path = run().save(tmp_path)
    head, _, rest = path.read_text().partition("digest:")
    path.write_text(head + rest.partition("\n")[2].replace("window: 0.1", "window: 0.2"))
    assert RunFile.load(tmp_path).window == 0.2


def test_folder_that_is_not_there(tmp_path):
    with pytest.raises(RecordingError, match="could not be saved"):
        run().save(tmp_path / "missing")
    assert not has_run_file(tmp_path)
    with pytest.raises(ConfigurationError, match="does not exist"):
        RunFile.load(tmp_path)
