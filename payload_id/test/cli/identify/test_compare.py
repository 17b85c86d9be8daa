"""The compare command as its user meets it: its output and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

from command_line import gen3_bag, run_without_ros, torque_noise_only
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.bounds import METHODS
from payload_id.core.estimators import ESTIMATORS

SIDES, CENTRE, MASS = np.array([0.12, 0.08, 0.2]), np.array([0.02, -0.01, 0.1]), 1.2  # of a box
PAYLOAD = from_mass_com_inertia(
    MASS, CENTRE, MASS / 12 * (SIDES @ SIDES * np.eye(3) - np.diag(SIDES**2))
)
TRUTH = "--truth=" + ",".join(str(x) for x in PAYLOAD)


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with a homogeneous box and bounded torque noise."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 8, 0.1, 1.5, 0.02)


@pytest.fixture
def compare(bag, capsys):
    """Return a function that compares methods; it returns the exit code and what was printed."""

    def run(*arguments, noise=0.02):
        known = ["--robot=kinova_gen3", *torque_noise_only(noise)]
        done = run_without_ros(capsys, "identify", "--compare", bag, *known, *arguments)
        is_json = "--json" in arguments and done.stdout
        return done.returncode, json.loads(done.stdout) if is_json else done.stdout + done.stderr

    return run


@pytest.mark.slow
def test_all_methods_are_compared_against_the_truth(compare, tmp_path):
    mesh = tmp_path / "box.stl"
    box = trimesh.creation.box(SIDES)
    box.apply_translation(CENTRE)
    box.export(mesh)
    known = tmp_path / "payload.yaml"
    known.write_text("outside: {kind: shape, file: box.stl}")
    code, result = compare(TRUTH, "--payload", known, "--json")
    assert code == 0
    assert {entry["name"] for entry in result["estimators"]} == set(ESTIMATORS)
    assert {entry["name"] for entry in result["intervals"]} == set(METHODS)
    for entry in result["estimators"]:
        if ESTIMATORS[entry["name"]].physical:
            assert entry["physically_consistent"] and entry["errors_percent"]["mass"] < 2.0
    widths = {entry["name"]: np.array(entry["half_width"]) for entry in result["intervals"]}
    assert (widths["hull"] <= widths["hull_lp"] * (1 + 1e-6)).all()
    assert (widths["hull_lp"] <= widths["least_squares_image"] * (1 + 1e-6)).all()
    assert "(10)-(12)" in result["metric"]


def test_inconsistent_data_and_too_little_are_told_by_the_exit_code(compare):
    methods = ["--estimator=lmi", "--intervals=hull"]
    code, result = compare(*methods, "--json", noise=0.001)
    entry = result["intervals"][0]
    assert code == 3 and not entry["consistent"] and entry["noise_factor"] > 1
    assert entry["lower"] == [None] * 10
    code, said = compare(*methods, "--to=0.05")
    assert code == 3 and "window" in said
