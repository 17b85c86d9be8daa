"""Replay of a force-torque sensor's recording as its user meets it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import trimesh

from command_line import run, run_without_ros
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
COLUMNS = """
wrench: {stamp: {column: t, unit: s}, columns: [fx, fy, fz, tx, ty, tz]}
orientation: {quaternion: [x, y, z, w], position: [px, py, pz]}
gravity: [0, 0, -9.81]
frame: wrist_sensor
uncertainty: {force_error: 0.05, torque_error: 0.01, prior: {mass_max: 3.0, com_max: 0.3}}
"""


def replay(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return run("replay", *arguments)


def write(path: Path, sign: float = 1.0) -> Path:
    """Write a table of a sensor that turns about a fixed point, and stops at the end."""
    t = np.arange(0.0, 3.0, 0.005)
    a, b = 1.2 * np.sin(1.3 * t), 0.9 * np.sin(1.9 * t + 1)
    half = np.stack([a, b], axis=1) / 2
    (sa, sb), (ca, cb) = np.sin(half).T, np.cos(half).T
    quaternion = np.stack([sa * cb, ca * sb, sa * sb, ca * cb], axis=1)  # about x, then y
    from scipy.spatial.transform import Rotation

    from payload_id.core.samples.filters import interpolated_rotation

    matrices = Rotation.from_quat(quaternion).as_matrix()
    turning = interpolated_rotation(t, matrices, t)
    proper = -(np.array([0, 0, -9.81]) @ matrices)
    Y = newton_euler_regressor(proper, turning.velocity, turning.acceleration)
    rows = np.column_stack([t, sign * (Y @ PAYLOAD), quaternion, np.zeros((len(t), 3))])
    header = "t,fx,fy,fz,tx,ty,tz,x,y,z,w,px,py,pz"
    np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt="%.9f")
    path.with_suffix(".yaml").write_text(COLUMNS)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of a good recording."""
    return write(tmp_path_factory.mktemp("tables") / "run.csv")


@pytest.mark.slow
def test_columns_of_a_wrench_are_recognised(table: Path) -> None:
    done = replay(table, "--columns", table.with_suffix(".yaml"), "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["payload_frame"] == "wrist_sensor"
    assert (np.array(result["lower"]) <= PAYLOAD).all() and (
        PAYLOAD <= np.array(result["upper"])
    ).all()
    assert result["uncertainty"]["force_error"] == 0.05 and result["diagnosis"] == ""


@pytest.mark.slow
def test_result_is_shown_to_a_person(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--columns", table.with_suffix(".yaml"), "--uncertainty=force_error=0.1"]
    done = run_without_ros(capsys, "replay", table, *options)
    assert done.returncode == 0, done.stderr
    assert "wrist_sensor" in done.stdout and "Izz" in done.stdout


@pytest.mark.slow
def test_wrong_sign_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path / "run.csv", sign=-1.0)
    done = run_without_ros(
        capsys, "replay", table, "--columns", table.with_suffix(".yaml"), "--json"
    )
    assert done.returncode == 3
    assert "wrong sign" in json.loads(done.stdout)["message"]


def test_static_mode_needs_rests(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = table.with_suffix(".yaml")
    done = run_without_ros(capsys, "replay", table, "--columns", columns, "--static")
    assert done.returncode == 2 and "rests" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--wrench-topic", "/ft"], "--columns FILE"),
        (["--static"], "--wrench-topic"),
        (["--uncertainty=forse=1"], "Unknown bound 'forse'"),
    ],
)
def test_what_is_missing_is_said(
    table: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = ["--columns", table.with_suffix(".yaml")] if "forse" in arguments[0] else []
    done = run_without_ros(capsys, "replay", table, *extra, *arguments)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def meshes(table: Path) -> Path:
    """Return a folder of meshes: one that holds the payload, and some that cannot be used."""
    folder = table.parent
    box = trimesh.creation.box([0.25] * 3)
    box.apply_translation(PAYLOAD[1:4] / PAYLOAD[0])
    box.export(folder / "box.stl")
    box.copy().apply_scale(1000.0).export(folder / "millimetres.stl")
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(folder / "open.stl")
    flat = box.copy()
    flat.vertices[:, 2] = 0.1
    flat.export(folder / "flat.stl")
    (folder / "text.stl").write_text("no mesh")
    return folder


@pytest.mark.slow
def test_shape_serves_estimator_and_figure(
    table: Path, meshes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["replay", str(table), "--columns", str(table.with_suffix(".yaml")), "--json",
                 "--intervals=least_squares_image"]  # fmt: skip
    assert main(arguments) == 0
    plain = json.loads(capsys.readouterr().out)
    figure = meshes / "figure.png"
    shape = ["--shape", str(meshes / "box.stl"), "--shape-density=0.002", "--shape-ellipsoids=2"]
    assert main([*arguments, *shape, "--estimator=point_masses", "--figure", str(figure)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["shape"]["points"] == 31 and result["estimator"] == "point_masses"
    assert result["physically_consistent"] and figure.stat().st_size > 10_000
    width = np.array(result["upper"]) - np.array(result["lower"])
    assert (width <= (np.array(plain["upper"]) - np.array(plain["lower"])) * (1 + 1e-6)).all()


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("open.stl", "not closed"),
        ("millimetres.stl", "scale 0.001"),
        ("flat.stl", "flat"),
        ("text.stl", "holds no points"),
        ("nowhere.stl", "no file"),
        ("", "needs the payload's shape"),
    ],
)
def test_shape_that_cannot_be_used_is_refused(
    table: Path, meshes: Path, capsys: pytest.CaptureFixture[str], file: str, words: str
) -> None:
    shape = ["--shape", str(meshes / file)] if file else []
    columns = ["--columns", str(table.with_suffix(".yaml"))]
    assert main(["replay", str(table), *columns, "--estimator=point_masses", *shape]) == 2
    printed = capsys.readouterr().err
    assert words in printed and len(printed.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("bounds", "missing", "there"),
    [
        ("prior: {mass_max: 3.0, com_max: 0.3}", ["force_error", "torque_error"], []),
        ("force_sigma: 0.1", ["torque_error"], ["force_error"]),
        ("torque_error: [0, 0.1, 0]", ["force_error"], ["torque_error="]),
    ],
)
def test_a_wrench_without_bounds_says_which_to_state(
    bounds: str,
    missing: list[str],
    there: list[str],
    table: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    columns = table.with_name("unbound.yaml")
    columns.write_text(f"{COLUMNS.partition('uncertainty')[0]}uncertainty: {{{bounds}}}\n")
    assert main(["replay", str(table), "--columns", str(columns)]) == 2
    shown = capsys.readouterr().err
    assert len(shown.strip().splitlines()) == 1
    assert all(f"--uncertainty {name}=" in shown for name in missing)
    assert not any(f"--uncertainty {name}" in shown for name in there)
