"""From the description of an own arm and a table to a verdict, by the commands that are printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from payload_id import RobotModel
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics

MASSES = (4.0, 5.0, 3.0, 1.0, 0.8, 0.3)
JOINTS = ("waist", "lift", "elbow", "pitch", "yaw", "roll")
AXES = ("0 0 1", "0 1 0", "0 1 0", "0 1 0", "0 0 1", "0 1 0")
PAYLOAD = from_mass_com_inertia(2.3, [0.02, -0.01, 0.08], np.diag([0.006, 0.005, 0.004]))


def description() -> str:
    """Return a six-axis arm."""
    parts, before = ['<link name="base"/>'], "base"
    for name, axis, mass in zip(JOINTS, AXES, MASSES, strict=True):
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
    arm = RobotModel.from_xml(description(), "roll_l", JOINTS)
    rng = np.random.default_rng(5)
    series = FourierSeries.from_free(
        np.array([0.1, 0.7, 0.6, 0.3, 0.4, 0.1]), 0.2 * rng.normal(size=(6, 2, 3)), 3.0
    )
    motion = series.at(np.arange(0.0, 3.0, 1e-2))
    tau = inverse_dynamics(arm, motion, PAYLOAD)
    tau += 0.01 * np.abs(tau).max(axis=0) * rng.normal(size=tau.shape)
    order = [3, 0, 5, 1, 4, 2]
    header = ["time", *(f"{JOINTS[k]}_{kind}" for kind in ("pos", "vel", "torque") for k in order)]
    values = np.column_stack(
        [motion.time, *np.rad2deg(motion.q[:, order]).T, *np.rad2deg(motion.dq[:, order]).T,
         *-tau[:, order].T]
    )  # fmt: skip
    np.savetxt("run.csv", values, delimiter=",", header=",".join(header), comments="", fmt="%.9g")
    return tmp_path


@pytest.mark.slow
def test_an_own_arm_gets_a_believable_verdict(made: Path, capsys: pytest.CaptureFixture) -> None:
    def following() -> list[str]:
        """Return the command that the last one printed."""
        printed = capsys.readouterr().out
        return printed.rsplit("next: ./payload-id ", 1)[1].split()

    assert main(["new-robot", "mine.urdf", "--table", "run.csv"]) == 0
    check = following()
    assert main(check) == 2
    assert "all efforts have the opposite sign" in " ".join(capsys.readouterr().out.split())
    columns = made / "mine_columns.yaml"
    columns.write_text(columns.read_text().replace("effort_sign: 1.0", "effort_sign: -1.0"))
    assert main(check) == 0
    assert main([*following(), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    lower, upper = np.array(found["lower"]), np.array(found["upper"])
    assert (lower <= PAYLOAD).all() and (PAYLOAD <= upper).all()
    assert found["upper"][0] - found["lower"][0] < 3.0


def test_names_of_another_arm_are_named(made: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["new-robot", "mine.urdf", "--table", "run.csv"]) == 0
    columns = made / "mine_columns.yaml"
    columns.write_text(columns.read_text().replace('"waist", "lift"', '"hip", "lift"'))
    capsys.readouterr()
    call = ["check", "run.csv", "--robot", "mine.yaml", "--columns", "mine_columns.yaml", "--json"]
    assert main(call) == 2
    said = capsys.readouterr().err
    assert "hip" in said and "waist" in said


def test_nothing_is_overwritten(made: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["new-robot", "mine.urdf"]) == 0
    before = (made / "mine.yaml").read_text()
    assert main(["new-robot", "mine.urdf"]) == 2
    assert "mine.yaml is there already" in capsys.readouterr().err
    assert (made / "mine.yaml").read_text() == before
