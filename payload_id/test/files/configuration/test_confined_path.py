"""What is named from outside stays in its folder, whatever way it is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.input_path import MOST, file_below, from_home, place_below

FINE = ("fine", "in", "./fine", "../folder/fine", "~/folder/fine")
ELSEWHERE = (
    "../secret", "out", "up/secret", "zero", "/dev/zero", "/proc/self/environ", "/", "..", "~",
    "~/secret", "~nobody_here/x", "a\0b", "../folder2/fine",
)  # fmt: skip
NO_FILE = (".", "", "pipe", "large", "none", "round", "fine/x", "x" * 5000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what may be there, beside a secret."""
    one = tmp_path / "folder"
    one.mkdir()
    (tmp_path / "secret").write_text("x")
    (one / "fine").write_text("x")
    for name, there in {
        "out": tmp_path / "secret", "in": one / "fine", "up": tmp_path, "round": one / "round",
        "zero": Path("/dev/zero"),
    }.items():  # fmt: skip
        (one / name).symlink_to(there)
    os.mkfifo(one / "pipe")
    with (one / "large").open("wb") as file:
        file.truncate(MOST + 1)
    monkeypatch.chdir(one)
    monkeypatch.setenv("HOME", str(tmp_path))
    return one


def test_a_name_leads_to_a_file_in_the_folder_or_nowhere(folder):
    for name in FINE:
        assert file_below(name, folder, "shape") == folder / "fine"
    assert file_below(folder / "fine", "~/folder", "shape") == folder / "fine"
    for name in ELSEWHERE:
        with pytest.raises(ConfigurationError, match=r"shape .*is refused: .* within"):
            place_below(name, folder, "shape")
    for name in NO_FILE:
        with pytest.raises(ConfigurationError, match="shape"):
            file_below(name, folder, "shape")


def test_home_of_nobody_is_named(folder):
    assert from_home("~/x", "bag") == folder.parent / "x"
    assert from_home("x/~y", "bag") == Path("x/~y")
    with pytest.raises(ConfigurationError, match="bag .*'~nobody_at_all/x'"):
        from_home("~nobody_at_all/x", "bag")
