"""Where the package finds its own data files, and those of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.package_data import resolve, share_folder

SOURCE = Path(__file__).parents[3]


@pytest.mark.slow
def test_code_of_the_source_tree_takes_the_data_beside_it():
    code = "from payload_id.files.configuration.package_data import share_folder as f; print(f())"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd="/"
    )
    assert done.stdout.strip() == str(SOURCE.resolve()), done.stderr


def test_references_are_paths_or_places_in_a_package(tmp_path):
    assert resolve("../arm.urdf", tmp_path / "robots") == (tmp_path / "arm.urdf").resolve()
    assert resolve("/arm.urdf", tmp_path) == Path("/arm.urdf")
    assert resolve("package://payload_id/urdf", tmp_path) == (share_folder() / "urdf").resolve()
    with pytest.raises(ConfigurationError, match="no_such_package"):
        resolve("package://no_such_package/arm.urdf", tmp_path)


@pytest.mark.parametrize("reference", ["~nobody_of_this_name/x", "loop/x", "a\0b", "package://a/b"])
def test_references_that_lead_nowhere_are_refused_in_a_sentence(tmp_path, reference):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(ConfigurationError):
        resolve(reference, tmp_path)
