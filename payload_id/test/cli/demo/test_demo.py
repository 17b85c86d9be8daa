"""The demonstration as its user meets it: real nodes, a bag, a figure, and the same again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from command_line import run_without_ros

pytestmark = pytest.mark.slow  # all wait for one whole demonstration


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Run the demonstration once; return what it printed and its folder."""
    out = tmp_path_factory.mktemp("runs")
    command = [sys.executable, "-m", "payload_id", "demo", "--seed", "5", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = out.iterdir()
    return done.stdout, folder


def test_prints_truth_intervals_and_verdict(demo: tuple[str, Path]) -> None:
    printed, _ = demo
    for words in (
        "seed 5",
        "contained",
        "verdict",
        "identical, bit for bit",
        "last update",
        "next:",
    ):
        assert words in printed
    assert "NO " not in printed.split("verdict")[0]


def test_leaves_bag_figure_and_truth(demo: tuple[str, Path]) -> None:
    _, folder = demo
    assert (folder / "intervals.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "bag" / "metadata.yaml").is_file()
    assert len(json.loads((folder / "truth.json").read_text())["payload"]) == 10


def test_bag_replays_to_the_same_numbers_and_contains_the_truth(
    demo: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = demo
    done = run_without_ros(capsys, "replay", folder / "bag", "--json")
    result = json.loads(done.stdout)
    truth = np.array(json.loads((folder / "truth.json").read_text())["payload"])
    assert result["identical_to_live"] is True
    assert result["windows"] == 80  # of 8 s of simulated time, on a slow machine, too
    assert (np.array(result["lower"]) <= truth).all() and (truth <= np.array(result["upper"])).all()


def test_compare_takes_the_truth_that_was_written(
    demo: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, folder = demo
    methods = ["--estimators=ols", "--intervals=least_squares_image"]
    truth = ["--truth", folder / "truth.json"]
    done = run_without_ros(capsys, "compare", folder / "bag", "--json", *methods, *truth)
    (result,) = json.loads(done.stdout)["intervals"]
    assert all(result["contains_truth"])


def test_nodes_leave_no_traceback(demo: tuple[str, Path]) -> None:
    _, folder = demo
    for log in (folder / "logs").iterdir():
        assert "Traceback" not in log.read_text()
