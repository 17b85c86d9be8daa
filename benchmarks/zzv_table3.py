"""Stacking dumbbells and passing obstacles with the controllers of [ZZV]: its Table III.

A simulated Gen3 carries dumbbells of 4 to 8 lb past an obstacle and stacks them 0.25 m (a) and
0.50 m (b) in front of it, or carries 8 lb closely over an obstacle (c): eleven motions for each
method of Table II. Motions, walls, gains, drives and limits are those of the paper's code
(`zzv_conditions`, `zzv_stacking`). A run fails when arm or dumbbell meet something in the fast
motion, when a torque is cut at its limit, or when a dumbbell of the stack lies more than half a
head's height too low 2 s after the hand has let go. A stack that has fallen is built up again for
the next dumbbell. Each trial is another arm: links, rotors and friction each up to 5 % off.

`ours` to `random` have the robust input as in the paper's code; `payload_id` is `ours` with the
pieces and the controller of this package. Pieces are certified from Table I on among the task's
obstacles, with the paper's displacements but for `payload_id`, whose are as wide as limits allow.
Sensors sit behind the gears and err by 2.5 %.

Chosen: gains of the adaptive controllers, which nobody prints; of the two published sets for PID
the stiffer. `grav-pid-excit` first follows a random Fourier series that keeps the limits of speed
and acceleration only.

    ./payload-id python benchmarks/zzv_table3.py --trials 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import pinocchio as pin
from bench import options, show
from learning_controllers import Learning, adaptive_robust, gravity_pid, slotine_li
from zzv_conditions import (
    ALPHA,
    ARM,
    GAIN,
    LEVEL,
    LIMITS,
    MODEL,
    NONE,
    POUNDS,
    ROBOT,
    ROTOR,
    START,
    TORQUE,
    UNCERTAIN,
    World,
    box_of,
    dumbbell,
    with_table_i,
)
from zzv_pieces import HANDOVER, PRIOR, Piece, Way, joined, narrowed, pieces_of
from zzv_stacking import HOLD, Body, Cell, Task, settled, tasks, tool, well_stacked, world

from closed_loop import ClosedLoopRun, run
from payload_id import Recording, identify
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import TO_PINOCCHIO
from payload_id.core.control.armour import Armour
from payload_id.core.control.controller import Command, Controller, Measurement
from payload_id.core.control.robust_design import design_for, robust_design
from payload_id.core.excitation.search.random_fourier_search import random_fourier_search
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.motion.limits import with_payload
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.threads import one_thread

PERIOD = 1e-3  # [s]
OWN_GAIN = 10.0  # [1/s] of this package's controller
# K_p, K_i, K_d: the stiffer of two published sets (`zzv_conditions`, [sysid]).
PID = [np.array([120.0, 200.0] + [120.0] * 3 + [20.0] * 2), np.full(7, 0.1), np.full(7, 5.0)]
PAPER = {  # Table III: the dumbbell at which (a), (b) fail
    "ours": ("success", "success", "success"),
    "wrong": ("8 lb", "8 lb", "collide"),
    "conservative": ("8 lb", "8 lb", "collide"),
    "random": ("success", "8 lb", "collide"),
    "adap-1": ("success", "8 lb", "collide"),
    "adap-1-excit": ("success", "success", "collide"),
    "adap-2": ("8 lb", "4 lb", "collide"),
    "adap-2-excit": ("8 lb", "4 lb", "collide"),
    "grav-pid": ("success", "6 lb", "collide"),
    "grav-pid-ours": ("success", "success", "collide"),
    "grav-pid-excit": ("4 lb", "4 lb", "collide"),
    "payload_id": ("", "", ""),
}


class PublishedArmour(Armour):
    """The robust controller with the input of the paper's code: v = lambda r / |r|."""

    def _input(self, q: Array, r: Array, w: Array) -> Array:
        size = float(np.linalg.norm(r))
        if size < 1e-8:
            return np.zeros_like(r)
        spare = self.tube.design.level - self.dynamics.largest_energy(q, r)
        return np.asarray(max(0.0, np.linalg.norm(w) - ALPHA * spare / size) * r / size)

    def _broken(self, *_: object) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, eq=False)
class InTurn:
    """Controllers one after the other, each for its piece; the last one stays.

    Attributes:
        controllers: One for each piece.
    """

    controllers: tuple[Controller, ...]

    def start(self, measurement: Measurement) -> tuple[int, object]:
        """Return the first controller's start."""
        return 0, self.controllers[0].start(measurement)

    def command(
        self, state: tuple[int, object], measurement: Measurement, reference: DesiredState
    ) -> tuple[Command, tuple[int, object]]:
        """Return the torque of the controller whose turn it is."""
        turn = min(int(measurement.time / HANDOVER + 1e-9), len(self.controllers) - 1)
        inner = state[1] if turn == state[0] else self.controllers[turn].start(measurement)
        command, inner = self.controllers[turn].command(inner, measurement, reference)
        return command, (turn, inner)


@dataclass(frozen=True)
class Job:
    """One dumbbell to carry; equal jobs share their excitation.

    Attributes:
        arm: Who carries it.
        task: Where to.
        name: Of the task.
        level: Of the stack.
        pounds: Its weight.
    """

    arm: World
    task: Task
    name: str
    level: int
    pounds: float

    def recording(self, done: ClosedLoopRun) -> Recording:
        """Return what sensors behind the gears say: the torque of links and payload, with noise."""
        true = ARM.pinocchio.copy()
        for joint, phi in enumerate(self.arm.links, start=1):
            true.inertias[joint] = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
        loaded = with_payload(replace(ARM, pinocchio=true), dumbbell(self.pounds))
        data, ddq = loaded.createData(), np.gradient(done.dq, PERIOD, axis=0)
        states = zip(done.q, done.dq, ddq, strict=True)
        tau = np.array([pin.rnea(loaded, data, *state) for state in states])
        noise = np.random.default_rng(self.arm.seed).uniform(-TORQUE, TORQUE, tau.shape)
        return Recording(done.time, done.q, done.dq, tau * (1 + noise), joints=ROBOT.joints)

    def follow(self, controller: Controller, motion: Trajectory) -> ClosedLoopRun:
        """Return what comes of a motion before the stack is there."""
        cell = Cell(self.arm, self.pounds, replace(self.task, distance=None), [])
        return run(cell, controller, motion, PERIOD)

    def learnt(self, controller: Controller, motion: Trajectory) -> tuple[Array, Array, Array]:
        """Return estimate and interval from following a motion, shape (10,) each."""
        found = identify(self.recording(self.follow(controller, motion)), MODEL, UNCERTAIN)
        return (found.phi, *narrowed(PRIOR, (found.lower, found.upper)))


def published(box: ParameterBox) -> Controller:
    """Return the robust controller of the paper's code."""
    design = robust_design(ARM, box, LEVEL, GAIN, 0.0, 0.0)
    return PublishedArmour(ArmDynamics(ARM, box), design, LIMITS.torque)


def own(box: ParameterBox, motion: Trajectory) -> Controller:
    """Return this package's controller, designed for a motion."""
    dynamics = ArmDynamics(ARM, box)
    return Armour(dynamics, design_for(dynamics, [motion], OWN_GAIN, Sampling(PERIOD)),
                  LIMITS.torque)  # fmt: skip


def pid(payload: Array) -> Controller:
    """Return PID with the gravity of a payload."""
    dynamics = ArmDynamics(ARM, box_of((payload, payload), 0.0))
    return Learning(dynamics, LIMITS.torque, gravity_pid(*PID), np.zeros(7))


def adaptive() -> Controller:
    """Return the adaptive controller, which begins without a payload."""
    reach = np.array([6.0] + [1.0] * 3 + [0.5] * 6)
    gamma = np.array([20.0] + [2.0] * 3 + [0.2] * 6)
    dynamics = ArmDynamics(ARM, box_of((-reach, reach), 1e-9))
    law = slotine_li(np.full(7, 5.0), 10.0 * ROTOR, gamma)
    return Learning(dynamics, LIMITS.torque, law, dynamics.box.interval("payload")[0])


def bounding() -> Controller:
    """Return the controller that learns how wrong a model without payload is."""
    dynamics = ArmDynamics(ARM, box_of((NONE, NONE), 0.0))
    return Learning(dynamics, LIMITS.torque, adaptive_robust(ROTOR, 10.0, 200.0, 1e-3), 0.0)


@cache
def excited(job: Job, way: Way) -> tuple[MotionSequence, Array, tuple[Array, Array]]:
    """Plan, follow and identify in receding horizon; return motion, estimate and interval."""

    def learn(pieces: list[Piece]) -> tuple[Array, Array]:
        before = tuple(piece.motion for piece in pieces)
        motion = MotionSequence(before, (HANDOVER,) * len(pieces))
        return job.learnt(turns(pieces), motion)[1:]

    def turns(pieces: list[Piece]) -> Controller:
        return InTurn(tuple(published(piece.box) for piece in pieces))

    pieces = pieces_of(job.pounds, job.task.obstacles, way, learn, job.arm.seed + job.level)
    if not pieces:
        raise SystemExit(f"No piece is certified in task {job.name}.")
    motion = joined(pieces)
    phi, *interval = job.learnt(turns(pieces), motion)
    return motion, phi, (interval[0], interval[1])


@cache
def careless(seed: int) -> Trajectory:
    """Return a random series that keeps the limits of speed and acceleration, not of torque."""
    free = replace(LIMITS, torque=np.full(7, np.inf))
    return random_fourier_search(ARM, START, free, [NONE], seed, candidates=5).trajectory


PAPERS, DRAWN = Way("paper", "condition_number"), Way("paper", "")
OURS = Way("wave", "half_widths")
Made = tuple[Controller, object]  # a controller and its state to start from


def cut_of(done: ClosedLoopRun) -> str:
    """Return what was said of a torque that was cut at its limit; empty: none was."""
    return next((reason for _, reason in done.reasons if "the limit is" in reason), "")


def after_excitation(job: Job, controller: Controller) -> Made:
    """Return a controller with what it has learnt from the exciting pieces."""
    learnt = job.follow(controller, excited(job, PAPERS)[0]).states[-1]
    return controller, replace(learnt, time=0.0)


def after_careless(job: Job) -> Made | str:
    """Return PID with what a careless motion taught, or why that failed."""
    motion = careless(job.arm.seed)
    done = job.follow(pid(NONE), motion)
    failure = cut_of(done) or job.task.met(job.pounds, done.time, done.q)
    if failure:
        return f"excitation: {failure}"
    return pid(job.learnt(pid(NONE), motion)[0]), None


METHODS: dict[str, Callable[[Job], Made | str]] = {
    "ours": lambda job: (published(box_of(excited(job, PAPERS)[2])), None),
    "wrong": lambda job: (published(box_of((NONE, NONE), 0.0)), None),
    "conservative": lambda job: (published(with_table_i(box_of((NONE, NONE)))), None),
    "random": lambda job: (published(box_of(excited(job, DRAWN)[2])), None),
    "adap-1": lambda job: (adaptive(), None),
    "adap-1-excit": lambda job: after_excitation(job, adaptive()),
    "adap-2": lambda job: (bounding(), None),
    "adap-2-excit": lambda job: after_excitation(job, bounding()),
    "grav-pid": lambda job: (pid(NONE), None),
    "grav-pid-ours": lambda job: (pid(excited(job, PAPERS)[1]), None),
    "grav-pid-excit": after_careless,
    "payload_id": lambda job: (
        own(box_of(excited(job, OURS)[2]), job.task.motion(job.level)),
        None,
    ),
}


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        failure: Why it failed; empty: it did not.
        figures: Largest |q_d - q| [deg], distance of the tool from its place at the end [mm],
            largest part of a torque limit that was commanded [%]; NaN: it did not come to that.
    """

    failure: str
    figures: tuple[float, float, float] = (np.nan, np.nan, np.nan)


def carried(job: Job, made: Made | str, stack: list[Body]) -> tuple[Outcome, list[Body]]:
    """Return how a run ended, and the stack that it left."""
    if isinstance(made, str):
        return Outcome(made), stack
    controller, state = made
    cell, places = Cell(job.arm, job.pounds, job.task, stack), job.task.distance is not None
    hold = HOLD if places else 0.0
    done = run(cell, controller, job.task.motion(job.level), PERIOD, state=state, hold=hold)
    cut, moving = cut_of(done), done.time <= job.task.fast.duration
    failure = job.task.met(job.pounds, done.time[moving], done.q[moving])
    failure = failure or (f"torque cut: {cut}" if cut else "")
    if places and not failure:
        stands, stack = settled(job.task, cell.bodies)
        failure = "" if stands else "the stack falls"
    ends = (tool(q[-1])[0].translation for q in (done.q, done.q_d))
    error = np.rad2deg(np.abs(done.position_error).max())
    torque = 100 * np.max(np.abs(done.torque) / LIMITS.torque)
    return Outcome(failure, (error, 1e3 * np.linalg.norm(np.subtract(*ends)), torque)), stack


Key = tuple[str, str, int]  # method, task, weight


def trial(arm: World, names: Sequence[str], chosen: Sequence[str]) -> list[tuple[Key, Outcome]]:
    """Return how each run of a method, a task and a weight ended, with one arm."""
    found, every = [], tasks()
    for method, name in product(chosen, names):
        stack: list[Body] = []
        weights = POUNDS if every[name].distance is not None else POUNDS[-1:]
        for level, pounds in enumerate(weights):
            job = Job(arm, every[name], name, level, pounds)
            outcome, stack = carried(job, METHODS[method](job), stack)
            if outcome.failure:
                stack = well_stacked(every[name], weights[: level + 1])
            found.append(((method, name, pounds), outcome))
    return found


def main() -> None:
    """Run and print."""
    given = options(tasks=("a", "b", "c"), methods=(*METHODS,), trials=1, seed=0)
    found = []
    with one_thread():
        for k in range(given.trials):
            found += trial(world(given.seed + k), given.tasks, given.methods)
    rows, reasons = [], []
    for method in given.methods:
        cells = []
        for name in given.tasks:
            runs = [(of[2], x) for of, x in found if of[:2] == (method, name)]
            failed = sorted(((lb, x.failure) for lb, x in runs if x.failure), key=lambda x: x[0])
            cells.append(f"{len(runs) - len(failed)} of {len(runs)}")
            if failed:
                cells[-1] += f", {failed[0][0]} lb"
                reasons.append((method, name, *failed[0]))
        printed = [PAPER[method]["abc".index(name)] for name in given.tasks]
        worst = np.array([x.figures for of, x in found if of[0] == method])
        values = np.nanmax(worst, axis=0) if np.isfinite(worst).any() else [np.nan] * 3
        rows.append((method, *cells, *printed,
                     *(f"{x:.{n}f}" for x, n in zip(values, (2, 1, 0), strict=True))))  # fmt: skip
    names = [f"({name})" for name in given.tasks]
    show("runs that succeeded, and the lightest dumbbell at which one failed",
         ("method", *names, *(f"paper {name}" for name in names), "error [deg]", "place [mm]",
          "torque [%]"), rows)  # fmt: skip
    show("", ("method", "task", "lb", "the first failure"), reasons)


if __name__ == "__main__":
    main()
