"""What has no end, waits for a writer or is of another kind is refused by every reader of files."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from payload_id.core.errors import PayloadIdError
from payload_id.files.bags.bag_reader import open_bag
from payload_id.files.calibration_io.calibrated_robot import CALIBRATION, HISTORY
from payload_id.files.cells.cell_file import Cell
from payload_id.files.configuration.file_kind import KEYS, kind_of
from payload_id.files.configuration.json_file import read_json
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.configuration.yaml_file import read_yaml
from payload_id.files.fleet.manifest import read_manifest
from payload_id.files.fleet.recordings_found import recordings_found
from payload_id.files.payload.mesh import read_shape
from payload_id.files.payload.payload_file import read_payload
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.scaffold.column_draft import find_columns
from payload_id.files.tables.joint_csv import read_csv
from payload_id.files.tables.wrench_csv import read_wrench_csv, read_wrench_uncertainty
from payload_id.files.teams.team_file import TeamFile

CONFIG = share_folder() / "config"
COLUMNS = {
    "joints": ["a"], "stamp": {"column": "t", "unit": "s"}, "position": ["q"], "effort": ["e"],
}  # fmt: skip
# What a file is called that is needed, and what reads it; the end of its name.
NEEDED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "calibration": (".npz", CALIBRATION.load),
    "history": (".npz", HISTORY.load),
    "robot file": (".yaml", RobotFile.load),
    "team file": (".yaml", TeamFile.load),
    "cell file": (".yaml", Cell.load),
    "payload file": (".yaml", read_payload),
    "certificate": (".json", load_certificate),
    "result": (".json", lambda path: read_json(path, "result")),
    "recording": (".mcap", Recording.from_bag),
    "robot description": (".urdf", read_urdf),
}
OTHERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "table": (".csv", lambda path: read_csv(path, COLUMNS)),
    "columns": (".yaml", lambda path: read_csv("table.csv", path)),
    "wrench columns": (".yaml", lambda path: read_wrench_csv("table.csv", path)),
    "wrench bounds": (".yaml", read_wrench_uncertainty),
    "draft": (".csv", lambda path: find_columns(path, (), None)),  # type: ignore[arg-type]
    "manifest": (".csv", lambda path: read_manifest(str(path))),
    "manifest by its URL": (".csv", lambda path: read_manifest(f"file://{path}")),
    "list": (".txt", lambda path: recordings_found([f"@{path}"])),
    "database": (".db3", lambda path: open_bag(path).__enter__()),
    "YAML": (".yaml", read_yaml),
    "mesh": (".stl", read_shape),
}


def make_endless(path: Path, kind: str) -> None:
    """Put something without an end at a path."""
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(str(path))


def test_a_file_without_an_end_is_not_read(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    for kind in ("pipe", "device", "socket", "loop"):
        for suffix, reader in (NEEDED | OTHERS).values():
            make_endless(Path(f"x{suffix}"), kind)
            words = r"device|pipe|no recording|no file|not exist|links"
            with pytest.raises(PayloadIdError, match=words):
                reader(tmp_path / f"x{suffix}")
        Path("bag").mkdir(exist_ok=True)
        make_endless(Path("bag/metadata.yaml"), kind)
        with pytest.raises(PayloadIdError, match="bag"), open_bag(tmp_path / "bag"):
            pass


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """Return one file of each kind."""
    text = {
        "robot file": (CONFIG / "robots" / "xarm7.yaml").read_text(),
        "team file": (CONFIG / "teams" / "omnids.yaml").read_text(),
        "description of columns": (CONFIG / "recordings" / "kinova_gen3_csv.yaml").read_text(),
        "cell file": "name: bench\nclearance: 0.1\nfloor: 0.0\n",
        "payload file": "runs:\n  kind: known_mass\n  mass: 1.0\n",
        "parameter file of ROS": "/**:\n  ros__parameters: {}\n",
        "certificate": json.dumps(dict.fromkeys(KEYS["certificate"], {}), indent=1),
        "result": json.dumps(dict.fromkeys(KEYS["result"], 1), indent=2),
        "robot description (URDF)": "<?xml?>\n<robot name='x'><link name='a'/></robot>",
        "key (PEM)": "-----BEGIN PRIVATE KEY-----\n",
    }
    found = {kind: tmp_path / f"{kind.split()[0]}_{k}.txt" for k, kind in enumerate(text)}
    for kind, content in text.items():
        found[kind].write_text(content)
    for kind in ("calibration", "history", "run of one arm", "run of a team"):
        found[kind] = tmp_path / f"{kind.replace(' ', '_')}.npz"
        with ZipFile(found[kind], "w") as archive:
            archive.writestr("archive.json", json.dumps({"kind": kind, "format": 1}))
    found["recording (sqlite3)"] = tmp_path / "x.db3"
    with sqlite3.connect(found["recording (sqlite3)"]) as base:
        base.execute("create table x (y)")
    return found


def test_what_was_found_and_what_is_needed_is_said(files):
    for kind, path in files.items():
        assert kind_of(path) == kind
        for wanted, (_, reader) in NEEDED.items():
            if kind.startswith(wanted):
                continue
            with pytest.raises(PayloadIdError, match=path.name) as error:
                reader(path)
            said = str(error.value)
            assert f"a {kind}" in said and f"a {wanted} is needed here" in said, (kind, said)
