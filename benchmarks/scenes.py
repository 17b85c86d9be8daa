"""Planning among obstacles: time and success over random scenes.

A scene is the ground, ten boxes, cylinders, capsules, balls and hulls of 5 to 20 cm at arm's reach,
and an arm that holds a dumbbell, at rest in its home pose (even scenes) or a random one (odd). Only
scenes whose start is free count: obstacles are drawn again until the start keeps the required
clearance, tube included, and a random pose until the arm is clear of itself and the ground there.
In each scene one piece of 3 s, to be left after 1.5 s, is planned and certified for the arm's own
position controller, the payload known to +-15 % ("mass") or to Table I of [ZZV] ("table I").

A scene succeeds if a piece is certified within 1.5 s of the processor's time, one thread, scene,
family and certification included, and moves: at least MOVING joints by more than MOVED rad before
it is left. "start" counts those in which the arm must not even stay where it is, "still" plans that
do not move.

    ./payload-id python benchmarks/scenes.py --trials 100 --limits safety_warning
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from bench import options, show
from zzv_conditions import NONE, with_table_i
from zzv_pieces import BUDGET, HANDOVER, LENGTH, task_of

from payload_id import Uncertainty
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import DEFAULT
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.excitation.search.certifier import certifier, planning_limits
from payload_id.core.excitation.search.planning import Plan, plan
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.safety.certificate.certify import start_refusal
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.threads import one_thread
from payload_id.files.robots.arm_geometry import robot_geometry
from safety_scenes import arm_named, limits_of, obstacles

PHI = 1.8 * np.array([1.0, 0.0, 0.0, 0.06, 0.006, 0.0, 0.0, 0.006, 0.0, 0.002])  # a dumbbell
HALF = 0.15 * np.abs(PHI) + 1e-3  # by which it is uncertain
CLEARANCE = 0.005  # [m]
MOVED, MOVING = 0.1, 4  # [rad], joints
PAPER = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(6.0, 0.3))


def case_of(name: str, limits: str) -> SafetyCase:
    """Return a shipped arm with its dumbbell, without obstacles."""
    robot, model = arm_named(name)
    dumbbell = ConvexBody.primitive("sphere", (0.08,), translation=(0.0, 0.0, 0.08))
    box = ParameterBox.around(model, (PHI - HALF, PHI + HALF), PAPER)
    return SafetyCase(model, robot_geometry(robot, model, [dumbbell]), (), box,
                      robot.control.stated_tube(), limits_of(robot, limits), limits,
                      CLEARANCE)  # fmt: skip


def scene(case: SafetyCase, home: np.ndarray, seed: int) -> tuple[MotionState, SafetyCase]:
    """Return a start at rest, and the case with what is around it: the start is free."""
    rng, limits = np.random.default_rng([seed, 4]), case.limits
    tube = TrackingTube.position_controlled(
        case.tube.position, case.tube.velocity, np.zeros(len(home))
    )

    def free(start: MotionState, around: list[ConvexBody]) -> bool:
        return start_refusal(replace(case, tube=tube, obstacles=tuple(around)), start) is None

    start, around = MotionState.at_rest(home), [ConvexBody.ground(-0.01)]
    while seed % 2:
        lower = np.where(np.isfinite(limits.position_lower), limits.position_lower, -np.pi)
        upper = np.where(np.isfinite(limits.position_upper), limits.position_upper, np.pi)
        start = MotionState.at_rest(rng.uniform(0.9 * lower, 0.9 * upper))
        if free(start, around):
            break
    for k in range(1, 11):
        body = replace(obstacles(rng)[k], name=f"obstacle {k}")
        while not free(start, [*around, body]):
            body = replace(obstacles(rng)[k], name=f"obstacle {k}")
        around.append(body)
    return start, replace(case, obstacles=tuple(around))


@dataclass(frozen=True)
class Trial:
    """What came of one scene.

    Attributes:
        seconds: Processor's time for all [s].
        reason: Why there is no plan, or "still"; empty: there is one that moves.
        moved: What the joint moves by that moves fourth most [rad].
    """

    seconds: float
    reason: str
    moved: float = float("nan")


def run(case: SafetyCase, start: MotionState, predictor: RowPredictor, seed: int) -> Trial:
    """Plan one piece."""
    began = time.process_time()
    family, ask = WaveFamily.within(start, LENGTH, planning_limits(case)), certifier(case)
    known = np.diff(PAPER.prior.box(), axis=0)[0] / 2
    task = task_of(case, family, predictor, DEFAULT, known, Collected.nothing(predictor.p))
    budget = replace(BUDGET, seconds=BUDGET.seconds - (time.process_time() - began))
    found = plan(task, ask, budget, seed, time.process_time)
    seconds = time.process_time() - began
    if isinstance(found, Plan):
        q = found.trajectory.at(np.linspace(0.0, HANDOVER, 31)).q
        moved = float(np.sort(np.ptp(q, axis=0))[-MOVING])
        return Trial(seconds, "" if moved > MOVED else "still", moved)
    if isinstance(ask(family.trajectory(family.calm)).answer, Refusal):
        return Trial(seconds, "start")
    refused = isinstance(found.answer, Refusal)
    return Trial(seconds, found.answer.constraint if refused else "no candidate")


def main() -> None:
    """Plan in all scenes and print the table."""
    given = options(trials=100, seed=0, robot="kinova_gen3", limits="safety_warning")
    case, home = case_of(given.robot, given.limits), np.asarray(arm_named(given.robot)[0].home)
    boxes = {
        "mass": case.box,
        "table I": with_table_i(ParameterBox.around(case.model, (NONE, NONE), PAPER)),
    }
    predictor = RowPredictor(MomentumRows.of(case.model, PAPER), PHI)
    found: dict[str, list[Trial]] = {name: [] for name in boxes}
    for seed in range(given.seed, given.seed + given.trials):
        with one_thread():
            start, around = scene(case, home, seed)
            for name, box in boxes.items():
                found[name].append(run(replace(around, box=box), start, predictor, seed))
    rows = []
    for name, every in found.items():
        seconds, lost = [x.seconds for x in every], Counter(x.reason for x in every)
        good = [x for x in every if not x.reason]
        in_time = sum(x.seconds <= HANDOVER for x in good)
        moved = float(np.median([x.moved for x in good] or [np.nan]))
        times = np.quantile(seconds, [0.5, 0.95, 1.0])
        none = ", ".join(f"{reason} {count}" for reason, count in lost.items() if reason)
        rows.append((name, f"{in_time} of {len(every)}", len(good), *times, none or "-", moved))
    show(f"{given.robot}, limits '{given.limits}'", ("payload", "certified, moving, in time",
         "at all", "CPU median [s]", "95 %", "largest", "no plan for", "moved [rad]"),
         rows)  # fmt: skip


if __name__ == "__main__":
    main()
