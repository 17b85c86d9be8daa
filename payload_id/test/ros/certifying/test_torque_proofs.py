"""Motion by torques: for drivers that execute them, within a design that is proved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from payload_id.core.errors import InputError
from payload_id.core.safety.certificate.certificate import digest_of
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.planning.case_settings import CaseSettings
from payload_id.ros.certifying.prover import ProofRequest, Prover
from torque_robot import CELL, DELAY, PERIOD, certified_motion, torque_robot


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the bridge's settings, and the certificate of a motion."""
    folder = tmp_path_factory.mktemp("torques")
    robot = torque_robot(folder)
    motion, _ = certified_motion(folder, robot, np.array(robot.home))
    settings = CaseSettings(
        str(robot.path), robot.uncertainty, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None, (),
        100.0, by_torques=True,
    )  # fmt: skip
    return settings, motion


def said(settings, motion):
    with pytest.raises(InputError) as refused:
        Prover(settings)(ProofRequest(motion, (), ()))
    return str(refused.value)


def test_a_design_that_counts_on_faster_torques_or_better_states_is_refused(made, tmp_path):
    text = Path(made[0].robot_file).read_text()
    for old, new, words in (
        (f"effort_delay: {DELAY}", "effort_delay: 0.004", f"within {PERIOD + DELAY:g} s"),
        ("uncertainty: {", "uncertainty: {velocity_error: 0.01, ", "measured better"),
    ):
        other = tmp_path / "other.yaml"
        other.write_text(text.replace(old, new))
        bounds = RobotFile.load(str(other)).uncertainty
        assert words in said(replace(made[0], robot_file=str(other), uncertainty=bounds), made[1])


def test_a_robust_motion_is_refused_where_the_position_controller_moves_the_arm(made):
    assert "tube" in said(replace(made[0], by_torques=False), made[1])


def test_a_motion_for_the_position_controller_is_refused_where_torques_move_the_arm(made):
    text = json.loads(made[1])
    text["tube"] |= {"kind": "position_controlled", "reserve": None}
    text["digest"] = digest_of({k: v for k, v in text.items() if k != "digest"})
    assert "kind 'position_controlled'" in said(made[0], json.dumps(text))
