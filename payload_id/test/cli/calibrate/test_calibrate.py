"""The calibrate command as its user meets it: its output, its files, its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run_here, run_without_ros
from payload_id import RobotFile, RobotModel
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.files.calibration_io.calibrated_robot import CALIBRATION

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
BOUNDS = [
    f"--uncertainty={bound}"
    for bound in (
        "torque_relative=0.02", "torque_absolute=0.01", "torque_gain=0.02", "torque_offset=0.4",
        "link_relative=0.05", "friction_coulomb=1.0", "friction_viscous=0.5", "rotor_inertia=0.1",
        "position_error=0",
    )
]  # fmt: skip
CALIBRATE = ("calibrate", "bounds", "--robot", "kinova_gen3", "--stated-noise")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with recordings of a Gen3, bare and with a payload."""
    folder = tmp_path_factory.mktemp("calibration")
    gen3_bag(folder / "bare", np.zeros(10), 1, 0.1, 3.0, 0.02)
    gen3_bag(folder / "loaded", PAYLOAD, 2, 0.1, 1.0, 0.02)
    return folder


def test_calibration_of_another_tool_or_a_damaged_one_is_refused(folder, capsys, tmp_path):
    mine = folder / "mine.yaml"
    done = run_here(capsys, *CALIBRATE, folder / "bare", *BOUNDS, "--out", mine)
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in ("Coulomb friction", "joint_7", "narrowed"))
    assert "./payload-id identify RECORDING --robot" in " ".join(done.stdout.split())
    other = mine.with_name("other.yaml")
    other.write_text(mine.read_text().replace("kinova_gen3.yaml", "kinova_gen3_2f85.yaml"))
    done = run_without_ros(capsys, "identify", folder / "loaded", "--robot", other)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    with pytest.raises(InputError):
        RobotModel.from_robot_file(RobotFile.load(other))
    (tmp_path / "robot.yaml").write_text(mine.read_text())
    whole = mine.with_suffix(".npz").read_bytes()
    for part in (None, b"", b"not an archive", whole[: len(whole) // 2]):
        if part is not None:
            (tmp_path / "mine.npz").write_bytes(part)
        with pytest.raises(ConfigurationError, match=r"mine\.npz"):
            RobotFile.load(tmp_path / "robot.yaml")


@pytest.mark.slow
def test_json_is_one_object_with_intervals(folder, capsys) -> None:
    options = "--changes torque_offset --ellipsoids --prior entropic --json --out".split()
    out = folder / "drifting.yaml"
    done = run_without_ros(capsys, *CALIBRATE, folder / "bare", *BOUNDS, *options, out)
    assert done.returncode == 0 and json.loads(done.stdout)["consistent"]
    entry = json.loads(done.stdout)["parameters"]["joint_1.friction_coulomb"]
    assert entry["lower"] <= 0.0 <= entry["upper"] and entry["upper"] - entry["lower"] < 0.6
    kept = CALIBRATION.load(out.with_suffix(".npz"))
    assert np.isinf(kept.lower[91:98]).all() and np.isfinite(kept.lower[:91]).all()
