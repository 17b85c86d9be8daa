"""What runs in the planning process: plans, certifies, and keeps the certificates.

It knows no ROS. Candidates are shaped by what the tracking tube leaves of the limits; what counts
is the certifier's answer about the limits themselves.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.excitation.candidates.candidates import BezierFamily, Family, FourierFamily
from ....core.excitation.candidates.wave_candidates import WaveFamily
from ....core.excitation.criteria import DEFAULT, criterion_named
from ....core.excitation.criteria.half_widths import HalfWidths
from ....core.excitation.prediction.candidate_rows import Collected, RowPredictor
from ....core.excitation.search.certifier import rough_clearance, torque_peaks, tube_torque
from ....core.excitation.search.planning import Budget, NoPlan, Plan, plan
from ....core.excitation.search.planning_task import PlanningTask
from ....core.excitation.search.verdict import Verdict
from ....core.motion.limits import MotionLimits
from ....core.motion.motion_state import MotionState
from ....core.motion.time_scaling import TimeScaled
from ....core.motion.trajectory import Trajectory
from ....core.rows.joint_torque.momentum import MomentumRows
from ....core.safety.certificate.certificate import Certificate
from ....core.safety.certificate.certified_motion import CertifiedMotion
from ....core.safety.certificate.certify import SafetyCase, start_refusal
from ....core.safety.clearance.swept_volume import swept_volume
from ....core.safety.torque.parameter_box import ParameterBox
from .certification import MotionCertifier
from .plan_figures import figures_of
from .request import Goal, Piece, PieceRequest, Planned, PlanningSettings, PlanRequest, Refused

WARM = Budget(1.0, 300, 1)  # of the plan that nobody wants
LAST_RESORT = Budget(evaluations=400, certifications=5)  # without a bound of time
LEAST_EXCURSION = 1e-3  # [rad or m] below which a motion moves nothing
STANDING_STILL = (
    "Only standing still was certified: nothing that moves keeps limits and clearances for every "
    "payload in the intervals. Allow more (duration, limits, a smaller clearance or prior), or "
    "start farther from obstacles and limits."
)
LEAST_SEARCH = 0.2  # [s] of computing below which a piece is not begun
STOPS_SHARE = 0.15  # of a piece's computing time that is left for its stops


@dataclass
class _Horizon:
    """What the pieces of one run have taught, as predicted."""

    plan_id: str
    predictor: RowPredictor
    known: Array
    collected: Collected
    last: tuple[Trajectory, float] | None = None


class PlanningWorker:
    """Carries out plan and piece requests for one robot."""

    def __init__(self, settings: PlanningSettings) -> None:
        """Read the robot file.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self._bench = MotionCertifier(settings)
        self._rows = MomentumRows.of(self._bench.model, settings.uncertainty)
        self._horizon: _Horizon | None = None

    def __call__(self, request: PlanRequest | PieceRequest | None) -> Any:
        """Return `Planned`, `Piece` or `Refused`; for None, only get ready for the first one."""
        if request is None:
            return self._warm_up()
        try:
            return self.piece(request) if isinstance(request, PieceRequest) else self.plan(request)
        except InputError as error:
            return Refused(str(error))

    def _warm_up(self) -> bool:
        """Load what is loaded on first use, by planning a motion that nobody wants."""
        robot, nothing = self._bench.robot, np.zeros(10)
        q = np.zeros(robot.n) if robot.home is None else robot.home
        goal = Goal(
            "bezier", DEFAULT, 3.0, 1.0, 0.0, 1.0, 0, robot.limits.name, nothing, nothing, ""
        )
        try:
            case, start = self._bench.case(goal, ()), MotionState.at_rest(q)
            task = self._task(case, goal, start, self._fresh("", case.box), goal.duration)
            self._found(case, task, goal, WARM, 0)
        except InputError:
            return False
        return True

    def plan(self, request: PlanRequest) -> Planned | Refused:
        """Return a certified motion from rest to rest."""
        begin, goal = time.monotonic(), request.goal
        case = self._bench.case(goal, request.obstacles)
        fresh = self._fresh(request.plan_id, case.box)
        start = MotionState.at_rest(request.start)
        self._bench.limits_left(case, goal.speed_scale)  # with a reason of its own if it is nothing
        refusal = start_refusal(case, start)
        if refusal is not None:
            return Refused(f"Nothing can begin where the arm stands. {refusal.sentence}")
        task = self._task(case, goal, start, fresh, goal.duration)
        found = self._found(case, task, goal, Budget(goal.time_budget), goal.seed)
        if _was_hurried(found):
            found = self._found(case, task, goal, LAST_RESORT, goal.seed)
        if isinstance(found, NoPlan):
            return Refused(f"No motion was certified. {found.reason}")
        if _largest_excursion(found.trajectory) < LEAST_EXCURSION:
            return Refused(STANDING_STILL)
        motion = self._with_stops(request.plan_id, case, _executed(found.trajectory, goal))
        certificate: Certificate = found.certificate
        path = self._bench.keep(f"{request.plan_id}/motion", case, motion.trajectory, certificate)
        known = fresh.known
        rows = fresh.predictor.rows(_alone(motion.trajectory), motion.trajectory.duration)
        expected = HalfWidths(known).predicted(rows, fresh.collected)[0]
        seconds = time.monotonic() - begin
        return Planned(
            request=request,
            motion=motion,
            certificate=certificate,
            certificate_path=path,
            figures=figures_of(case, motion.trajectory, certificate, known, expected, seconds),
            swept=swept_volume(self._bench.model, self._bench.geometry, motion.trajectory),
            clearance=case.clearance,
        )

    def piece(self, request: PieceRequest) -> Piece:
        """Return the next piece of a receding horizon, certified with its end at rest."""
        begin, goal = time.monotonic(), request.goal
        case = self._bench.case(goal, request.obstacles)
        horizon = self._horizon_of(request, case.box)
        task = self._task(case, goal, request.start, horizon, request.handover)
        budget = (1.0 - STOPS_SHARE) * goal.time_budget
        if budget < LEAST_SEARCH:
            none = NoPlan(f"Only {budget:.2f} s were left to plan in.", None, 0, 0, 0.0)
            return Piece(none, self._bench.tube)
        found = self._found(case, task, goal, Budget(budget), goal.seed + request.index)
        if _was_hurried(found) and not request.start.dq.any():
            found = self._found(case, task, goal, LAST_RESORT, goal.seed)
        if not isinstance(found, NoPlan) and _largest_excursion(found.trajectory) < LEAST_EXCURSION:
            found = NoPlan(STANDING_STILL, None, found.evaluations, found.asked, found.seconds)
        if isinstance(found, NoPlan):
            return Piece(found, self._bench.tube, seconds=time.monotonic() - begin)
        name = f"{request.plan_id}/piece_{request.index:02d}"
        self._bench.keep(name, case, found.trajectory, found.certificate)
        horizon.last = (found.trajectory, request.handover)
        deadline = begin + goal.time_budget
        stops = self._bench.stops(name, case, found.trajectory, request.handover, deadline)
        rows = horizon.predictor.rows(_alone(found.trajectory), request.handover)
        after = horizon.collected.plus(rows)
        return Piece(
            found, self._bench.tube, stops, _condition(after), seconds=time.monotonic() - begin
        )

    def _found(
        self, case: SafetyCase, task: PlanningTask, goal: Goal, budget: Budget, seed: int
    ) -> Plan | NoPlan:
        """Return the best certified motion within a budget."""

        def verdict(motion: Trajectory) -> Verdict:
            return self._bench.verdict(case, _executed(motion, goal))

        return plan(task, verdict, budget, seed, time.monotonic)

    def _family(self, goal: Goal, start: MotionState, limits: MotionLimits) -> Family:
        """Return the candidates."""
        if goal.family == "bezier":
            return BezierFamily.within(start, goal.duration, limits)
        if goal.family == "wave":
            return WaveFamily.within(start, goal.duration, limits)
        return FourierFamily.within(start.q, goal.duration, limits)

    def _fresh(self, plan_id: str, box: ParameterBox) -> _Horizon:
        """Return the state of a run without data."""
        middle = (box.payload_lower + box.payload_upper) / 2
        predictor = RowPredictor(self._rows, middle)
        return _Horizon(plan_id, predictor, _half_width(box), Collected.nothing(predictor.p))

    def _task(
        self, case: SafetyCase, goal: Goal, start: MotionState, horizon: _Horizon, until: float
    ) -> PlanningTask:
        """Return what is to be optimised: a motion whose rows count until a time [s]."""
        limits = self._bench.limits_left(case, goal.speed_scale)
        family = self._family(goal, start, limits)
        return PlanningTask(
            family=family,
            predictor=horizon.predictor,
            criterion=criterion_named(goal.criterion, horizon.known),
            collected=horizon.collected,
            horizon=until,
            limits=limits,
            box=case.box,
            reserve=tube_torque(case, family),
            clearance=rough_clearance(case),
            peaks=torque_peaks(case),
        )

    def _with_stops(self, name: str, case: SafetyCase, motion: Trajectory) -> CertifiedMotion:
        """Return a motion with certified stops all along."""
        stops = self._bench.stops(name, case, motion, motion.duration, np.inf)
        return CertifiedMotion(motion, stops, self._bench.tube)

    def _horizon_of(self, request: PieceRequest, box: ParameterBox) -> _Horizon:
        """Return what the run's pieces so far have taught; the last one only if it was followed."""
        horizon = self._horizon
        if request.index == 0 or horizon is None or horizon.plan_id != request.plan_id:
            horizon = self._fresh(request.plan_id, box)
        elif horizon.last is not None:
            motion, handover = horizon.last
            until = _left_after(motion, (handover, motion.duration), request.start)
            if until is not None:
                rows = horizon.predictor.rows(_alone(motion), until)
                horizon.collected = horizon.collected.plus(rows)
            horizon.last = None
        self._horizon = horizon
        return horizon


def make_worker(settings: PlanningSettings) -> PlanningWorker:
    """Return the worker; called in the planning process."""
    return PlanningWorker(settings)


def _executed(motion: Trajectory, goal: Goal) -> Trajectory:
    """Return the motion as it will be executed: slower in a dry run."""
    return TimeScaled(motion, goal.dry_run_scale) if goal.dry_run_scale else motion


def _largest_excursion(motion: Trajectory) -> float:
    """Return how far any joint moves [rad or m]."""
    q = motion.at(np.linspace(0.0, motion.duration, 50)).q
    return float(np.ptp(q, axis=0).max())


def _was_hurried(found: Plan | NoPlan) -> bool:
    """Whether hardly anything was tried, on a busy machine; an arm at rest can wait."""
    return isinstance(found, NoPlan) and found.asked < LAST_RESORT.certifications


def _left_after(motion: Trajectory, times: tuple[float, ...], state: MotionState) -> float | None:
    """Return after which of some times [s] a motion was left for a state; None: after none."""
    return next(
        (t for t in times if np.allclose(MotionState.of(motion, t).q, state.q, atol=1e-9)), None
    )


def _alone(motion: Trajectory) -> Any:
    """Return a motion as the only candidate, for `RowPredictor.rows`."""

    def at(instants: Array) -> Any:
        found = motion.at(instants)
        return replace(found, q=found.q[None], dq=found.dq[None], ddq=found.ddq[None])

    return at


def _half_width(box: ParameterBox) -> Array:
    """Return the half widths of the payload's interval, none of them zero, shape (10,)."""
    return np.asarray(np.maximum((box.payload_upper - box.payload_lower) / 2, 1e-9))


def _condition(collected: Collected) -> float:
    """Return the condition number of the payload's stacked regressor."""
    values = np.linalg.eigvalsh(collected.plain)
    return float(np.sqrt(values[-1] / values[0])) if values[0] > 0.0 else float("inf")
