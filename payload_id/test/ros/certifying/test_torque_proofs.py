"""Motion by torques: for drivers that execute them, within a design that is proved."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.certificate.certificate import digest_of
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.core.safety.tube.tracking_tube import ROBUST
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.planning.case_settings import CaseSettings
from payload_id.ros.certifying.prover import ProofRequest, Proved, Prover
from payload_id.ros.execution.back_ends.effort import check_executes_torques
from torque_robot import CELL, PERIOD, certified_motion, torque_robot


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the bridge's settings, and certificates of a motion and of two stops."""
    folder = tmp_path_factory.mktemp("torques")
    robot = torque_robot(folder)
    motion, stops = certified_motion(folder, robot, np.array(robot.home))
    settings = CaseSettings(
        str(robot.path), robot.uncertainty, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None, (),
        100.0, torque_period=0.8 * PERIOD,
    )  # fmt: skip
    return settings, motion, tuple(stops[:2])


def said(settings, motion, stops=()):
    found = Prover(settings)(ProofRequest(motion, stops, ()))
    assert isinstance(found, str), found
    return found


def test_the_design_of_a_certificate_is_proved_and_is_what_the_controller_gets(made):
    found = Prover(made[0])(ProofRequest(made[1], made[2], ()))
    assert isinstance(found, Proved), found
    stated = json.loads(made[1])
    assert found.motion.tube.kind == ROBUST and len(found.motion.stops) == 2
    assert found.motion.tube.to_dict() == stated["tube"]
    assert found.box.to_dict() == stated["box"]
    assert found.torque_limit.tolist() == stated["limits"]["torque"]


def test_a_design_that_counts_on_faster_torques_is_refused(made):
    found = said(replace(made[0], torque_period=1.1 * PERIOD), made[1])
    assert f"within {PERIOD:g} s" in found and "longer period" in found


def test_a_robust_motion_is_refused_where_the_position_controller_moves_the_arm(made):
    assert "tube" in said(replace(made[0], torque_period=None), made[1])


def test_a_motion_for_the_position_controller_is_refused_where_torques_move_the_arm(made):
    text = json.loads(made[1])
    text["tube"] |= {"kind": "position_controlled", "reserve": None}
    text["digest"] = digest_of({k: v for k, v in text.items() if k != "digest"})
    assert "kind 'position_controlled'" in said(made[0], json.dumps(text))


def test_a_design_that_promises_too_much_does_not_repeat_its_proof(made):
    text = json.loads(made[1])
    reserve = text["tube"]["reserve"]
    reserve["disturbance"] = [0.5 * x for x in reserve["disturbance"]]
    text["digest"] = digest_of({k: v for k, v in text.items() if k != "digest"})
    assert "tube is not the one that was certified" in said(made[0], json.dumps(text))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kinova_gen3", "accepts torques and ignores them"),
        ("kinova_gen3_2f85", "accepts torques and ignores them"),
        ("xarm7", "takes none"),
    ],
)
def test_an_arm_whose_driver_does_not_execute_torques_is_refused_by_name(name, words):
    robot = RobotFile.load(name)
    with pytest.raises(ConfigurationError, match=words) as caught:
        check_executes_torques(robot)
    assert robot.name in str(caught.value) and "driver.executed" in str(caught.value)
