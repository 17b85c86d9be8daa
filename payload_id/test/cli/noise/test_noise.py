"""The noise command on runs with known payloads."""

from __future__ import annotations

import json

import numpy as np

from command_line import gen3_bag, run_without_ros, torque_noise_only
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, np.array([0.0, 0.02, 0.1]), 4e-3 * np.eye(3))


def test_runs_with_known_payloads_tell_bounds_with_a_probability(tmp_path, capsys):
    bag, listed = gen3_bag(tmp_path / "run", PAYLOAD, 8, 0.1, 2.0, 0.02), tmp_path / "weights.yaml"
    listed.write_text(f"runs:\n  {bag}: {{mass: 1.2}}\n")
    common = ["noise", "--runs", listed, "--segments", "0.5", "--lengths=0.1", "--robot"]
    common += ["kinova_gen3", *torque_noise_only(0.0)]
    found = json.loads(run_without_ros(capsys, *common, "--level", "0.7", "--json").stdout)
    (only,) = found["lengths"]
    assert (found["runs"], found["missing"]) == (3, 0)
    assert len(only["factors"]) == 3 and only["bound"] == max(only["factors"]) > 0.0
    done = run_without_ros(capsys, *common)
    assert done.returncode == 0 and "more are needed" in " ".join(done.stdout.split())
