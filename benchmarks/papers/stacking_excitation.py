"""Algorithm 2 of [ZZV] for the stacking benchmark: certified pieces, intervals that narrow live.

Piece k + 1 is planned while piece k runs, for the interval that the pieces before k gave, among the
task's obstacles, and certified with the tube of the robust controller that follows it (continuous
in time; it runs at 1 kHz). When no piece is certified in 1.5 s the last one is followed to its
rest. The plans count processor's time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from payload_id import RobotModel, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.control.controller import Command, Controller, Measurement
from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.criteria import DEFAULT, criterion_named
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.excitation.search.certifier import (
    certifier,
    planning_limits,
    proof_torque,
    rough_clearance,
)
from payload_id.core.excitation.search.planning import Budget, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.arm_geometry import ArmGeometry
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.inertia_bound import inertia_bound
from payload_id.core.safety.tube.tracking_tube import TrackingTube

LENGTH, HANDOVER, PIECES = 3.0, 1.5, 4  # t_f, t_p [s]
BUDGET = Budget(seconds=HANDOVER, evaluations=np.inf)


@dataclass(frozen=True, eq=False)
class Workplace:
    """What pieces are planned for.

    Attributes:
        model: The arm.
        geometry: Its bodies and the dumbbell.
        obstacles: What stands around it.
        limits: The limits.
        uncertainty: Of arm and sensors.
        level: V_M of the robust controller [J].
        gain: Its K_r [1/s].
        seed: Of the search.
    """

    model: RobotModel
    geometry: ArmGeometry
    obstacles: tuple[ConvexBody, ...]
    limits: MotionLimits
    uncertainty: Uncertainty
    level: float
    gain: float
    seed: int

    def inertia(self, box: ParameterBox) -> Array:
        """Return what the tube is computed with, shape (n,) [kg m2]."""
        bodies = (part[:-1] for part in box.bodies)
        return np.asarray(inertia_bound(self.model, box.rotor_inertia_lower, *bodies))

    def piece(
        self, start: MotionState, box: ParameterBox, collected: Collected, number: int
    ) -> tuple[Trajectory | None, Collected]:
        """Return the next certified piece, None if there is none, and the rows it will add."""
        gain = np.full(self.model.n, self.gain)
        tube = TrackingTube.passivity_based(self.level, gain, self.inertia(box))
        case = SafetyCase(self.model, self.geometry, self.obstacles, box, tube, self.limits, "")
        middle = (box.payload_lower + box.payload_upper) / 2
        predictor = RowPredictor(MomentumRows.of(self.model, self.uncertainty), middle)
        known = np.diff(self.uncertainty.prior.box(), axis=0)[0] / 2
        limits = planning_limits(case)
        family = BezierFamily.within(start, LENGTH, limits)
        horizon = LENGTH if number == PIECES - 1 else HANDOVER
        criterion = criterion_named(DEFAULT, known)
        task = PlanningTask(family, predictor, criterion, collected, horizon, limits, box,
                            proof_torque(case, family), rough_clearance(case))  # fmt: skip
        found = plan(task, certifier(case), BUDGET, self.seed + number, time.process_time)
        if not isinstance(found, Plan):
            return None, collected
        x = found.parameters[None]
        rows = predictor.rows(lambda t: family.motion(x, t), horizon)
        return found.trajectory, collected.plus(rows)


def joined(pieces: list[Trajectory]) -> MotionSequence:
    """Return pieces one after the other, the last one to its rest."""
    until = [HANDOVER] * (len(pieces) - 1) + [LENGTH]
    return MotionSequence(tuple(pieces), tuple(until))


@dataclass(frozen=True, eq=False)
class InTurn:
    """Controllers one after the other, each for its piece; the last one stays.

    Attributes:
        controllers: One for each piece.
    """

    controllers: tuple[Controller[Any], ...]

    def start(self, measurement: Measurement) -> tuple[int, Any]:
        """Return the first controller's start."""
        return 0, self.controllers[0].start(measurement)

    def command(
        self, state: tuple[int, Any], measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, tuple[int, Any]]:
        """Return the torque of the controller whose turn it is."""
        turn = min(int(measurement.time / HANDOVER + 1e-9), len(self.controllers) - 1)
        inner = state[1] if turn == state[0] else self.controllers[turn].start(measurement)
        command, inner = self.controllers[turn].command(inner, measurement, reference)
        return command, (turn, inner)


def narrowed(known: tuple[Array, Array], found: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return what two intervals have in common."""
    return np.maximum(known[0], found[0]), np.minimum(known[1], found[1])
