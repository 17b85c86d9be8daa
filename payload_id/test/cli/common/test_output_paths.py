"""Output paths of every command: refused before computing, and a result survives a full disk."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run_here, torque_noise_only
from described_arms import described
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ROBOT = ["--robot", "kinova_gen3"]
QUICK = [*ROBOT, *torque_noise_only(0.025), "--intervals", "least_squares_image"]
# Commands that write, with inputs that do not exist: the output is looked at before them.
WRITING = (
    ("identify", "no.mcap", *ROBOT, "--figure"),
    ("certificate", "verify", "no.json", "--figure"), ("new-robot", "no.urdf", "--out"),
    *(("calibrate", verb, "no.mcap", *ROBOT, "--out") for verb in ("bounds", "history")),
)  # fmt: skip


def test_an_unwritable_path_is_one_sentence_before_anything_is_read(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    for name in ("x.yaml", "x.png"):
        (tmp_path / f"folder_{name}").mkdir()
        (tmp_path / f"loop_{name}").symlink_to(f"loop_{name}")
    before = sorted(tmp_path.iterdir())
    for command in WRITING:
        name = "x.yaml" if "calibrate" in command else "x.png"
        for path in (
            Path("/proc") / name, tmp_path / "file" / "further" / name, tmp_path / f"folder_{name}",
            tmp_path / f"a\0{name}", tmp_path / f"loop_{name}",
            Path("~nobody_of_this_name") / name, tmp_path / ("x" * 300 + name),
        ):  # fmt: skip
            done = run_here(capsys, *command, path)
            assert done.returncode == 2 and done.stdout == ""
            assert done.stderr.count("\n") == 1 and "\0" not in done.stderr
            assert "cannot be written" in done.stderr
    for command in (["calibrate", "record", "bare", "1.0"], ["demo", "--seed", "1"]):
        done = run_here(capsys, *command, "--out", tmp_path / "file" / "runs")
        assert done.returncode == 2 and "file" in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    (tmp_path / "arm.urdf").write_text(described())
    (tmp_path / "arm.yaml").write_text("mine")
    monkeypatch.chdir(tmp_path)
    done = run_here(capsys, "new-robot", "arm.urdf")
    assert done.returncode == 2 and (tmp_path / "arm.yaml").read_text() == "mine"


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a known payload and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 3, 0.08, 0.8, 0.025)


@pytest.mark.slow
def test_a_full_disk_costs_the_file_and_not_the_result(bag, tmp_path, capsys):
    truth = "--payload=" + ",".join(str(x) for x in PAYLOAD)
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    for command in (
        ["identify", bag, *QUICK, "--json", "--figure", tmp_path / "x"],
        ["calibrate", "bounds", bag, *ROBOT, "--json", truth, "--out", tmp_path / "x.yaml"],
    ):
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, most))  # bytes of a file, then EFBIG
        try:
            done = run_here(capsys, *command)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
        result = json.loads(done.stdout)
        assert result.get("figure") is None and result.get("written") is None
        assert result.get("phi") or result.get("parameters")
        assert done.returncode == 2 and "cannot be written" in done.stderr
        assert not list(tmp_path.iterdir())  # nor half a file


@pytest.mark.slow
def test_the_path_that_is_printed_is_the_one_that_is_written_whatever_a_notebook_has_set(
    bag, tmp_path
):
    """Every Jupyter kernel sets a backend, for windows that are not wanted here."""
    done = subprocess.run(
        [sys.executable, "-m", "payload_id", "identify", bag, *QUICK, "--figure", "new/[bold]"],
        cwd=tmp_path, env={**os.environ, "MPLBACKEND": "module://not.installed"},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    written = tmp_path / "new" / "[bold].png"
    assert done.returncode == 0 and f"figure: {written}" in done.stdout, done.stderr
    assert written.read_bytes().startswith(b"\x89PNG")
