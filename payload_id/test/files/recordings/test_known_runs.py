"""Lists of known runs: what is written is what is read, in its order."""

import numpy as np
import yaml

from payload_id.core.errors import comment
from payload_id.core.history import KnownLoad
from payload_id.files.recordings.known_runs import (
    KnownRecording,
    read_known_runs,
    write_known_runs,
)


def test_a_list_comes_back_from_disk_as_it_was(tmp_path):
    loads = {
        "2_bare": KnownLoad.none(),
        "1_weight": KnownLoad.of_mass(1.0 / 3.0),
        "folder/gauge": KnownLoad.exactly(np.array([1.5, 0, 0, 0.06, 0.01, 0, 0, 0.01, 0, 0.002])),
    }
    runs = [KnownRecording(tmp_path / name, load) for name, load in loads.items()]
    path = write_known_runs(tmp_path / "runs.yaml", runs, ["made by hand", "in May"])
    assert path.read_text().startswith("# made by hand\n# in May\n")
    found = read_known_runs(path)
    assert [run.path for run in found] == [run.path for run in runs]
    for run, load in zip(found, loads.values(), strict=True):
        np.testing.assert_array_equal(run.load.phi, load.phi)


def test_no_name_of_a_file_reaches_beyond_its_comment(tmp_path):
    no_letter = b"\xff".decode("utf-8", "surrogateescape")
    remarks = ["Arm: a\nruns: {other: {}}", no_letter, "a\rb\x85c\u2028d"]
    runs = [KnownRecording(tmp_path / f"run{no_letter}\n", KnownLoad.none())]
    found = read_known_runs(write_known_runs(tmp_path / "runs.yaml", runs, remarks))
    assert [run.path for run in found] == [run.path for run in runs]
    text = comment(remarks)
    assert yaml.safe_load(text) is None and text.count("\n") == len(remarks)
    assert all(line.startswith("# ") for line in text.splitlines())
