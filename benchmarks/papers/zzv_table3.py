"""Stacking dumbbells and passing obstacles with several controllers: table III of [ZZV].

The simulated Gen3 with its gripper (links up to 5 % and rotors up to 5 % off, torque noise 2.5 %)
carries each dumbbell along the motions of `stacking_scene` under the methods of table II. A run
fails when the arm or the dumbbell meets an obstacle, when a torque is cut at its limit, or when the
dumbbell ends more than the tolerance away from its place (a and b: stacking).

Limits: those of the paper's public implementation, 90 and 45 N m, or a limit set of the robot
file. With reflected rotor inertias of 8 to 12 kg m2 these fast motions take up to 75 N m.

Not the paper's: coordinates and gains, of which it gives none. `wrong` and `conservative` use the
input of ARMOUR as published (K_r = 5, V_M = 0.02 J, alpha = 20), `ours` and `random` the controller
of this package (K_r = 10); PID has all poles at -10 rad/s; `adap-2` is in `stacking_adaptive`.
Excitation for `ours`, and for all that use it, is four pieces in receding horizon, certified among
the task's obstacles from table I on, with intervals that narrow live (`stacking_excitation`); for
`random` it is the first of random Fourier series of 7.5 s that keeps the limits at samples, and
`grav-pid-excit` takes one that keeps those of speed and acceleration only, with no obstacle near.

    ./payload-id python benchmarks/papers/zzv_table3.py --tasks a b c --limits public
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pinocchio as pin
from gravity_pid import GravityPid
from rich.console import Console
from rich.table import Table
from slotine_li import SlotineLi
from stacking_adaptive import AdaptiveRobust
from stacking_excitation import HANDOVER, PIECES, InTurn, Workplace, joined, narrowed
from stacking_scene import POUNDS, Task, dumbbell, tasks, tool_position, volume

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "payload_id" / "test" / "support"))

from closed_loop import ClosedLoopRun, run  # noqa: E402  # lies in the folder above
from payload_id import Recording, RobotFile, RobotModel, Uncertainty, identify
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import TO_PINOCCHIO
from payload_id.core.control.armour import Armour
from payload_id.core.control.controller import Controller
from payload_id.core.control.robust_design import design_for, robust_design
from payload_id.core.excitation.prediction.candidate_rows import Collected
from payload_id.core.excitation.search.random_fourier_search import random_fourier_search
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import MotionLimits, with_payload
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.safety.clearance.clearances import pose_clearance
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant
from payload_id.core.simulation.skeleton import nominal_arm
from payload_id.files.robots.arm_geometry import robot_geometry

ROBOT = RobotFile.load("kinova_gen3_2f85")
MODEL = RobotModel.from_robot_file(ROBOT)
ARM = nominal_arm(ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame)
LINK_RELATIVE, TORQUE_NOISE = 0.05, 0.025
ROTOR, ROTOR_RELATIVE = ROBOT.control.rotor_inertia, 0.05
UNCERTAIN = Uncertainty(
    link_relative=LINK_RELATIVE, torque_relative=TORQUE_NOISE, prior=ROBOT.uncertainty.prior
)
NONE = np.zeros(10)
# As wide as table I, about the tool's frame and without the gripper.
WIDE = (
    np.array([0.3] + [-0.4] * 3 + [-0.2] * 6),
    np.array([4.3] + [0.4] * 3 + [0.2] * 6),
)
LEVEL, GAIN, PERIOD = 0.05, 10.0, 1e-3
PUBLISHED_LEVEL, PUBLISHED_GAIN = 0.02, 5.0  # [J], [1/s]
HOLD = 0.5  # [s] at the place before the dumbbell is let go
HOME = np.array(
    [np.pi, -0.2, np.pi, -2.0, 0.0, -0.9, np.pi / 2]
)  # where excitation begins: turned away
CHECKS = 60  # poses of a run at which clearance is looked at


class PublishedArmour(Armour):
    """ARMOUR with the input as published, v = gamma r / |r|, which no disturbance bounds."""

    def _input(self, q: Array, r: Array, w: Array) -> Array:
        V = self.dynamics.largest_energy(q, r)
        needed = np.abs(r) @ w - 20.0 * (self.tube.design.level - V)
        return np.maximum(needed, 0.0) * r / max(float(r @ r), 1e-12)


@dataclass(frozen=True, eq=False)
class World:
    """One simulated arm and the limits in use.

    Attributes:
        links: True links, shape (n, 10).
        rotor: True rotor inertias, shape (n,).
        limits: The limits.
        seed: Of motions and noise.
    """

    links: Array
    rotor: Array
    limits: MotionLimits
    seed: int

    def plant(self, payload: Array) -> Plant:
        """Return the arm with a payload."""
        return Plant(
            ROBOT.urdf,
            ROBOT.joints,
            ROBOT.payload_frame,
            payload,
            link_phis=self.links,
            armature=self.rotor,
        )

    def recording(self, payload: Array, done: ClosedLoopRun) -> Recording:
        """Return what sensors behind the gears say: the torque of links and payload, with noise."""
        true = ARM.pinocchio.copy()
        for joint, phi in enumerate(self.links, start=1):
            true.inertias[joint] = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO])
        model = with_payload(replace(ARM, pinocchio=true), payload)
        model.armature = self.rotor
        data = model.createData()
        states = zip(done.q, done.dq, done.torque, strict=True)
        ddq = np.array([pin.aba(model, data, *state) for state in states])
        tau = done.torque - self.rotor * ddq
        noise = np.random.default_rng(self.seed).uniform(-TORQUE_NOISE, TORQUE_NOISE, tau.shape)
        return Recording(done.time, done.q, done.dq, tau * (1 + noise), joints=ROBOT.joints)


def box_of(payload: tuple[Array, Array], relative: float = LINK_RELATIVE) -> ParameterBox:
    """Return the box of a payload's interval and of the arm."""
    share = ROTOR_RELATIVE if relative else 0.0
    return ParameterBox.around(
        ARM,
        payload,
        Uncertainty(link_relative=relative, prior=UNCERTAIN.prior),
        ((1 - share) * ROTOR, (1 + share) * ROTOR),
    )


def robust(box: ParameterBox, motion: Trajectory, world: World) -> Controller:
    """Return this package's controller, designed for a motion."""
    dynamics = ArmDynamics(ARM, box)
    design = design_for(dynamics, [motion], GAIN, Sampling(PERIOD))
    return Armour(dynamics, design, world.limits.torque)


def published(
    box: ParameterBox, world: World, level: float = PUBLISHED_LEVEL, gain: float = PUBLISHED_GAIN
) -> Controller:
    """Return ARMOUR with the published input, and constants unless others are given."""
    design = robust_design(ARM, box, level, gain, 0.0, 0.0)
    return PublishedArmour(ArmDynamics(ARM, box), design, world.limits.torque)


def pid(payload: Array, world: World) -> Controller:
    """Return PID with the gravity of a payload."""
    box = box_of((payload, payload), 0.0)
    return GravityPid.tuned(ArmDynamics(ARM, box), ROTOR, GAIN, world.limits.torque)


def adaptive_robust(world: World) -> Controller:
    """Return the controller that learns how wrong a model without payload is."""
    dynamics = ArmDynamics(ARM, box_of((NONE, NONE), 0.0))
    return AdaptiveRobust(dynamics, ROTOR, GAIN, 200.0, 1e-3, world.limits.torque)


def adaptive(world: World) -> Controller:
    """Return the adaptive controller, which begins without a payload."""
    reach = np.array([6.0] + [1.0] * 3 + [0.5] * 6)
    gamma = np.array([20.0] + [2.0] * 3 + [0.2] * 6)
    dynamics = ArmDynamics(ARM, box_of((-reach, reach), 1e-9))
    return SlotineLi(dynamics, np.full(7, 5.0), 10.0 * ROTOR, gamma, world.limits.torque)


@dataclass(frozen=True)
class Identified:
    """What an identification phase gives.

    Attributes:
        phi: Estimate, shape (10,).
        lower: Shape (10,).
        upper: Shape (10,).
    """

    phi: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, eq=False)
class Excited:
    """Four certified pieces, and what following them taught.

    Attributes:
        motion: The pieces.
        found: What was identified.
        error: Largest part of the tube that the tracking error took [-].
        torque: Largest part of a torque limit that was commanded [-].
    """

    motion: MotionSequence
    found: Identified
    error: float
    torque: float


def certified_excitation(task: Task, world: World, payload: Array) -> Excited:
    """Plan, follow and identify in receding horizon: Algorithm 2."""
    place = Workplace(MODEL, robot_geometry(ROBOT, MODEL, [volume()]), task.obstacles, world.limits,
                      UNCERTAIN, LEVEL, GAIN, world.seed)  # fmt: skip
    known, pieces, controllers = [WIDE, WIDE], [], []  # known: when each piece is planned
    start, rows = MotionState.at_rest(HOME), Collected.nothing(MomentumRows.of(MODEL, UNCERTAIN).p)
    for number in range(PIECES):
        box = box_of(known[-1] if number else WIDE)
        piece, rows = place.piece(start, box, rows, number)
        if piece is None:
            break
        pieces.append(piece)
        controllers.append(published(box, world, LEVEL, GAIN))
        start = MotionState.of(piece, HANDOVER)
        if number:  # while this piece begins, all before it are known
            known.append(narrowed(known[-1], learnt(world, payload, pieces, controllers)))
    if not pieces:
        raise SystemExit(f"No piece is certified in task {task.name}.")
    motion = joined(pieces)
    done = run(world.plant(payload), InTurn(tuple(controllers)), motion, PERIOD)
    estimate = identify(world.recording(payload, done), MODEL, UNCERTAIN)
    lower, upper = narrowed(known[-1], (estimate.lower, estimate.upper))
    tube = np.sqrt(2 * LEVEL / place.inertia(box_of(WIDE))) / GAIN
    used = (
        (np.abs(done.position_error) / tube).max(),
        (np.abs(done.torque) / world.limits.torque).max(),
    )
    return Excited(motion, Identified(estimate.phi, lower, upper), *used)


def learnt(
    world: World, payload: Array, pieces: list[Trajectory], controllers: list[Controller]
) -> tuple[Array, Array]:
    """Return the interval from all pieces but the last, which is yet to be followed."""
    before = MotionSequence(tuple(pieces[:-1]), (HANDOVER,) * (len(pieces) - 1))
    done = run(world.plant(payload), InTurn(tuple(controllers[:-1])), before, PERIOD)
    estimate = identify(world.recording(payload, done), MODEL, UNCERTAIN)
    return estimate.lower, estimate.upper


def random_motion(world: World) -> FourierSeries:
    """Return a random series that keeps limits with the heaviest dumbbell and rotors."""
    room = MotionLimits(
        world.limits.position_lower,
        world.limits.position_upper,
        world.limits.velocity,
        np.full(7, 1.5),
        np.maximum(world.limits.torque - 1.5 * ROTOR, 1.0),
    )
    payloads = [NONE, dumbbell(8)]
    return random_fourier_search(ARM, HOME, room, payloads, world.seed, candidates=1).trajectory


def careless(world: World) -> FourierSeries:
    """Return a random series that keeps the limits of speed and acceleration, not of torque."""
    free = replace(world.limits, torque=np.full(7, np.inf))
    return random_fourier_search(ARM, HOME, free, [NONE], world.seed, candidates=5).trajectory


def identified(world: World, payload: Array, motion: FourierSeries) -> Identified:
    """Follow a motion under the published controller with a wide box, and identify."""
    reach = np.array([2.5] + [0.4] * 3 + [0.1] * 6)
    middle = np.array([2.5] + [0.0] * 9)
    done = run(
        world.plant(payload), published(box_of((middle - reach, middle + reach)), world), motion
    )
    estimate = identify(world.recording(payload, done), MODEL, UNCERTAIN)
    return Identified(estimate.phi, estimate.lower, estimate.upper)


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes:
        failure: Why it failed; empty: it did not.
        error: Largest |q_d - q| [deg].
        place: Distance of the tool from its place at the end [m].
        torque: Largest part of a torque limit that was commanded [-].
    """

    failure: str
    error: float
    place: float
    torque: float


def judge(task: Task, world: World, done: ClosedLoopRun, tolerance: float) -> Outcome:
    """Return how a run ended."""
    failure = ""
    cut = [reason for _, reason in done.reasons if "the limit is" in reason]
    place = float(
        np.linalg.norm(tool_position(MODEL, done.q[-1]) - tool_position(MODEL, done.q_d[-1]))
    )
    moving = np.linspace(0, len(done.q) - 1, CHECKS).astype(int)
    for k in moving if task.scene is not None else ():
        hit = pose_clearance(task.scene, done.q[k], np.zeros(7))
        if isinstance(hit, Refusal):
            failure = f"meets {' and '.join(hit.where)} at {done.time[k]:.2f} s"
            break
    if not failure and cut:
        failure = f"torque cut: {cut[0]}"
    if not failure and task.name != "c" and place > tolerance:
        failure = f"{1e3 * place:.0f} mm off"
    error = float(np.rad2deg(np.abs(done.position_error).max()))
    return Outcome(failure, error, place, float(np.max(np.abs(done.torque) / world.limits.torque)))


Method = Callable[[Task, World, Array], Outcome]


def methods(
    tolerance: float, excited: dict[int, Excited], first: FourierSeries
) -> dict[str, Method]:
    """Return what each method makes of a task, world and payload; `excited` is shared."""

    def follow(task: Task, world: World, payload: Array, controller, state=None) -> Outcome:
        done = run(world.plant(payload), controller, task.motion, PERIOD, state=state, hold=HOLD)
        return judge(task, world, done, tolerance)

    def ours(task: Task, world: World, payload: Array) -> Excited:
        if id(task) not in excited:
            excited[id(task)] = certified_excitation(task, world, payload)
        return excited[id(task)]

    def with_interval(task: Task, world: World, payload: Array, found: Identified) -> Outcome:
        box = box_of((found.lower, found.upper))
        return follow(task, world, payload, robust(box, task.motion, world))

    def with_estimate(task: Task, world: World, payload: Array) -> Outcome:
        return follow(task, world, payload, pid(ours(task, world, payload).found.phi, world))

    def after_excitation(made: Callable[[World], Controller]) -> Method:
        def method(task: Task, world: World, payload: Array) -> Outcome:
            controller = made(world)
            motion = ours(task, world, payload).motion
            learnt = run(world.plant(payload), controller, motion).states[-1]
            return follow(task, world, payload, controller, replace(learnt, time=0.0))

        return method

    def careless_first(task: Task, world: World, payload: Array) -> Outcome:
        moved = run(world.plant(payload), pid(NONE, world), careless(world))
        cut = [reason for _, reason in moved.reasons if "the limit is" in reason]
        if cut:
            away = replace(task, scene=None)  # identification happens where nothing is in the way
            before = judge(away, world, moved, tolerance)
            return replace(before, failure=f"excitation: torque cut: {cut[0]}")
        found = identified(world, payload, careless(world))
        return follow(task, world, payload, pid(found.phi, world))

    return {
        "ours": lambda t, w, p: with_interval(t, w, p, ours(t, w, p).found),
        "wrong": lambda t, w, p: follow(t, w, p, published(box_of((NONE, NONE), 0.0), w)),
        "conservative": lambda t, w, p: follow(t, w, p, published(box_of(WIDE), w)),
        "random": lambda t, w, p: with_interval(t, w, p, identified(w, p, first)),
        "adap-1": lambda t, w, p: follow(t, w, p, adaptive(w)),
        "adap-1-excit": after_excitation(adaptive),
        "adap-2": lambda t, w, p: follow(t, w, p, adaptive_robust(w)),
        "adap-2-excit": after_excitation(adaptive_robust),
        "grav-pid": lambda t, w, p: follow(t, w, p, pid(NONE, w)),
        "grav-pid-ours": with_estimate,
        "grav-pid-excit": careless_first,
    }


def limits_named(name: str) -> MotionLimits:
    """Return the limits of the public implementation, or a set of the robot file."""
    given = ROBOT.limits if name == "public" else ROBOT.limits_named(name)
    velocity, effort = given.velocity, given.effort
    if name == "public":
        velocity = np.deg2rad([100.0] * 4 + [180.0] * 3)
        effort = np.array([90.0] * 4 + [45.0] * 3)
    bounds = (given.position_lower, given.position_upper, velocity, given.acceleration, effort)
    return MotionLimits(*bounds)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="+", default=["a", "b", "c"], choices=["a", "b", "c"])
    parser.add_argument("--pounds", nargs="+", type=int, default=list(POUNDS))
    parser.add_argument("--methods", nargs="+", default=None)
    parser.add_argument("--limits", default="public", help="public, or a set of the robot file")
    parser.add_argument("--tolerance", type=float, default=0.01, help="of a place [m]")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    links = perturb_links(ARM.link_phi, LINK_RELATIVE, rng)
    rotor = ROTOR * (1 + ROTOR_RELATIVE * rng.uniform(-1, 1, 7))
    world = World(links, rotor, limits_named(options.limits), options.seed)
    excited: dict[int, Excited] = {}
    tried = methods(options.tolerance, excited, random_motion(world))
    table = Table("task", "method", "lb", "result", "error [deg]", "place [mm]", "torque [%]")
    for task in tasks(ROBOT, MODEL):
        if task.name not in options.tasks or task.pounds not in options.pounds:
            continue
        for name, method in tried.items():
            if options.methods and name not in options.methods:
                continue
            got = method(task, world, dumbbell(task.pounds))
            table.add_row(
                task.name,
                name,
                str(task.pounds),
                got.failure or "success",
                f"{got.error:.2f}",
                f"{1e3 * got.place:.1f}",
                f"{100 * got.torque:.0f}",
            )
    pieces = Table("pieces", "of the tube [%]", "of the torque limits [%]", "mass [kg]")
    for x in excited.values():
        mass = f"{x.found.phi[0]:.2f} in [{x.found.lower[0]:.2f}, {x.found.upper[0]:.2f}]"
        count = str(len(x.motion.parts))
        pieces.add_row(count, f"{100 * x.error:.0f}", f"{100 * x.torque:.0f}", mass)
    Console(width=150).print(table, pieces)


if __name__ == "__main__":
    main()
