"""What has no end, or waits for a writer, is refused by every reader of files."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from payload_id.core.errors import PayloadIdError
from payload_id.files.bags.bag_reader import open_bag
from payload_id.files.cells.cell_file import Cell
from payload_id.files.configuration.json_file import read_json
from payload_id.files.configuration.yaml_file import read_yaml
from payload_id.files.drafts.column_draft import find_columns
from payload_id.files.fleet.manifest import read_manifest
from payload_id.files.fleet.recordings_found import recordings_found
from payload_id.files.knowledge.knowledge_file import read_knowledge
from payload_id.files.learnt.history_file import load_history
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.shapes.mesh import read_shape
from payload_id.files.tables.joint_csv import read_csv
from payload_id.files.tables.wrench_csv import read_wrench_csv, read_wrench_uncertainty
from payload_id.files.teams.team_file import TeamFile

COLUMNS = {
    "joints": ["a"], "stamp": {"column": "t", "unit": "s"}, "position": ["q"], "effort": ["e"],
}  # fmt: skip
READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "table": (".csv", lambda path: read_csv(path, COLUMNS)),
    "columns": (".yaml", lambda path: read_csv("table.csv", path)),
    "wrench columns": (".yaml", lambda path: read_wrench_csv("table.csv", path)),
    "wrench bounds": (".yaml", read_wrench_uncertainty),
    "draft": (".csv", lambda path: find_columns(path, (), None)),  # type: ignore[arg-type]
    "manifest": (".csv", lambda path: read_manifest(str(path))),
    "manifest by its URL": (".csv", lambda path: read_manifest(f"file://{path}")),
    "list": (".txt", lambda path: recordings_found([f"@{path}"])),
    "bag": (".mcap", lambda path: open_bag(path).__enter__()),
    "database": (".db3", lambda path: open_bag(path).__enter__()),
    "YAML": (".yaml", read_yaml),
    "JSON": (".json", lambda path: read_json(path, "file")),
    "URDF": (".urdf", read_urdf),
    "mesh": (".stl", read_shape),
    "knowledge": (".yaml", read_knowledge),
    "cell": (".yaml", Cell.load),
    "team": (".yaml", TeamFile.load),
    "robot": (".yaml", RobotFile.load),
    "history": (".npz", load_history),
    "certificate": (".yaml", load_certificate),
}


def make(path: Path, kind: str) -> None:
    """Put something without an end at a path."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(str(path))


@pytest.mark.parametrize("kind", ["pipe", "device", "socket", "loop"])
@pytest.mark.parametrize(("suffix", "reader"), READERS.values(), ids=READERS)
def test_a_file_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str,
    reader: Callable[[Path], object], kind: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    make(Path(f"x{suffix}"), kind)
    with pytest.raises(PayloadIdError, match=r"device|pipe|no recording|no file|not exist|links"):
        reader(tmp_path / f"x{suffix}")


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_a_bag_whose_metadata_have_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("metadata.yaml"), kind)
    with pytest.raises(PayloadIdError, match=r"metadata.yaml is no file but"), open_bag(tmp_path):
        pass


@pytest.mark.parametrize("text", ["", "{}", "null", "7", "rosbag2_bagfile_information:", "[1]"])
def test_metadata_of_another_content_are_told_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "metadata.yaml").write_text(text)
    with pytest.raises(PayloadIdError) as refused, open_bag(tmp_path):
        pass
    assert not {"NoneType", "KeyError", "object", "subscriptable"} & set(
        str(refused.value).replace("'", " ").replace("(", " ").split()
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_texts_in_utf_16_are_told(tmp_path: Path, encoding: str) -> None:
    for name, text in (("x.csv", "t,q,e\n0,1,2\n"), ("x.yaml", "joints: [a]\n")):
        (tmp_path / name).write_text(text, encoding=encoding)
    with pytest.raises(PayloadIdError, match="UTF-16"):
        read_csv(tmp_path / "x.csv", COLUMNS)
    with pytest.raises(PayloadIdError, match=r"UTF-16|cannot be read as YAML"):
        read_yaml(tmp_path / "x.yaml")


def test_a_decimal_comma_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("t;q;e\n0;1;2\n1;0,3;2\n")
    with pytest.raises(PayloadIdError, match=r"line 3.*'0,3' is not a number: write its comma"):
        read_csv(tmp_path / "x.csv", COLUMNS | {"delimiter": ";"})
