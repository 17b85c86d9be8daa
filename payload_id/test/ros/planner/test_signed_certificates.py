"""Certificates that the planner writes with a key, and keys that it refuses to start with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import ConfigurationError
from payload_id.core.excitation.search.planning import NoPlan
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.runs.signature import SignatureState, judged
from payload_id.files.runs.signing_key import PASSPHRASE, new_key_pair
from payload_id.planning.request import (
    Goal,
    PieceRequest,
    Planned,
    PlanRequest,
    ScaleRequest,
)
from payload_id.planning.worker import PlanningWorker
from payload_id.ros.planner.parameters import PLANNER_TABLE, PlannerParameters, planning_settings

ROBOT = RobotFile.load("kinova_gen3")
PRIOR = PayloadPrior(1.5, 0.15)
BOUNDS = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PRIOR)
CELL = "none, a test"
GOAL = Goal("bezier", "half_widths", 2.0, 1.0, 1.0, 1, "safety_warning", *PRIOR.box(), "prior")


@pytest.fixture(autouse=True)
def no_passphrase(monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)


def settings_of(key, folder):
    """Return what the node makes of its parameters."""
    values = {entry.name: entry.default for entry in PLANNER_TABLE}
    parameters = PlannerParameters.of(values)
    parameters = replace(parameters, cell=CELL, stop_step=0.5, certificates_folder=str(folder))
    parameters = replace(parameters, signing_key=str(key))
    return planning_settings(parameters, ROBOT, BOUNDS, Cell.of(CELL, 0.02))


@pytest.mark.slow
def test_all_certificates_of_a_planner_with_a_key_are_signed(tmp_path):
    key = new_key_pair(tmp_path / "keys")
    settings = settings_of(key.path, tmp_path / "kept")
    worker, home = PlanningWorker(settings), np.array(ROBOT.home)
    plan = worker(PlanRequest("plan", GOAL, home, ()))
    assert isinstance(plan, Planned), plan
    assert isinstance(worker(ScaleRequest(plan, 0.5, ())), Planned)
    piece = worker(PieceRequest("run", 0, GOAL, MotionState.at_rest(home), 1.0, ()))
    assert not isinstance(piece.plan, NoPlan), piece.plan
    files = sorted((tmp_path / "kept").rglob("*.json"))
    kinds = [path.relative_to(tmp_path / "kept").as_posix() for path in files]
    for start in (
        "plan/motion",
        "plan/stop_",
        "plan/scaled_0.500/motion",
        "run/piece_00",
    ):
        assert any(name.startswith(start) for name in kinds), kinds
    for path in files:
        verdict = judged(load_certificate(path).signature, [key.public])
        assert verdict.state is SignatureState.OWN, path


def test_an_encrypted_key_needs_its_passphrase_at_start(tmp_path, monkeypatch):
    monkeypatch.setenv(PASSPHRASE, "correct horse")
    key = new_key_pair(tmp_path)
    assert settings_of(key.path, tmp_path).signing_key == str(key.path)
    monkeypatch.delenv(PASSPHRASE)
    with pytest.raises(ConfigurationError, match=PASSPHRASE):
        settings_of(key.path, tmp_path)
