"""The compare command as its user meets it: a process, its output and its exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import trimesh

from command_line import gen3_bag, run, run_without_ros, torque_noise_only
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.bounds import METHODS
from payload_id.core.estimators import ESTIMATORS

SIDES = np.array([0.12, 0.08, 0.2])  # [m] of a homogeneous box
CENTRE = np.array([0.02, -0.01, 0.1])
MASS = 1.2
PAYLOAD = from_mass_com_inertia(
    MASS, CENTRE, MASS / 12 * (SIDES @ SIDES * np.eye(3) - np.diag(SIDES**2))
)


def bounds(torque_relative: float = 0.02) -> list[str]:
    """Return the robot and the arguments for exactly known links and a little torque noise."""
    return ["--robot=kinova_gen3", *torque_noise_only(torque_relative)]


TRUTH = "--truth=" + ",".join(str(x) for x in PAYLOAD)


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a homogeneous box and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 8, 0.1, 4.0, 0.02)


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the box as a mesh in the payload frame."""
    path = tmp_path_factory.mktemp("meshes") / "box.stl"
    box = trimesh.creation.box(SIDES)
    box.apply_translation(CENTRE)
    box.export(path)
    return path


@pytest.mark.slow
def test_all_methods_are_compared_against_the_truth(bag: Path, mesh: Path) -> None:
    done = run("compare", bag, *bounds(), TRUTH, "--shape", mesh, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {entry["name"] for entry in result["estimators"]} == set(ESTIMATORS)
    assert {entry["name"] for entry in result["intervals"]} == set(METHODS)
    for entry in result["estimators"]:
        if ESTIMATORS[entry["name"]].physical:
            assert entry["physically_consistent"]
            assert entry["errors_percent"]["mass"] < 1.0
    for entry in result["intervals"]:
        if entry["guaranteed"]:
            assert all(entry["contains_truth"])
    widths = {entry["name"]: np.array(entry["half_width"]) for entry in result["intervals"]}
    assert (widths["hull"] <= widths["hull_lp"] * (1 + 1e-6)).all()
    assert (widths["hull_lp"] <= widths["least_squares_image"] * (1 + 1e-6)).all()
    assert "(10)-(12)" in result["metric"]


@pytest.mark.slow
def test_table_and_figure_are_made_without_a_truth(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figure = tmp_path / "comparison.png"
    done = run_without_ros(capsys, "compare", bag, *bounds(), "--figure", figure)
    assert done.returncode == 0, done.stderr
    for word in ("lmi", "entropic", "sensitivity", "guaranteed", "× hull", "Iyz"):
        assert word in done.stdout
    assert "point_masses" not in done.stdout  # they need a shape
    assert "truth" not in done.stdout
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_chosen_methods_only_in_the_order_given(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps({"seed": 1, "payload": PAYLOAD.tolist()}))  # as the demo writes it
    done = run_without_ros(
        capsys, "compare", bag, *bounds(), "--estimators=ols,lmi", "--intervals=hull_lp",
        "--truth", truth, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [entry["name"] for entry in result["estimators"]] == ["ols", "lmi"]
    assert [entry["name"] for entry in result["intervals"]] == ["hull_lp"]
    assert result["intervals"][0]["ratio_to_hull"] == [None] * 10
    assert "relative" in result["metric"]


def test_inconsistent_data_are_told_by_the_exit_code(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ["--estimators=lmi", "--intervals=hull"]
    done = run_without_ros(
        capsys, "compare", bag, *bounds(torque_relative=0.001), *methods, "--json"
    )
    assert done.returncode == 3, done.stderr
    entry = json.loads(done.stdout)["intervals"][0]
    assert not entry["consistent"] and entry["noise_factor"] > 1
    assert entry["lower"] == [None] * 10


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--estimators", "lmi,lmy"], ["lmy", "entropic"]),
        (["--intervals", "hul"], ["hul", "hull_lp"]),
        (["--estimators", "point_masses"], ["point_masses", "shape"]),
        (["--truth=1,2,3"], ["--truth", "ten numbers"]),
        (["--truth=none.json"], ["--truth", "none.json"]),
        (["--shape", "none.stl"], ["none.stl"]),
    ],
)
def test_what_cannot_be_used_is_one_sentence(
    bag: Path, arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(bag), *bounds(), *arguments]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in words)
    assert len(said.splitlines()) == 1


def test_a_recording_too_short_for_a_window_is_told(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(bag), *bounds(), "--to=0.05"]) == 3
    assert "window" in capsys.readouterr().err


def test_rows_of_a_further_recording_count(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    further = shutil.copytree(bag, tmp_path / "further")
    common = [str(bag), *bounds(), "--json", "--to=1.0"]
    methods = ["--intervals=hull,sensitivity", "--estimators=lmi"]
    assert main(["compare", *common, *methods]) == 0
    alone = json.loads(capsys.readouterr().out)
    common[-1:] = ["--from=0.0"]
    assert main(["compare", *common, *methods, "--also", str(further)]) == 0
    together = json.loads(capsys.readouterr().out)
    assert together["windows"] > 7 * alone["windows"]
    widths = [np.array(x["intervals"][0]["half_width"]) for x in (alone, together)]
    assert (widths[1] <= widths[0]).all() and (widths[1] < widths[0]).any()
    for found in (alone, together):
        hull, other = found["intervals"]
        ratio = np.array(hull["half_width"]) / other["half_width"]
        assert other["mean_hull_over_this"] == pytest.approx(ratio.mean(), rel=1e-6)


def test_a_further_recording_needs_a_robot(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(bag), "--also", str(bag)]) == 2
    assert "--also needs --robot" in capsys.readouterr().err
