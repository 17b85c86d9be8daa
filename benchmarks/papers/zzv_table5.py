"""Exciting pieces against random ones for five dumbbells: Table V and figure 6 of [ZZV].

A Gen3 holds a dumbbell of 4 to 8 lb. Four pieces of 3 s, each left after 1.5 s but for the
last, are planned in receding horizon with the package's planner and certifier; the rows so far feed
the next plan. The same is done with pieces drawn at random until one is certified. The rows are
those of exact data under the bounds of the paper (2.5 % torque, 5 % links); compared are the
condition number of Y and the half widths of the exact hull.

    ./payload-id python benchmarks/papers/zzv_table5.py --trials 3 --limits safety_warning

The heavy dumbbells need more than the 39/9 N m of the limits `urdf`; `safety_warning` is 56.7/29.4
N m, and the paper's own implementation plans with 90/45.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import partial

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from payload_id import RobotFile, RobotModel, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS, from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds import Interval, Memory, method_named
from payload_id.core.excitation.candidates.candidates import BezierFamily
from payload_id.core.excitation.candidates.wave_candidates import WaveFamily
from payload_id.core.excitation.criteria import CRITERIA, DEFAULT, criterion_named
from payload_id.core.excitation.prediction.candidate_rows import (
    CandidateRows,
    Collected,
    RowPredictor,
)
from payload_id.core.excitation.search.certifier import (
    certifier,
    planning_limits,
    rough_clearance,
)
from payload_id.core.excitation.search.planning import Budget, Plan, plan
from payload_id.core.excitation.search.planning_task import PlanningTask
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.threads import one_thread
from payload_id.files.robots.arm_geometry import robot_geometry

POUNDS = 0.45359237  # [kg]
PAPER = {4: (274.030, 479.573), 5: (282.840, 418.078), 6: (250.704, 373.448),
         7: (258.517, 312.352), 8: (233.539, 413.381)}  # fmt: skip  # ours, random of Table V
UNSURE = Uncertainty(torque_relative=0.025, link_relative=0.05, prior=PayloadPrior(6.0, 0.3))
LENGTH, HANDOVER = 3.0, 1.5  # t_f, t_p [s]
HOME = np.array([0.0, 0.26, np.pi, -2.27, 0.0, 0.96, 1.57])
FIRST_BOX = 0.15  # part of the payload by which it is uncertain at first [-]
SECONDS = 1.5  # for each plan, certification included
DEFAULT_BUDGET = Budget(seconds=SECONDS, evaluations=np.inf)
FAMILIES = {"bezier": BezierFamily, "wave": WaveFamily}
COLUMNS = (
    "dumbbell",
    "cond(Y) ours",
    "random",
    "ratio",
    "paper ours",
    "random",
    "ratio",
    "half widths ours / random",
    "slowest plan",
    "refused ours",
    "random",
)
DRAWS = 400  # random pieces of which one must be certified


@dataclass(frozen=True)
class Outcome:
    """What one run of four pieces gave.

    Attributes:
        condition: Condition number of Y.
        half_width: Of the exact hull, shape (10,).
        seconds: Longest planning time of a piece [s].
        asked: How often the certifier was asked.
    """

    condition: float
    half_width: Array
    seconds: float
    asked: int


@dataclass(frozen=True)
class Setting:
    """One dumbbell on the arm.

    Attributes:
        case: What motions are certified against, the payload's first box in it.
        predictor: Of rows with the true payload.
        phi: The true payload, shape (10,).
    """

    case: SafetyCase
    predictor: RowPredictor
    phi: Array

    @classmethod
    def of(cls, pounds: float, limits: str) -> Setting:
        """Return the setting for a dumbbell under a named set of limits."""
        robot = RobotFile.load("kinova_gen3")
        model = RobotModel.from_robot_file(robot)
        phi, body = dumbbell(pounds)
        half = FIRST_BOX * np.abs(phi) + 1e-3
        box = ParameterBox.around(model, (phi - half, phi + half), UNSURE)
        case = SafetyCase(
            model,
            robot_geometry(robot, model, [body]),
            (ConvexBody.ground(-0.02),),
            box,
            TrackingTube.exact(model.n),
            robot.limits_named(limits).of_motion(),
            limits,
        )
        return cls(case, RowPredictor(MomentumRows.of(model, UNSURE), phi), phi)


def dumbbell(pounds: float) -> tuple[Array, ConvexBody]:
    """Return phi and the volume of a hexagonal dumbbell held across by its bar, 0.12 m ahead."""
    mass, length, radius = pounds * POUNDS, 0.16 + 0.01 * pounds, 0.03 + 0.002 * pounds
    # Two heads at the ends hold nearly all of the mass.
    along, across = mass * (length / 2 - 0.025) ** 2, mass * radius**2 / 2
    inertia = np.diag([across, along + across / 2, along + across / 2])
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the bar along x
    place = np.array([0.0, 0.0, 0.12])
    phi = from_mass_com_inertia(mass, place, inertia)
    size = (radius + 0.01, length)
    return phi, ConvexBody.primitive("cylinder", size, turn, place, "dumbbell")


def run(
    setting: Setting,
    pieces: int,
    seed: int,
    criterion: str | None,
    budget: Budget = DEFAULT_BUDGET,
    family_name: str = "bezier",
) -> Outcome | None:
    """Return what pieces give, optimised for a criterion or (None) random; None if refused."""
    case, predictor = setting.case, setting.predictor
    known = half_width_of(UNSURE.prior.box())
    start, collected = MotionState.at_rest(HOME), Collected.nothing(predictor.p)
    rows: list[CandidateRows] = []
    limits, clear = planning_limits(case), rough_clearance(case)
    rng, warm, longest, asked = np.random.default_rng(seed), None, 0.0, 0
    for piece in range(pieces):
        family = FAMILIES[family_name].within(start, LENGTH, limits)
        horizon = LENGTH if piece == pieces - 1 else HANDOVER
        chosen = criterion_named(criterion or DEFAULT, known)
        task = PlanningTask(family, predictor, chosen, collected, horizon, limits, case.box, 0.0,
                            clear)  # fmt: skip
        began = time.process_time()
        if criterion is None:
            found = random_piece(task, case, rng)
        else:
            found = plan(task, certifier(case), budget, seed + piece, time.process_time, warm)
        longest = max(longest, time.process_time() - began)
        if not isinstance(found, Plan):
            return None
        asked, x = asked + found.asked, found.parameters[None]
        rows.append(predictor.rows(partial(family.motion, x), horizon))
        collected = collected.plus(rows[-1])
        start = MotionState.of(found.trajectory, HANDOVER)
    half_width = hull(rows, setting.phi)
    return Outcome(float(np.linalg.cond(stacked(rows, "A"))), half_width, longest, asked)


def random_piece(task: PlanningTask, case: SafetyCase, rng: np.random.Generator) -> Plan | None:
    """Return the first random piece that is certified; those over sampled limits are not asked."""
    ask = certifier(case)
    for _ in range(DRAWS):
        x = rng.uniform(-1.0, 1.0, task.family.size)
        if task.usage(x[None]).max() > 1.0:
            continue
        verdict = ask(task.family.trajectory(x))
        if verdict.accepted:
            return Plan(task.family.trajectory(x), x, 0.0, verdict.answer, 0, 1, 0.0)
    return None


def half_width_of(box: tuple[Array, Array]) -> Array:
    """Return half the width of a box."""
    return np.asarray((box[1] - box[0]) / 2)


def stacked(rows: list[CandidateRows], name: str) -> Array:
    """Return the rows of all pieces under each other."""
    return np.concatenate([getattr(block, name)[0] for block in rows])


def hull(rows: list[CandidateRows], phi: Array) -> Array:
    """Return the half widths of the exact hull of rows whose data are exact."""
    A, B, d = (stacked(rows, name) for name in ("A", "B", "d"))
    zero = np.zeros(len(d))
    block = RowBlock(A, np.zeros_like(A), B, A @ phi, d, zero.astype(int), zero, zero)
    prior = Interval(*UNSURE.prior.box())
    return method_named("hull").bounds(block, prior, Memory()).interval.half_width


def main() -> None:
    """Run all dumbbells and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=3, help="runs for each dumbbell and method")
    parser.add_argument("--pieces", type=int, default=4)
    parser.add_argument("--limits", default="safety_warning", help="a set of the robot file")
    parser.add_argument("--criterion", default=DEFAULT, choices=sorted(CRITERIA))
    parser.add_argument("--pounds", type=float, nargs="+", default=list(PAPER))
    parser.add_argument("--family", default="wave", choices=sorted(FAMILIES))
    parser.add_argument("--evaluations", type=float, help="for each plan, instead of 1.5 s")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    few = chosen.evaluations
    budget = DEFAULT_BUDGET if few is None else Budget(evaluations=few)
    console, ratios, widths = Console(width=160), [], []
    table = Table(title=f"limits '{chosen.limits}', criterion '{chosen.criterion}'")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    details = Table("dumbbell", "", *PARAMETERS, title="median half widths of the hull")
    for pounds in track(chosen.pounds, console=console, transient=True):
        setting = Setting.of(pounds, chosen.limits)
        seeds = [chosen.seed + 100 * trial for trial in range(chosen.trials)]
        with one_thread():
            ours = [
                run(setting, chosen.pieces, seed, chosen.criterion, budget, chosen.family)
                for seed in seeds
            ]
            random = [run(setting, chosen.pieces, seed, None) for seed in seeds]
        a, b = ([x for x in found if x is not None] for found in (ours, random))
        lost = [str(len(seeds) - len(found)) for found in (a, b)]
        printed = PAPER.get(int(pounds), (np.nan, np.nan))
        if not a or not b:
            table.add_row(f"{pounds:g} lb", *["-"] * 8, *lost)
            continue
        condition = [float(np.mean([x.condition for x in found])) for found in (a, b)]
        width = [np.median([x.half_width for x in found], axis=0) for found in (a, b)]
        ratios.append(condition[0] / condition[1])
        widths.append(float(np.exp(np.mean(np.log(width[0] / width[1])))))
        table.add_row(
            f"{pounds:g} lb", f"{condition[0]:.1f}", f"{condition[1]:.1f}", f"{ratios[-1]:.2f}",
            f"{printed[0]:.0f}", f"{printed[1]:.0f}", f"{printed[0] / printed[1]:.2f}",
            f"{widths[-1]:.2f}", f"{max(x.seconds for x in a):.2f} s", *lost,
        )  # fmt: skip
        for name, values in zip(("ours", "random"), width, strict=True):
            details.add_row(f"{pounds:g} lb", name, *(f"{value:.2g}" for value in values))
    console.print(table, details)
    if ratios:
        console.print(
            f"mean ratio of condition numbers {np.mean(ratios):.2f} (paper "
            f"{np.mean([a / b for a, b in PAPER.values()]):.2f}); geometric mean ratio of half "
            f"widths {np.exp(np.mean(np.log(widths))):.2f}"
        )


if __name__ == "__main__":
    main()
