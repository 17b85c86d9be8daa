"""What is named from outside stays in its folder, whatever way it is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.input_path import MOST, file_below, from_home, place_below


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what may be there, beside a secret."""
    one = tmp_path / "folder"
    one.mkdir()
    (tmp_path / "secret").write_text("x")
    (one / "fine").write_text("x")
    (one / "out").symlink_to(tmp_path / "secret")
    (one / "in").symlink_to(one / "fine")
    (one / "up").symlink_to(tmp_path)
    (one / "round").symlink_to(one / "round")
    (one / "zero").symlink_to("/dev/zero")
    os.mkfifo(one / "pipe")
    with (one / "large").open("wb") as file:
        file.truncate(MOST + 1)
    monkeypatch.chdir(one)
    monkeypatch.setenv("HOME", str(tmp_path))
    return one


@pytest.mark.parametrize("name", ["fine", "in", "./fine", "../folder/fine", "~/folder/fine"])
def test_ways_to_name_a_file_in_the_folder(folder, name):
    assert file_below(name, folder, "shape") == folder / "fine"
    assert file_below(folder / "fine", "~/folder", "shape") == folder / "fine"


@pytest.mark.parametrize(
    "name",
    ["../secret", "out", "up/secret", "zero", "/dev/zero", "/proc/self/environ", "/", "..", "~",
     "~/secret", "~nobody_here/x", "a\0b", "../folder2/fine"],
)  # fmt: skip
def test_what_leads_elsewhere_is_refused(folder, name):
    with pytest.raises(ConfigurationError, match=r"shape .*is refused: .* within"):
        place_below(name, folder, "shape")


@pytest.mark.parametrize("name", [".", "", "pipe", "large", "none", "round", "fine/x", "x" * 5000])
def test_what_is_no_file_to_read_is_refused(folder, name):
    with pytest.raises(ConfigurationError, match="shape"):
        file_below(name, folder, "shape")


def test_home_of_nobody_is_named(folder):
    assert from_home("~/x", "bag") == folder.parent / "x"
    assert from_home("x/~y", "bag") == Path("x/~y")
    with pytest.raises(ConfigurationError, match="The bag begins .* found .*'~nobody_at_all/x'"):
        from_home("~nobody_at_all/x", "bag")
