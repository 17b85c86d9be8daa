"""Lists of known runs: what is written is what is read, in its order."""

import numpy as np

from payload_id.core.history import Load
from payload_id.files.recordings.known_runs import (
    KnownRecording,
    read_known_runs,
    write_known_runs,
)


def test_a_list_comes_back_from_disk_as_it_was(tmp_path):
    loads = {
        "2_bare": Load.none(),
        "1_weight": Load.of_mass(1.0 / 3.0),
        "folder/gauge": Load.exactly(np.array([1.5, 0, 0, 0.06, 0.01, 0, 0, 0.01, 0, 0.002])),
    }
    runs = [KnownRecording(tmp_path / name, load) for name, load in loads.items()]
    path = write_known_runs(tmp_path / "runs.yaml", runs, ["made by hand", "in May"])
    assert path.read_text().startswith("# made by hand\n# in May\n")
    found = read_known_runs(path)
    assert [run.path for run in found] == [run.path for run in runs]
    for run, load in zip(found, loads.values(), strict=True):
        np.testing.assert_array_equal(run.load.phi, load.phi)
