"""Algorithm 2 of [ZZV] for tables III and V: certified pieces, intervals that narrow on the way.

Piece k + 1 is planned while piece k runs, for the interval that the pieces before k gave, among the
task's obstacles, and certified with the tube of the robust controller that follows it, which is
continuous in time. When no piece is certified in 1.5 s the last one is followed to its rest. The
plans count processor's time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from zzv_conditions import (
    ARM,
    GAIN,
    LEVEL,
    LIMITS,
    MODEL,
    NONE,
    RANGE,
    ROBOT,
    START,
    UNCERTAIN,
    box_of,
    expected_payload,
    volume,
    with_table_i,
)

from payload_id.core.arrays import Array
from payload_id.core.bounds import Interval, Memory, method_named
from payload_id.core.excitation.candidates.candidates import BezierFamily, Family
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import criterion_named
from payload_id.core.excitation.prediction.candidate_rows import (
    CandidateRows,
    Collected,
    RowPredictor,
)
from payload_id.core.excitation.search.certifier import (
    certifier,
    planning_limits,
    proof_torque,
    rough_clearance,
)
from payload_id.core.excitation.search.planning import Budget, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.inertia_bound import inertia_bound
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.robots.arm_geometry import robot_geometry

LENGTH, HANDOVER, PIECES = 3.0, 1.5, 4  # t_f, t_p [s]
BUDGET = Budget(seconds=HANDOVER, evaluations=np.inf)
DRAWS = 400  # random pieces of which one must be certified
ROWS = MomentumRows.of(MODEL, UNCERTAIN)
PRIOR = UNCERTAIN.prior.box()
KNOWN = (PRIOR[1] - PRIOR[0]) / 2


def paper_family(start: MotionState, duration: float, limits: MotionLimits) -> BezierFamily:
    """Return the pieces of the paper's code: displacements within `RANGE`."""
    free = BezierFamily.within(start, duration, limits)
    lower, upper = (np.clip(end, -RANGE, RANGE) for end in (free.lower, free.upper))
    return BezierFamily(start, duration, lower, upper)


FAMILIES: dict[str, Callable[[MotionState, float, MotionLimits], Family]] = {
    "paper": paper_family,  # as wide as the paper's code has it
    "bezier": BezierFamily.within,  # the same, as wide as limits allow
    "wave": WaveFamily.within,  # what `payload_id` plans by default
}


@dataclass(frozen=True)
class Way:
    """How pieces are found.

    Attributes:
        family: Of `FAMILIES`.
        criterion: What is minimised; "": pieces are drawn, and the first certified one is taken.
    """

    family: str
    criterion: str


@dataclass(frozen=True, eq=False)
class Piece:
    """One certified piece.

    Attributes:
        motion: The motion.
        box: What it was certified for.
        rows: That it will give until the handover, the last one until its end.
        seconds: Time for planning it [s].
    """

    motion: Trajectory
    box: ParameterBox
    rows: CandidateRows
    seconds: float


Learn = Callable[[list[Piece]], tuple[Array, Array]]  # pieces that were followed to an interval


def pieces_of(
    pounds: float, obstacles: tuple[ConvexBody, ...], way: Way, learn: Learn, seed: int
) -> list[Piece]:
    """Return up to four pieces that begin with what Table I says of the payload."""
    geometry = robot_geometry(ROBOT, MODEL, [volume(pounds)])
    rng, state, found = np.random.default_rng(seed), MotionState.at_rest(START), []
    box, known, collected = with_table_i(box_of((NONE, NONE))), PRIOR, Collected.nothing(ROWS.p)
    for number in range(PIECES):
        if number > 1:  # while piece `number - 1` runs, those before it are known
            known = narrowed(known, learn(found[:-1]))
            box = box_of(known)
        tube = TrackingTube.passivity_based(LEVEL, GAIN, inertia(box))
        case = SafetyCase(MODEL, geometry, obstacles, box, tube, LIMITS, "")
        began = time.process_time()
        piece = _piece(case, state, way, collected, rng, number)
        if piece is None:
            break
        motion, rows = piece
        found.append(Piece(motion, box, rows, time.process_time() - began))
        state, collected = MotionState.of(motion, HANDOVER), collected.plus(rows)
    return found


def task_of(
    case: SafetyCase,
    family: Family,
    predictor: RowPredictor,
    criterion: str,
    known: Array,
    collected: Collected,
    horizon: float = HANDOVER,
) -> PlanningTask:
    """Return the search for a piece of a family that this package makes."""
    return PlanningTask(
        family, predictor, criterion_named(criterion, known), collected, horizon,
        planning_limits(case), case.box, proof_torque(case, family), rough_clearance(case),
    )  # fmt: skip


def _piece(
    case: SafetyCase,
    start: MotionState,
    way: Way,
    collected: Collected,
    rng: np.random.Generator,
    number: int,
) -> tuple[Trajectory, CandidateRows] | None:
    """Return a certified piece and its rows; None if there is none."""
    horizon = LENGTH if number == PIECES - 1 else HANDOVER
    family = FAMILIES[way.family](start, LENGTH, planning_limits(case))
    predictor = RowPredictor(ROWS, expected_payload(case.box))
    criterion = way.criterion or "condition_number"
    task = task_of(case, family, predictor, criterion, KNOWN, collected, horizon)
    ask = certifier(case)
    if way.criterion:
        found = plan(task, ask, BUDGET, int(rng.integers(2**31)), time.process_time)
        x = found.parameters if isinstance(found, Plan) else None
    else:
        drawn = (rng.uniform(-1.0, 1.0, family.size) for _ in range(DRAWS))
        inside = (x for x in drawn if task.usage(x[None]).max() <= 1.0)
        x = next((x for x in inside if ask(family.trajectory(x)).accepted), None)
    if x is None:
        return None
    return family.trajectory(x), predictor.rows(lambda t: family.motion(x[None], t), horizon)


def inertia(box: ParameterBox) -> Array:
    """Return what tubes are computed with, shape (n,) [kg m2]."""
    bodies = (part[:-1] for part in box.bodies)
    return np.asarray(inertia_bound(ARM, box.rotor_inertia_lower, *bodies))


def joined(pieces: list[Piece]) -> MotionSequence:
    """Return pieces one after the other, the last one to its rest."""
    until = [HANDOVER] * (len(pieces) - 1) + [LENGTH]
    return MotionSequence(tuple(piece.motion for piece in pieces), tuple(until))


def narrowed(known: tuple[Array, Array], found: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return what two intervals have in common."""
    return np.maximum(known[0], found[0]), np.minimum(known[1], found[1])


def exact_hull(pieces: list[Piece], phi: Array) -> Interval:
    """Return the hull of the pieces' rows where the data are exact and bounds are stated."""
    A, B, d = (np.concatenate([getattr(x.rows, name)[0] for x in pieces]) for name in "ABd")
    zero = np.zeros(len(d))
    block = RowBlock(A, np.zeros_like(A), B, A @ phi, d, zero.astype(int), zero, zero)
    return method_named("hull").bounds(block, Interval(*PRIOR), Memory()).interval
