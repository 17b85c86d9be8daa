"""Which kind of file a file is: for the sentence that another kind is needed.

Every file of this package, and what lies beside them, is known by its first bytes, by the
head of an archive, or by keys that only one kind has.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError, RecordingError

ROS1 = "recording (ROS 1)"
HEADS = {
    b"\x89MCAP": "recording (MCAP)",
    b"#ROSBAG V2.0\n": ROS1,
    b"SQLite format 3": "recording (sqlite3)",
    b"-----BEGIN": "key (PEM)",
    b"\x89PNG": "picture",
    b"%PDF": "picture",
    b"\x93NUMPY": "log of a team's run",
}
# Formats of tables that are not read: how they begin, their names, and what makes CSV of them.
OTHER_FORMATS = (
    (rb"PAR1", "Parquet", "pandas.read_parquet({0!r}).to_csv('run.csv', index=False)"),
    (rb"ARROW1|FEA1", "Arrow or Feather", "pandas.read_feather({0!r}).to_csv('run.csv')"),
    (rb"MATLAB 5", "MATLAB's MAT", "writetable(T, 'run.csv') in MATLAB, or scipy.io.loadmat"),
    (rb"\x89HDF", "HDF5, as MAT files from 7.3 on are", "writetable in MATLAB, or pandas.read_hdf"),
    (rb"\x93NUMPY", "NumPy's npy",
     "numpy.savetxt('run.csv', numpy.load({0!r}), delimiter=',', header='t,q1,...', comments='')"),
    (rb"\x1f\x8b", "packed (gzip)", "gunzip -k"),
    (rb"BZh", "packed (bzip2)", "bunzip2 -k"),
    (rb"\xfd7zXZ", "packed (xz)", "unxz -k"),
    (rb"PK\x03\x04", "a ZIP archive or a workbook (xlsx, npz)",
     "unzip, 'Save as CSV', or pandas.read_excel({0!r}).to_csv('run.csv', index=False)"),
    (rb"\s*(\{\s*[\"}]|\[\s*[\[{])", "JSON",
     "pandas.json_normalize or pandas.read_json({0!r}, lines=True), then .to_csv('run.csv')"),
)  # fmt: skip
ZIP = "archive (ZIP)"
ARCHIVE_HEAD = "archive.json"  # file in every archive, which says its kind
PAYLOAD = "payload file"
KEYS: dict[str, Collection[str]] = {  # that only one kind of text has
    "robot file": ("urdf", "joints"),
    "team file": ("robots",),
    "cell file": ("clearance", "name"),
    "list of runs": ("runs",),
    "description of columns": ("stamp", "position"),
    "description of a wrench's columns": ("wrench", "orientation"),
    "description of a bag, whose folder is the recording": ("rosbag2_bagfile_information",),
    "certificate": ("certificate", "trajectory"),
    "result": ("phi", "lower", "upper", "status"),
}
FOLDERS = {
    "payload_id_run.npz": "run of one arm",
    "payload_id_team_run.npz": "run of a team",
    "metadata.yaml": "recording",
}
MARKUP = {"<robot": "robot description (URDF)", "<launch": "launch file"}
PARAMETERS = "ros__parameters"
TABLES = (".csv", ".tsv")
KEY = re.compile(r'^(?:"?| {1,2}")([A-Za-z_]\w*)"?[ \t]*:', re.MULTILINE)
STATEMENT = re.compile(r"^ +kind: *\w", re.MULTILINE)
LOOKED_AT = 200_000  # letters


def kind_of(path: Path) -> str:
    """Return which kind of file or folder is there; empty where that is not known."""
    try:
        if path.is_dir():
            return next((kind for x, kind in FOLDERS.items() if (path / x).is_file()), "folder")
        if not path.is_file():  # a pipe, say, of which one would wait for a writer
            return ""
        if zipfile.is_zipfile(path):
            return _kind_of_archive(path)
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
    except (OSError, ValueError):
        return ""
    for begin, kind in HEADS.items():
        if head.startswith(begin):
            return kind
    text = head.decode("utf-8", errors="replace")
    if text.lstrip().startswith("<"):
        return next((kind for tag, kind in MARKUP.items() if tag in text), "")
    if path.suffix.lower() in TABLES:
        return "table"
    if STATEMENT.search(text):  # whatever the statements' names are
        return PAYLOAD
    return kind_of_keys(KEY.findall(text), PARAMETERS in text)


def refuse_other_formats(path: Path) -> None:
    """Raise where a file that a recording or table is wanted of has a format that is not read.

    Raises:
        RecordingError: Says which, and what makes a table of it.
    """
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
    except OSError:  # which whoever reads it says
        return
    own = zipfile.is_zipfile(path) and kind_of(path) != ZIP
    for begin, name, how in OTHER_FORMATS:
        if re.match(begin, head) and not own:
            raise RecordingError(
                f"{path} is {name}, which is not read here. Make a table of it (CSV, a line of "
                f"names above rows of numbers): {how.format(path.name)}."
            )


def _kind_of_archive(path: Path) -> str:
    """Return which kind of archive is there."""
    try:
        with zipfile.ZipFile(path) as archive:
            return str(json.loads(archive.read(ARCHIVE_HEAD))["kind"])
    except Exception:  # whatever damaged bytes make readers of ZIP and zlib raise
        return ZIP


def kind_of_keys(keys: Collection[str], of_ros: bool = False) -> str:
    """Return which kind of text has such keys; empty where that is not known."""
    if of_ros:
        return "parameter file of ROS"
    found = (kind for kind, needed in KEYS.items() if set(needed) <= set(keys))
    return next(found, "")


def check_kind(entries: Mapping[str, Any], path: Path, wanted: str) -> None:
    """Raise if entries are those of another kind of file.

    Raises:
        ConfigurationError: They are.
    """
    if wanted not in (*KEYS, PAYLOAD) or not entries:
        return
    sections = [x if isinstance(x, Mapping) else {} for x in entries.values()]
    if all("kind" in section for section in sections):  # whatever the statements' names are
        found = PAYLOAD
    else:
        found = kind_of_keys([*map(str, entries)], any(PARAMETERS in x for x in sections))
    if found and found != wanted:
        raise ConfigurationError(f"{path} is {a_kind(found)}; {a_kind(wanted)} is needed here.")


def instead(path: Path | str, wanted: str) -> str:
    """Return a sentence with the kind of file that is there instead of the wanted one, if known."""
    found = kind_of(Path(path))
    other = found and not found.startswith(wanted)
    return f" It is {a_kind(found)}; {a_kind(wanted)} is needed here." if other else ""


def a_kind(kind: str) -> str:
    """Return a kind with its article."""
    return f"an {kind}" if kind[:1] in "aeiou" else f"a {kind}"
