"""Replay of a force-torque sensor's recording as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

from command_line import run_without_ros
from payload_id.core.body.inertial import from_mass_com_inertia
from wrench_motion import motion, wrench_of

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
COLUMNS = """
wrench: {stamp: {column: t, unit: s}, columns: [fx, fy, fz, tx, ty, tz]}
orientation: {quaternion: [x, y, z, w]}
acceleration: {columns: [ax, ay, az]}
gravity: [0, 0, -9.81]
frame: wrist_sensor
"""
STATED = "{force_error: 0.05, torque_error: 0.01, prior: {mass_max: 3.0, com_max: 0.3}}"
HEAD = "t,fx,fy,fz,tx,ty,tz,x,y,z,w,ax,ay,az"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of a sensor that moves about all axes."""
    t = np.arange(0.0, 2.0, 0.005)
    rotation, omega, alpha, acceleration = motion(t)
    proper = acceleration - rotation.inv().apply([0, 0, -9.81])
    wrench = wrench_of(PAYLOAD, rotation, omega, alpha, acceleration)
    path = tmp_path_factory.mktemp("tables") / "run.csv"
    rows = np.column_stack([t, wrench, rotation.as_quat(), proper])
    np.savetxt(path, rows, delimiter=",", header=HEAD, comments="", fmt="%.9f")
    return path


@pytest.fixture
def replay(table, capsys):
    """Return a function that replays the table with some bounds and options."""

    def run_with(*options, stated=STATED, columns=COLUMNS):
        path = table.with_suffix(".yaml")
        path.write_text(f"{columns}uncertainty: {stated}\n")
        return run_without_ros(capsys, "identify", table, "--columns", path, *options)

    return run_with


@pytest.mark.slow
def test_columns_of_a_wrench_are_recognised_and_shown_to_a_person(replay):
    done = replay("--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["payload_frame"] == "wrist_sensor" and result["diagnosis"] == ""
    assert (np.array(result["lower"]) <= PAYLOAD).all()
    assert (np.array(result["upper"]) >= PAYLOAD).all()
    assert result["uncertainty"]["force_error"] == 0.05
    shown = replay("--uncertainty=force_error=0.1", "--intervals=least_squares_image").stdout
    assert "wrist_sensor" in shown and "Izz" in shown


@pytest.mark.slow
def test_a_shape_narrows_and_is_refused_where_it_is_none(replay, tmp_path):
    box, figure = trimesh.creation.box([0.25] * 3), tmp_path / "figure.png"
    box.apply_translation(PAYLOAD[1:4] / PAYLOAD[0])
    box.export(tmp_path / "box.stl")
    trimesh.Trimesh(box.vertices, box.faces[:-1]).export(tmp_path / "open.stl")
    options = ["--json", "--intervals=least_squares_image"]
    plain = json.loads(replay(*options).stdout)
    known = tmp_path / "payload.yaml"
    known.write_text("outside: {kind: shape, file: box.stl, density: 0.002, ellipsoids: 2}")
    options += ["--estimator=point_masses", "--figure", figure, "--payload", known]
    result = json.loads(replay(*options).stdout)
    assert result["shape"]["points"] == 31 and result["estimator"] == "point_masses"
    assert result["physically_consistent"] and figure.stat().st_size > 10_000
    widths = [np.subtract(x["upper"], x["lower"]) for x in (result, plain)]
    assert (widths[0] <= widths[1] * (1 + 1e-6)).all()
    known.write_text("outside: {kind: shape, file: open.stl}")
    done = replay(*options)
    assert done.returncode == 2 and "not closed" in done.stderr


def test_a_wrench_without_bounds_says_which_to_state(replay):
    for stated, missing in (
        ("{prior: {mass_max: 3.0, com_max: 0.3}}", {"force_error", "torque_error"}),
        ("{force_sigma: 0.1}", {"torque_error"}), ("{torque_error: [0, 0.1, 0]}", {"force_error"}),
    ):  # fmt: skip
        done = replay(stated=stated)
        assert done.returncode == 2 and done.stderr.strip().count("\n") == 0
        named = {x for x in ("force_error", "torque_error") if f"--uncertainty {x}=" in done.stderr}
        assert named == missing


@pytest.mark.slow
def test_a_saved_result_is_a_run_that_says_the_same_again(replay, tmp_path, capsys):
    run = tmp_path / "run"
    assert replay("--save", run).returncode == 0
    assert "Identical to the saved" in run_without_ros(capsys, "identify", run).stdout
    taken = (("report", run, "--json"), ("load", "export", run, "--as", "yaml"))
    assert not any(run_without_ros(capsys, *verb).returncode for verb in taken)
