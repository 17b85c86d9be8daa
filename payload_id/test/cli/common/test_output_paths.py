"""Output paths of every command: refused before computing, and a result survives a full disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, torque_noise_only
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ON_A_FULL_DISK = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048));"
    "from payload_id.cli.main import main; sys.exit(main(sys.argv[1:]))"
)
# Commands that write, with inputs that do not exist: the output is looked at before them.
WRITING = {
    "replay": ("replay", "no.mcap", "--robot", "kinova_gen3", "--figure"),
    "compare": ("compare", "no.mcap", "--robot", "kinova_gen3", "--figure"),
    "verify": ("verify", "no.json", "--figure"),
    "calibrate": ("calibrate", "no.mcap", "--robot", "kinova_gen3", "--out"),
    "new-robot": ("new-robot", "no.urdf", "--out"),
    "history": ("calibrate", "--history", "no.mcap", "--robot", "kinova_gen3", "--out"),
}


def bad_path(kind: str, verb: str, folder: Path) -> Path:
    """Return a path at which nothing can be written."""
    name = "x.yaml" if verb in ("calibrate", "history") else "x.png"
    (folder / "file").write_text("in the way")
    (folder / f"folder_{name}").mkdir()
    (folder / f"loop_{name}").symlink_to(f"loop_{name}")
    return {
        "in no real folder": Path("/proc") / name,
        "below a file": folder / "file" / "further" / name,
        "is a folder": folder / f"folder_{name}",
        "no name for a file": folder / f"a\0{name}",
        "a loop of links": folder / f"loop_{name}",
        "of nobody": Path("~nobody_of_this_name") / name,
        "too long": folder / ("x" * 300 + name),
    }[kind]


@pytest.mark.parametrize("verb", WRITING)
@pytest.mark.parametrize(
    "kind",
    [
        "in no real folder",
        "below a file",
        "is a folder",
        "no name for a file",
        "too long",
        "a loop of links",
        "of nobody",
    ],
)
def test_an_unwritable_path_is_one_sentence_before_anything_is_read(
    verb: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*WRITING[verb], str(bad_path(kind, verb, tmp_path))]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.strip().splitlines()) == 1
    assert "cannot be written" in shown.err and "\0" not in shown.err
    assert sorted(path.name[:6] for path in tmp_path.iterdir()) == ["file", "folder", "loop_x"]


def test_a_figure_of_an_unknown_kind_is_refused_with_those_that_are_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*WRITING["replay"], str(tmp_path / "out.xyz")]) == 2
    shown = capsys.readouterr().err
    assert "out.xyz" in shown and "png" in shown


@pytest.mark.parametrize("verb", ["known-runs", "demo"])
def test_folders_of_runs_are_tried_first(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    words = {"known-runs": ["known-runs", "bare", "1.0"], "demo": ["demo", "--seed", "1"]}[verb]
    start = time.monotonic()
    assert main([*words, "--out", str(tmp_path / "file" / "runs")]) == 2
    assert time.monotonic() - start < 5.0
    shown = capsys.readouterr().err
    assert "file" in shown and "written" in shown


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a known payload and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 3, 0.08, 0.8, 0.025)


def commands(bag: Path, folder: Path) -> dict[str, list[str]]:
    """Return commands that compute a result and write besides."""
    known = [str(bag), "--robot", "kinova_gen3", "--json"]
    quick = [*torque_noise_only(0.025), "--intervals", "hull_lp"]
    truth = ",".join(str(x) for x in PAYLOAD)
    return {
        "replay": ["replay", *known, *quick, "--figure", str(folder / "x")],
        "calibrate": ["calibrate", *known, "--payload", truth, "--out", str(folder / "x.yaml")],
    }


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["replay", "calibrate"])
def test_a_full_disk_costs_the_file_and_not_the_result(
    verb: str, bag: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, *commands(bag, tmp_path)[verb]],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert result.get("figure") is None and result.get("written") is None
    assert result.get("phi") or result.get("parameters")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and "cannot be written" in done.stderr
    assert not list(tmp_path.iterdir())  # nor half a file


@pytest.mark.slow
def test_the_path_that_is_printed_is_the_one_that_is_written(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [*torque_noise_only(0.025), "--intervals", "hull_lp"]
    figure = ["--figure", "new/[bold]"]
    assert main(["replay", str(bag), "--robot", "kinova_gen3", *quick, *figure]) == 0
    written = tmp_path / "new" / "[bold].png"
    assert written.read_bytes().startswith(b"\x89PNG")
    assert f"figure: {written}" in capsys.readouterr().out


@pytest.mark.slow
def test_a_figure_is_drawn_whatever_backend_a_notebook_has_set(bag, tmp_path):
    """Every Jupyter kernel sets one, for windows that are not wanted here."""
    figure = tmp_path / "f.svg"
    command = [sys.executable, "-m", "payload_id", "replay", str(bag), "--robot", "kinova_gen3"]
    found = subprocess.run(
        [*command, "--intervals=least_squares_image", "--figure", str(figure)],
        env={**os.environ, "MPLBACKEND": "module://not.installed"}, text=True, capture_output=True,
        timeout=120,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert figure.is_file()
