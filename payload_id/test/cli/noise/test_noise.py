"""The noise command and what its numbers are worth in a replay."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run_without_ros, torque_noise_only
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, np.array([0.0, 0.02, 0.1]), 4e-3 * np.eye(3))
KNOWN = f"--payload={','.join(str(x) for x in PAYLOAD)}"


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with relative torque noise, new at every sample."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 8, 0.1, 2.0, 0.02)


@pytest.fixture
def said(capsys):
    """Return a function that runs a command on the Gen3, and returns what it prints."""

    def run(*arguments):
        done = run_without_ros(capsys, *arguments, "--robot", "kinova_gen3")
        assert done.returncode == 0, done.stderr
        printed = " ".join(done.stdout.split())
        return json.loads(done.stdout) if "--json" in arguments else printed

    return run


def test_noise_that_averages_out_is_measured_as_such(bag, said):
    measured = ["noise", bag, KNOWN, "--lengths", "0.1", "0.5", *torque_noise_only(0.0)]
    short, long = said(*measured, "--json")["lengths"]
    assert (short["length"], long["length"]) == (0.1, 0.5) and long["margin"] is None
    # White noise of 50 samples against that of 250: its means are as 1 to sqrt(5), about.
    assert 0.1 < long["factor"] / short["factor"] < 0.8
    table = said(*measured, "--hat")
    assert "torque_hat" in table and "joint_7" in table
    loose = ["--uncertainty=torque_offset=80", "--uncertainty=link_relative=0.5"]
    printed = said("noise", bag, KNOWN, "--lengths", "0.5", *loose)
    assert "nothing is said of it" in printed and "Multiply" not in printed


def test_runs_with_known_payloads_tell_bounds_with_a_probability(bag, tmp_path, said):
    listed = tmp_path / "weights.yaml"
    listed.write_text(f"runs:\n  {bag}: {{mass: 1.2}}\n")
    common = ["noise", "--runs", listed, "--segments", "0.5", "--lengths=0.1"]
    found = said(*common, "--level", "0.7", "--json", *torque_noise_only(0.0))
    (only,) = found["lengths"]
    assert (found["runs"], found["missing"]) == (3, 0)
    assert len(only["factors"]) == 3 and only["bound"] == max(only["factors"]) > 0.0
    assert "more are needed" in said(*common, *torque_noise_only(0.0))
