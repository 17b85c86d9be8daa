"""Tables of one joint, as text."""

from __future__ import annotations

from pathlib import Path

from payload_id.files.recordings.recording import Recording

COLUMNS = {
    "joints": ["joint"],
    "stamp": {"column": "t", "unit": "s"},
    "position": ["q"],
    "velocity": ["dq"],
    "effort": ["tau"],
}


def read(path: Path, text: str) -> Recording:
    """Return the recording of a table with this text."""
    path.write_bytes(text.encode())
    return Recording.from_csv(path, COLUMNS)
