"""From the description of an own arm and a table to a verdict, by the commands that are printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import run_here
from payload_id import RobotModel
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics

# Joints with their axes and the masses that they move [kg].
PARTS = (("waist", "0 0 1", 4.0), ("lift", "0 1 0", 5.0), ("elbow", "0 1 0", 3.0),
         ("pitch", "0 1 0", 1.0), ("yaw", "0 0 1", 0.8), ("roll", "0 1 0", 0.3))  # fmt: skip
JOINTS = tuple(name for name, _, _ in PARTS)
PAYLOAD = from_mass_com_inertia(2.3, [0.02, -0.01, 0.08], np.diag([0.006, 0.005, 0.004]))


def description() -> str:
    """Return a six-axis arm."""
    parts, before = ['<link name="base"/>'], "base"
    for name, axis, mass in PARTS:
        parts.append(
            f'<joint name="{name}" type="revolute">'
            f'<parent link="{before}"/><child link="{name}_l"/>'
            f'<origin xyz="0 0.05 0.25"/><axis xyz="{axis}"/>'
            f'<limit lower="-3" upper="3" effort="150" velocity="4"/></joint>'
            f'<link name="{name}_l"><inertial><origin xyz="0 0.02 0.12"/><mass value="{mass}"/>'
            '<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        before = f"{name}_l"
    return f'<robot name="mine">{"".join(parts)}</robot>'


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write description and table of a run: degrees, another order, efforts against the joints."""
    monkeypatch.chdir(tmp_path)
    Path("mine.urdf").write_text(description())
    arm, rng = RobotModel.from_xml(description(), "roll_l", JOINTS), np.random.default_rng(5)
    home, free = np.array([0.1, 0.7, 0.6, 0.3, 0.4, 0.1]), 0.2 * rng.normal(size=(6, 2, 3))
    motion = FourierSeries.from_free(home, free, 3.0).at(np.arange(0.0, 3.0, 1e-2))
    tau = inverse_dynamics(arm, motion, PAYLOAD)
    tau += 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    order = [3, 0, 5, 1, 4, 2]
    header = ["time", *(f"{JOINTS[k]}_{kind}" for kind in ("pos", "vel", "torque") for k in order)]
    values = np.rad2deg(motion.q), np.rad2deg(motion.dq), -tau
    rows = np.column_stack([motion.time, *(x[:, order] for x in values)])
    np.savetxt("run.csv", rows, delimiter=",", header=",".join(header), comments="", fmt="%.9g")
    return tmp_path


@pytest.mark.slow
def test_an_own_arm_gets_a_believable_verdict_and_nothing_is_overwritten(made, capsys) -> None:
    def following(done) -> list[str]:
        """Return the command that the last one printed."""
        return done.stdout.rsplit("next: ./payload-id ", 1)[1].split()

    check = following(run_here(capsys, "new-robot", "mine.urdf", "--table", "run.csv"))
    done = run_here(capsys, *check)
    assert done.returncode == 2
    assert "all efforts have the opposite sign" in " ".join(done.stdout.split())
    columns = made / "mine_columns.yaml"
    columns.write_text(columns.read_text().replace("effort_sign: 1.0", "effort_sign: -1.0"))
    done = run_here(capsys, *check)
    assert done.returncode == 0
    found = json.loads(run_here(capsys, *following(done), "--json").stdout)
    lower, upper = np.array(found["lower"]), np.array(found["upper"])
    assert (lower <= PAYLOAD).all() and (PAYLOAD <= upper).all()
    assert upper[0] - lower[0] < 3.0
    before = (made / "mine.yaml").read_text()
    done = run_here(capsys, "new-robot", "mine.urdf")
    assert done.returncode == 2 and "mine.yaml" in done.stderr
    assert (made / "mine.yaml").read_text() == before
    columns.write_text(columns.read_text().replace('"waist", "lift"', '"hip", "lift"'))
    done = run_here(capsys, *check, "--json")
    assert done.returncode == 2 and "hip" in done.stderr and "waist" in done.stderr
