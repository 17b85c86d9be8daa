"""A file of another kind is named as what it is, by whatever reads it."""

import json
import sqlite3

import numpy as np
import pytest
import yaml

from payload_id.core.errors import PayloadIdError
from payload_id.files.cells.cell_file import Cell
from payload_id.files.configuration.file_kind import KEYS, kind_of
from payload_id.files.configuration.json_file import read_json
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.configuration.yaml_file import read_yaml
from payload_id.files.knowledge.knowledge_file import read_knowledge
from payload_id.files.knowledge.statement_file import load_knowledge
from payload_id.files.learnt.calibration_file import load_calibration
from payload_id.files.learnt.history_file import load_history
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.runs.tare_file import load_tare
from payload_id.files.shapes.shape_file import load_shape
from payload_id.files.teams.team_file import TeamFile

CONFIG = share_folder() / "config"


@pytest.fixture
def files(tmp_path):
    """One file of each kind."""
    text = {
        "robot file": (CONFIG / "robots" / "xarm7.yaml").read_text(),
        "team file": (CONFIG / "teams" / "omnids.yaml").read_text(),
        "description of columns": (CONFIG / "recordings" / "kinova_gen3_csv.yaml").read_text(),
        "cell file": "name: bench\nclearance: 0.1\nfloor: 0.0\n",
        "knowledge file": "runs:\n  kind: known_mass\n  mass: 1.0\n",
        "parameter file of ROS": "/**:\n  ros__parameters: {}\n",
        "certificate": json.dumps(dict.fromkeys(KEYS["certificate"], {}), indent=1),
        "result": json.dumps(dict.fromkeys(KEYS["result"], 1), indent=2),
        "robot description (URDF)": "<?xml?>\n<robot name='x'><link name='a'/></robot>",
        "key (PEM)": "-----BEGIN PRIVATE KEY-----\n",
    }
    found = {}
    for kind, content in text.items():
        found[kind] = tmp_path / f"{kind.split()[0]}_{len(found)}.txt"
        found[kind].write_text(content)
    for kind, member in (("calibration", "row_C"), ("history", "scores"),
                         ("tare", "statistics_plain"), ("shape", "ellipsoids"),
                         ("knowledge", "F0")):  # fmt: skip
        found[kind] = tmp_path / f"{kind}.npz"
        about = np.array(json.dumps({"format": 1}))
        np.savez_compressed(found[kind], text=about, about=about, **{member: np.zeros(3)})
    found["recording (sqlite3)"] = tmp_path / "x.db3"
    with sqlite3.connect(found["recording (sqlite3)"]) as base:
        base.execute("create table x (y)")
    return found


def test_every_kind_is_known_by_its_content(files):
    for kind, path in files.items():
        assert kind_of(path) == kind


READERS = {
    "calibration": load_calibration,
    "history": load_history,
    "tare": load_tare,
    "shape": load_shape,
    "knowledge": load_knowledge,
    "robot file": lambda path: RobotFile.load(path),
    "team file": TeamFile.load,
    "cell file": Cell.load,
    "knowledge file": read_knowledge,
    "certificate": load_certificate,
    "result": lambda path: read_json(path, "result"),
    "recording": Recording.from_bag,
    "robot description": read_urdf,
}


@pytest.mark.parametrize("wanted", READERS)
def test_what_was_found_and_what_is_needed_is_said(files, wanted):
    for kind, path in files.items():
        if kind.startswith(wanted):
            continue
        with pytest.raises(PayloadIdError) as error:
            READERS[wanted](path)
        said = str(error.value)
        assert str(path) in said or path.name in said
        assert f"a {kind}" in said and f"a {wanted} is needed here" in said, (kind, said)


def test_a_text_that_is_cut_off_is_refused_and_one_that_goes_on(tmp_path):
    for source in sorted(CONFIG.glob("[rt]*/*.yaml")):
        whole = source.read_text().splitlines(keepends=True)
        path = tmp_path / "cut.yaml"
        path.write_text("".join(whole))
        assert read_yaml(path) == yaml.safe_load("".join(whole))
        for k in range(whole.index("---\n") + 1, len(whole) - 1, 7):
            path.write_text("".join(whole[:k]))
            with pytest.raises(PayloadIdError, match="it is cut off"):
                read_yaml(path)
    path.write_text("".join([*whole, "name: other\n"]))
    with pytest.raises(PayloadIdError, match="goes on behind the line '...'.*name: other"):
        read_yaml(path)
