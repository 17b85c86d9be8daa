"""What runs in the planning process: plans, certifies, and keeps the certificates.

It knows no ROS. Candidates are shaped by what the tracking tube leaves of the limits; what counts
is the certifier's answer about the limits themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..core.arrays import Array
from ..core.errors import InputError
from ..core.excitation.candidates.candidates import BezierFamily, Family, FourierFamily
from ..core.excitation.candidates.there_and_back_candidates import ThereAndBackFamily
from ..core.excitation.candidates.wave_candidates import WaveFamily
from ..core.excitation.criteria import DEFAULT, criterion_named
from ..core.excitation.criteria.calibrated_widths import CalibratedWidths
from ..core.excitation.criteria.half_widths import HalfWidths
from ..core.excitation.prediction.candidate_rows import RowPredictor
from ..core.excitation.prediction.predictor import Predictor
from ..core.excitation.prediction.wrench_rows import WrenchPredictor
from ..core.excitation.search.certifier import proof_torque, rough_clearance
from ..core.excitation.search.planning import Budget, Certify, NoPlan, plan
from ..core.excitation.search.planning_task import PlanningTask
from ..core.excitation.search.verdict import Verdict
from ..core.motion.bezier import BezierPiece
from ..core.motion.limits import MotionLimits
from ..core.motion.motion_state import MotionState
from ..core.motion.time_scaling import TimeScaled
from ..core.motion.trajectory import Trajectory
from ..core.rows.joint_torque.momentum import MomentumRows
from ..core.safety.certificate.certificate import Certificate
from ..core.safety.certificate.certified_motion import CertifiedMotion
from ..core.safety.certificate.certify import start_refusal
from ..core.safety.certificate.safety_case import SafetyCase
from ..core.safety.clearance.swept_volume import swept_volume
from ..core.safety.torque.parameter_box import ParameterBox
from ..core.safety.tube.tracking_tube import EXACT, TrackingTube
from ..files.robots.robot_model import RobotModel
from .motion_certifier import MotionCertifier, with_tube
from .plan_figures import figures_of
from .request import (
    Goal,
    MoveRequest,
    Piece,
    PieceRequest,
    Planned,
    PlanningSettings,
    PlanRequest,
    Refused,
    ScaleRequest,
)
from .run_prediction import RunPrediction

WARM = Budget(1.0, 300, 1)  # of the plan that nobody wants
LEAST = 5  # times that the certifier is asked for a piece in motion, however busy the machine
LEAST_EXCURSION = 1e-3  # [rad or m] below which a motion moves nothing
STANDING_STILL = (
    "Only standing still was certified: nothing that moves keeps limits and clearances for every "
    "payload in the intervals. Allow more (duration, limits, a smaller clearance or prior), or "
    "start farther from obstacles and limits."
)
LEAST_MOVE = 1.0  # [s] that the way to a pose takes
SLOWER = (1.05, 1.6, 2.5)  # times the shortest duration that are tried for it
STOPS_SHARE = 0.3  # of a piece's computing time that is left for its stops

Request = PlanRequest | PieceRequest | ScaleRequest | MoveRequest


class PlanningWorker:
    """Carries out plan and piece requests for one robot."""

    def __init__(self, settings: PlanningSettings) -> None:
        """Read the robot file.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self._certifier = MotionCertifier(settings)
        self._predicting = _predicting(self._certifier.model, settings)
        self._prediction: RunPrediction | None = None  # of the receding horizon in progress
        self._limits: MotionLimits | None = None  # of its joints
        self._run = ""  # its name
        self._tube: TrackingTube | None = None  # that its pieces have in common
        self._loose: TrackingTube | None = None  # the same before a design

    def __call__(
        self,
        request: PlanRequest | PieceRequest | ScaleRequest | MoveRequest | None,
    ) -> Any:
        """Return `Planned`, `Piece` or `Refused`; for None, only get ready for the first one."""
        if request is None:
            return self._warm_up()
        try:
            if isinstance(request, ScaleRequest):
                return self.scaled(request)
            if isinstance(request, MoveRequest):
                return self.moved(request)
            return self.piece(request) if isinstance(request, PieceRequest) else self.plan(request)
        except InputError as error:
            return Refused(str(error))

    def _warm_up(self) -> bool:
        """Load what is loaded on first use, by planning a motion that nobody wants."""
        robot, nothing = self._certifier.robot, np.zeros(10)
        q = np.zeros(robot.n) if robot.home is None else robot.home
        goal = Goal("bezier", DEFAULT, 3.0, 1.0, 1.0, 0, robot.limits_used, nothing, nothing, "")
        try:
            case, start = self._certifier.case(goal, ()), MotionState.at_rest(q)
            limits = self._certifier.limits_left(case, goal.speed_scale)
            task = self._task(case, goal, start, limits, self._fresh(case.box), goal.duration)
            plan(task, self._executed_verdict(case), WARM, 0, time.monotonic)
        except InputError:
            return False
        return True

    def plan(self, request: PlanRequest) -> Planned | Refused:
        """Return a certified motion from rest to rest."""
        begin, goal = time.monotonic(), request.goal
        case = self._certifier.case(goal, request.obstacles)
        fresh = self._fresh(case.box)
        start = MotionState.at_rest(request.start)
        refusal = start_refusal(case, start)
        if refusal is not None:
            return Refused(f"Nothing can begin where the arm stands. {refusal.sentence}")
        family_of = partial(self._family, goal, start)
        case, limits = self._certifier.with_limits(case, goal.speed_scale, family_of)
        task = self._task(case, goal, start, limits, fresh, goal.duration)
        verdict = self._executed_verdict(case)
        patient = Budget(goal.time_budget, least=Budget.certifications)  # at rest it can wait
        found = plan(task, verdict, patient, goal.seed, time.monotonic)
        if isinstance(found, NoPlan):
            return Refused(f"No motion was certified. {found.reason}")
        if _largest_excursion(found.trajectory) < LEAST_EXCURSION:
            return Refused(STANDING_STILL)
        executed = self._certifier.slow_enough(case, found.trajectory)
        case = self._certifier.designed(case, executed)
        motion = self._with_stops(request.plan_id, case, executed)
        certificate: Certificate = found.certificate
        path = self._certifier.keep(
            f"{request.plan_id}/motion", case, motion.trajectory, certificate
        )
        known = fresh.known
        rows = fresh.rows(motion.trajectory, motion.trajectory.duration)
        expected = HalfWidths(known).predicted(rows, fresh.collected)[0]
        calibrated = None
        if isinstance(task.criterion, CalibratedWidths):
            calibrated = task.criterion.predicted(rows, fresh.collected)[0]
        seconds = time.monotonic() - begin
        return Planned(
            request=request,
            motion=motion,
            certificate=certificate,
            certificate_path=path,
            figures=figures_of(
                case, motion.trajectory, certificate, known, expected, calibrated, seconds
            ),
            swept=swept_volume(self._certifier.model, self._certifier.geometry, motion.trajectory),
            clearance=case.clearance,
            documents=self._certifier.documents(path, request.plan_id, motion.stops),
        )

    def piece(self, request: PieceRequest) -> Piece:
        """Return the next piece of a receding horizon, certified with its end at rest."""
        begin, goal = time.monotonic(), request.goal
        case = self._certifier.case(goal, request.obstacles)
        prediction = self._prediction_for(request, case.box)
        case, limits = self._limits_of_run(case, request)
        task = self._task(case, goal, request.start, limits, prediction, request.handover)
        verdict = partial(self._certifier.verdict, case)
        least = LEAST if request.start.dq.any() else Budget.certifications  # at rest it can wait
        budget = Budget((1.0 - STOPS_SHARE) * goal.time_budget, least=least)
        found = plan(task, verdict, budget, goal.seed + request.index, time.monotonic)
        if not isinstance(found, NoPlan) and _largest_excursion(found.trajectory) < LEAST_EXCURSION:
            found = NoPlan(STANDING_STILL, None, found.evaluations, found.asked, found.seconds)
        if isinstance(found, NoPlan):
            return Piece(found, case.tube, seconds=time.monotonic() - begin)
        case = self._certifier.designed(case, found.trajectory)
        self._tube = case.tube
        name = f"{request.plan_id}/piece_{request.index:02d}"
        path = self._certifier.keep(name, case, found.trajectory, found.certificate)
        prediction.add(found.trajectory)
        stops = self._certifier.stops(name, case, found.trajectory, request.handover)
        condition = prediction.condition_number_after(found.trajectory, request.handover)
        documents = self._certifier.documents(path, name, stops)
        seconds = time.monotonic() - begin
        return Piece(found, case.tube, stops, condition, seconds, documents)

    def _executed_verdict(self, case: SafetyCase) -> Certify:
        """Return what certifies motions as they will be executed."""

        def verdict(motion: Trajectory) -> Verdict:
            return self._certifier.verdict(case, self._certifier.slow_enough(case, motion))

        return verdict

    def _limits_of_run(
        self, case: SafetyCase, request: PieceRequest
    ) -> tuple[SafetyCase, MotionLimits]:
        """Return the limits of single joints in a receding horizon, the same for all its pieces.

        A piece that begins in motion cannot be slowed down afterwards: all are planned slowly. By
        torques, it has the design of the one before.
        """
        if request.index == 0 or self._limits is None:
            family_of = partial(self._family, request.goal, request.start)
            loose, left = self._certifier.with_limits(case, request.goal.speed_scale, family_of)
            self._limits = self._certifier.calm_limits(loose, left, family_of)
            self._tube = self._loose = loose.tube
        tube = self._tube if request.start.dq.any() else self._loose
        if case.tube.kind == EXACT and tube is not None:
            case = with_tube(case, tube)
        return case, self._limits

    def scaled(self, request: ScaleRequest) -> Planned | Refused:
        """Return a plan along the same path at a fraction of its speed, certified as such."""
        begin, planned = time.monotonic(), request.planned
        case = self._certifier.case(planned.request.goal, request.obstacles)
        motion = TimeScaled(planned.motion.trajectory, request.scale)
        verdict = self._certifier.verdict(case, motion)
        if not verdict.accepted:
            said = str(verdict.answer or verdict.reason)
            return Refused(f"The slower motion is not certified. {said}")
        case = self._certifier.designed(case, motion)
        folder = f"{planned.request.plan_id}/scaled_{request.scale:.3f}"
        stopped = self._with_stops(folder, case, motion)
        path = self._certifier.keep(f"{folder}/motion", case, motion, verdict.answer)
        return replace(
            planned,
            motion=stopped,
            certificate=verdict.answer,
            certificate_path=path,
            documents=self._certifier.documents(path, folder, stopped.stops),
            figures=replace(planned.figures, seconds=time.monotonic() - begin),
        )

    def moved(self, request: MoveRequest) -> Planned | Refused:
        """Return the straight way of the joints to a pose, certified at one of some speeds."""
        asked, begin = request.plan, time.monotonic()
        case = self._certifier.case(asked.goal, asked.obstacles)
        limits = self._certifier.limits_left(case, asked.goal.speed_scale)
        start, way = MotionState.at_rest(asked.start), request.target - asked.start
        whole = BezierPiece(start, way, 1.0)
        fastest = max(
            float((whole.largest(1) / limits.velocity).max()),
            float(np.sqrt(whole.largest(2) / limits.acceleration).max()),
            LEAST_MOVE,
        )
        sentence = ""
        for factor in SLOWER:
            motion = self._certifier.slow_enough(case, BezierPiece(start, way, factor * fastest))
            verdict = self._certifier.verdict(case, motion)
            if verdict.accepted:
                case = self._certifier.designed(case, motion)
                return self._straight(asked, case, motion, verdict.answer, begin)
            sentence = str(verdict.answer or verdict.reason)
        return Refused(f"The straight way of the joints to where to begin is refused. {sentence}")

    def _straight(
        self,
        asked: PlanRequest,
        case: SafetyCase,
        motion: Trajectory,
        certificate: Certificate,
        begin: float,
    ) -> Planned:
        """Return a certified way as a plan, begun to be computed at a time [s]."""
        stopped = self._with_stops(asked.plan_id, case, motion)
        path = self._certifier.keep(f"{asked.plan_id}/motion", case, motion, certificate)
        known, seconds = self._fresh(case.box).known, time.monotonic() - begin
        return Planned(
            request=asked,
            motion=stopped,
            certificate=certificate,
            certificate_path=path,
            figures=figures_of(case, motion, certificate, known, known, None, seconds),
            swept=swept_volume(self._certifier.model, self._certifier.geometry, motion),
            clearance=case.clearance,
            documents=self._certifier.documents(path, asked.plan_id, stopped.stops),
        )

    def _family(self, goal: Goal, start: MotionState, limits: MotionLimits) -> Family:
        """Return the candidates."""
        if goal.family == "bezier":
            return BezierFamily.within(start, goal.duration, limits)
        if goal.family == "wave":
            return WaveFamily.within(start, goal.duration, limits)
        if goal.family == "there_and_back":
            return ThereAndBackFamily.within(start.q, goal.duration, limits)
        return FourierFamily.within(start.q, goal.duration, limits)

    def _fresh(self, box: ParameterBox) -> RunPrediction:
        """Return what is known at the beginning of a run."""
        return RunPrediction.fresh(self._predicting, box)

    def _task(
        self,
        case: SafetyCase,
        goal: Goal,
        start: MotionState,
        limits: MotionLimits,
        prediction: RunPrediction,
        until: float,
    ) -> PlanningTask:
        """Return what is to be optimised: a motion whose rows count until a time [s]."""
        family = self._family(goal, start, limits)
        return PlanningTask(
            family=family,
            predictor=prediction.predictor,
            criterion=criterion_named(goal.criterion, prediction.known, prediction.predictor),
            collected=prediction.collected,
            horizon=until,
            limits=limits,
            box=case.box,
            reserve=proof_torque(case, family),
            clearance=rough_clearance(case),
        )

    def _with_stops(self, name: str, case: SafetyCase, motion: Trajectory) -> CertifiedMotion:
        """Return a motion with certified stops all along."""
        stops = self._certifier.stops(name, case, motion, motion.duration)
        return CertifiedMotion(motion, stops, case.tube)

    def _prediction_for(self, request: PieceRequest, box: ParameterBox) -> RunPrediction:
        """Return what the run's pieces so far have taught; the last one only if it was followed."""
        if request.index == 0 or self._prediction is None or self._run != request.plan_id:
            self._prediction, self._run = self._fresh(box), request.plan_id
        else:
            self._prediction.take_in_last(request.start, request.handover)
        return self._prediction


def make_worker(settings: PlanningSettings) -> PlanningWorker:
    """Return the worker; called in the planning process."""
    return PlanningWorker(settings)


def _predicting(model: RobotModel, settings: PlanningSettings) -> Callable[[Array], Predictor]:
    """Return what predicts the rows of what the payload is identified from."""
    if settings.wrench is not None:
        return partial(WrenchPredictor, model, settings.wrench)
    return partial(RowPredictor, MomentumRows.of(model, settings.uncertainty))


def _largest_excursion(motion: Trajectory) -> float:
    """Return how far any joint moves [rad or m]."""
    q = motion.at(np.linspace(0.0, motion.duration, 50)).q
    return float(np.ptp(q, axis=0).max())
