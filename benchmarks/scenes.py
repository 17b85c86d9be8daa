"""Planning among obstacles: time and success over random scenes.

A scene is the ground, ten boxes, cylinders, capsules, balls and hulls of 5 to 20 cm at arm's reach,
and a Gen3 that holds a dumbbell, at rest in its home pose (even scenes) or a random one (odd). Only
scenes whose start is free count: obstacles are drawn again until the start keeps the required
clearance, tube included, and a random pose until the arm is clear of itself and the ground there.
In each scene one piece of 3 s, to be left after 1.5 s, is planned and certified, the payload known
to +-15 % ("mass") or to Table I of [ZZV] ("table I"), followed exactly, by the position controller
with the robot file's tube, or by the robust controller with the file's rotor inertias, continuous
in time as in [ZZV] or in steps of 1 ms.

A scene succeeds if a piece is certified within 1.5 s, scene, family and certification included,
and moves: at least MOVING joints by more than MOVED rad before it is left. Time is that of the
processor, one thread; how many would be in time by the clock on the wall is told beside it.

    ./payload-id python benchmarks/scenes.py --scenes 100 --limits safety_warning
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "papers"))

from zzv_conditions import NONE, with_table_i

from payload_id import RobotFile, Uncertainty
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.control.robust_design import design_for
from payload_id.core.errors import InputError
from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import CRITERIA, DEFAULT, criterion_named
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.excitation.search.certifier import (
    certifier,
    planning_limits,
    proof_torque,
    rough_clearance,
)
from payload_id.core.excitation.search.planning import Budget, NoPlan, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.excitation.search.verdict import Verdict
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.safety.certificate.certify import start_refusal
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.arm_geometry import ArmGeometry
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.inertia_bound import inertia_bound
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.threads import one_thread
from payload_id.files.robots.arm_geometry import robot_geometry
from safety_scenes import arm_named, limits_of, obstacles

LENGTH, HANDOVER = 3.0, 1.5  # t_f, t_p [s]
MASS, FIRST_BOX = 1.8, 0.15  # dumbbell [kg], part by which phi is uncertain [-]
PHI = MASS * np.array([1.0, 0.0, 0.0, 0.06, 0.006, 0.0, 0.0, 0.006, 0.0, 0.002])
CLEARANCE = 0.005  # [m]
LEVEL, GAIN = 0.005, 5.0  # V_M [J], K_r [1/s] of the robust controller
LATE = Sampling(1e-3)  # of torques in steps of 1 ms
DESIGNED, ROOM = (0.3, 3.0), 1.5  # [rad], [s] of the motion that they are designed for, with room
MOVED, MOVING = 0.1, 4  # [rad], joints
BOXES, TUBES = ("mass", "table I"), ("exact", "position", "robust", "robust 1 kHz")
PAPER = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(6.0, 0.3))
FAMILIES = {"bezier": BezierFamily, "wave": WaveFamily}
UNSURE = ("paper", "robot_file")  # where it stands what is uncertain of the arm


@dataclass(frozen=True)
class Arm:
    """An arm that holds a dumbbell."""

    robot: RobotFile
    model: ArmModel
    geometry: ArmGeometry

    @classmethod
    def named(cls, name: str) -> Arm:
        """Return a shipped arm."""
        robot, model = arm_named(name)
        dumbbell = ConvexBody.primitive("sphere", (0.08,), translation=(0.0, 0.0, 0.08))
        return cls(robot, model, robot_geometry(robot, model, [dumbbell]))


@dataclass(frozen=True)
class Trial:
    """What came of one scene in one setting.

    Attributes:
        found: The plan, or why there is none.
        cpu: Processor's time for all [s].
        wall: Time for all [s].
        accepted: Processor's time of each certification that succeeded [s].
        refused: ... that did not.
        reason: Constraint of the nearest refusal, "start" if the arm must not even stay where it
            is; empty if planned.
        moved: Joints that move.
    """

    found: Plan | NoPlan
    cpu: float
    wall: float
    accepted: list[float]
    refused: list[float]
    reason: str
    moved: Array

    def succeeds(self, limit: float = HANDOVER) -> bool:
        """Tell whether a moving piece was certified in time."""
        moves = int((self.moved > MOVED).sum()) >= MOVING
        return isinstance(self.found, Plan) and self.cpu <= limit and moves


def box_of(arm: Arm, kind: str, tube: str, unsure: Uncertainty) -> ParameterBox:
    """Return one of `BOXES`; the robust controller's counts the rotors."""
    robot, model = arm.robot, arm.model
    rotor = None
    if tube.startswith("robust"):
        rotor = robot.control.rotor_interval()
        if rotor is None:
            raise InputError(f"'{robot.name}' states no control.rotor_inertia.")
    if kind == "table I":
        return with_table_i(ParameterBox.around(model, (NONE, NONE), unsure, rotor))
    half = FIRST_BOX * np.abs(PHI) + 1e-3
    return ParameterBox.around(model, (PHI - half, PHI + half), unsure, rotor)


def tube_of(arm: Arm, kind: str, box: ParameterBox) -> TrackingTube:
    """Return one of `TUBES`."""
    robot, model = arm.robot, arm.model
    if kind == "exact":
        return TrackingTube.exact(model.n)
    if kind == "position":
        return robot.control.stated_tube()
    d = inertia_bound(model, box.rotor_inertia_lower, *(part[:-1] for part in box.bodies))
    if kind == "robust":
        return TrackingTube.passivity_based(LEVEL, np.full(model.n, GAIN), d)
    by, seconds = DESIGNED
    path = BezierPiece(MotionState.at_rest(np.asarray(robot.home)), np.full(model.n, by), seconds)
    return design_for(ArmDynamics(model, box), [path], GAIN, LATE, room=ROOM)


def case_of(arm: Arm, box: str, tube: str, limits: str, unsure: Uncertainty) -> SafetyCase:
    """Return a setting without obstacles."""
    robot, model, geometry = arm.robot, arm.model, arm.geometry
    bounds = box_of(arm, box, tube, unsure)
    stated = tube_of(arm, tube, bounds)
    named = limits_of(robot, limits)
    return SafetyCase(model, geometry, (), bounds, stated, named, limits, CLEARANCE)


def scene(
    arm: Arm, seed: int, widest: TrackingTube, limits: str
) -> tuple[MotionState, tuple[ConvexBody, ...]]:
    """Return a start at rest and what is around it, the start free for the widest tube."""
    rng = np.random.default_rng([seed, 4])
    robot, model, geometry = arm.robot, arm.model, arm.geometry
    named = limits_of(robot, limits)
    box = box_of(arm, "mass", "exact", PAPER)
    case = SafetyCase(model, geometry, (), box, widest, named, limits, CLEARANCE)
    ground = ConvexBody.ground(-0.01)

    def free(start: MotionState, around: list[ConvexBody]) -> bool:
        return start_refusal(replace(case, obstacles=tuple(around)), start) is None

    start = MotionState.at_rest(robot.home)
    while seed % 2:
        lower = np.where(np.isfinite(named.position_lower), named.position_lower, -np.pi)
        upper = np.where(np.isfinite(named.position_upper), named.position_upper, np.pi)
        start = MotionState.at_rest(rng.uniform(0.9 * lower, 0.9 * upper))
        if free(start, [ground]):
            break
    around = [ground]
    for k in range(1, 11):
        body = replace(obstacles(rng)[k], name=f"obstacle {k}")
        while not free(start, [*around, body]):
            body = replace(obstacles(rng)[k], name=f"obstacle {k}")
        around.append(body)
    return start, tuple(around)


def timed(
    ask: Callable[[Trajectory], Verdict],
) -> tuple[Callable[[Trajectory], Verdict], list[float], list[float]]:
    """Return a certifier that notes its time: of what it accepts and of what it refuses."""
    accepted: list[float] = []
    refused: list[float] = []

    def certify(trajectory: Trajectory) -> Verdict:
        began = time.process_time()
        verdict = ask(trajectory)
        (accepted if verdict.accepted else refused).append(time.process_time() - began)
        return verdict

    return certify, accepted, refused


def run(
    case: SafetyCase,
    start: MotionState,
    predictor: RowPredictor,
    criterion: str,
    seed: int,
    limit: float,
    family_name: str,
) -> Trial:
    """Plan one piece."""
    began, on_wall = time.process_time(), time.perf_counter()
    limits = planning_limits(case)
    family = FAMILIES[family_name].within(start, LENGTH, limits)
    known = np.diff(predictor.row_source.uncertainty.prior.box(), axis=0)[0] / 2
    nothing = Collected.nothing(predictor.p)
    task = PlanningTask(family, predictor, criterion_named(criterion, known), nothing, HANDOVER,
                limits, case.box, proof_torque(case, family), rough_clearance(case))  # fmt: skip
    certify, accepted, refused = timed(certifier(case))
    budget = Budget(seconds=limit - (time.process_time() - began), evaluations=np.inf)
    found = plan(task, certify, budget, seed, time.process_time)
    cpu, wall = time.process_time() - began, time.perf_counter() - on_wall
    reason, moved = "", np.zeros(start.n)
    if isinstance(found, Plan):
        motion = found.trajectory.at(np.linspace(0.0, HANDOVER, 31))
        moved = np.ptp(motion.q, axis=0)
    elif isinstance(certify(family.trajectory(family.calm)).answer, Refusal):
        reason = "start"  # where the arm cannot even stay
    else:
        reason = found.answer.constraint if isinstance(found.answer, Refusal) else "no candidate"
    return Trial(found, cpu, wall, accepted, refused, reason, moved)


def report(console: Console, title: str, trials: dict[str, list[Trial]]) -> None:
    """Print a table with a row for each setting."""
    table = Table(title=title)
    for name in ("setting", "certified, moving, in time", "by wall", "CPU median", "95 %",
                 "largest", "asked", "certify median", "95 %", "largest", "no plan for", "moved",
                 "least", "top speed"):  # fmt: skip
        table.add_column(name, justify="right")
    for name, every in trials.items():
        good = [x for x in every if isinstance(x.found, Plan)]
        proofs = [x for trial in every for x in trial.accepted] or [np.nan]
        lost = Counter(x.reason for x in every if x.reason)
        lost["still"] = sum(not x.succeeds(np.inf) for x in good)
        cpu = [x.cpu for x in every]
        # Excursion of the joint that moves fourth most: the piece moves if it is above MOVED.
        moved = [np.sort(x.moved)[-MOVING] for x in good] or [np.nan]
        speed = [np.abs(x.found.trajectory.at(np.linspace(0, 3, 61)).dq).max() for x in good]
        table.add_row(
            name,
            f"{sum(x.succeeds() for x in every)} of {len(every)}",
            str(sum(x.succeeds() and x.wall <= HANDOVER for x in every)),
            *(f"{x:.2f}" for x in (np.median(cpu), np.quantile(cpu, 0.95), max(cpu))),
            f"{np.mean([x.found.asked for x in every]):.1f}",
            *(f"{x:.3f}" for x in (np.median(proofs), np.quantile(proofs, 0.95), max(proofs))),
            ", ".join(f"{reason} {count}" for reason, count in lost.items() if count) or "-",
            f"{np.median(moved):.2f}",
            f"{min(moved):.2f}",
            f"{np.median(speed or [np.nan]):.2f}",
        )
    console.print(table)


def main() -> None:
    """Plan in all scenes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first scene")
    parser.add_argument("--limits", default="safety_warning", help="a set of the robot file")
    parser.add_argument("--robot", default="kinova_gen3", help="a shipped robot")
    parser.add_argument("--unsure", default="paper", choices=UNSURE, help="of links and sensors")
    parser.add_argument("--family", default="wave", choices=sorted(FAMILIES))
    parser.add_argument("--criterion", default=DEFAULT, choices=sorted(CRITERIA))
    parser.add_argument("--boxes", nargs="+", default=BOXES, choices=BOXES)
    parser.add_argument("--tubes", nargs="+", default=TUBES, choices=TUBES)
    parser.add_argument("--seconds", type=float, default=HANDOVER, help="for each plan")
    parser.add_argument("--verbose", action="store_true", help="a line for each trial")
    chosen = parser.parse_args()
    console, arm = Console(width=180), Arm.named(chosen.robot)
    unsure = PAPER if chosen.unsure == "paper" else arm.robot.uncertainty
    predictor = RowPredictor(MomentumRows.of(arm.model, unsure), PHI)
    settings = {}
    for box in chosen.boxes:
        for tube in chosen.tubes:
            try:
                settings[f"{box}, {tube}"] = case_of(arm, box, tube, chosen.limits, unsure)
            except InputError as error:
                console.print(f"{box}, {tube}: {error}")
    n = arm.model.n
    tubes = [case.tube for case in settings.values()]
    edge = {k: np.max([getattr(t, k) for t in tubes], axis=0) for k in ("position", "velocity")}
    widest = TrackingTube.position_controlled(edge["position"], edge["velocity"], np.zeros(n))
    trials: dict[str, list[Trial]] = {name: [] for name in settings}
    for seed in track(range(chosen.seed, chosen.seed + chosen.scenes), console=console,
                      transient=True):  # fmt: skip
        with one_thread():
            start, around = scene(arm, seed, widest, chosen.limits)
            for name, case in settings.items():
                trial = run(replace(case, obstacles=around), start, predictor, chosen.criterion,
                            seed, chosen.seconds, chosen.family)  # fmt: skip
                trials[name].append(trial)
                if chosen.verbose:
                    what = "ok" if isinstance(trial.found, Plan) else trial.found.reason
                    console.print(f"{seed} {name}: {trial.cpu:.2f} s, {trial.found.asked} asked, "
                                  f"{np.round(trial.moved, 2)} {what}")  # fmt: skip
    report(
        console,
        f"{chosen.robot}, limits '{chosen.limits}', {chosen.unsure}, {chosen.criterion}, "
        f"{chosen.family}",
        trials,
    )


if __name__ == "__main__":
    main()
