"""The tasks of Table III of [ZZV]: the code's motions and walls, dumbbells that MuJoCo stacks.

A task carries a dumbbell from `START` over a via pose to above its place in two quintics; in (a)
and (b) the tool then comes down to the place in two motions of 2 s, holds still and lets go.
Poses, speeds, places and walls are those of the paper's code [control]; of its pillar of three
cubes of 0.3 m there stand as many as its motions pass: one in (a), the "low" obstacle, two in (b),
one in (c), lowered until its motion passes with `PASSING`.

Heads of dumbbells touch each other, the platform and the ground: boxes as wide as the flat side of
a hexagon, on which they stand. The hand lets go at once and without touching.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
import pinocchio as pin
from zzv_conditions import (
    ARM,
    COULOMB,
    DRIVES,
    HANDLE,
    HEIGHT,
    LINKS,
    MODEL,
    ROBOT,
    ROTOR,
    START,
    VISCOUS,
    World,
    dumbbell,
    head,
    volume,
)

from payload_id.core.arrays import Array
from payload_id.core.motion.motion_sequence import MotionSequence, motion_through
from payload_id.core.motion.piece import Piece
from payload_id.core.motion.polynomial import Polynomial
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.safety.clearance.clearances import pose_clearance
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.clearance.scene import Scene
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.simulation.mujoco_plant import new_spec
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant_model import PAYLOAD, plant_spec, set_inertia
from payload_id.core.simulation.skeleton import skeleton
from payload_id.files.robots.arm_geometry import robot_geometry

FIRST = 0.07  # [m] height of the first dumbbell's place [control]
GLIDE, ABOVE, HOLD = 2.0, 0.06, 1.0  # [s], [m] before the place [control]; [s] at it
DROP = 2e-3  # [m] from which a dumbbell falls that is let go at its place
STEP, SETTLE = 5e-4, 2.0  # [s]
SLIDE = 0.6  # coefficient of friction, rubber: chosen
PASSING = 6e-3  # [m] that motions keep from the wall of task (c), which is lowered for it
CUBE, PILLAR = 0.3, (0.35, 0.35)  # [m] [control]
CHECKS = 60  # poses of a run at which clearance is looked at


@dataclass(frozen=True)
class Quintic(Trajectory):
    """Position, velocity and acceleration at both ends, shape (3, n) each."""

    start: Array
    end: Array
    duration: float

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The polynomial of degree 5."""
        scale = self.duration ** np.arange(3.0)[:, None]
        curve = Polynomial.through(scale * self.start, scale * self.end)
        return (Piece.whole(curve, self.duration),)


@dataclass(frozen=True, eq=False)
class Task:
    """Where dumbbells are carried.

    Attributes:
        via: Position, velocity and acceleration on the way, shape (3, n).
        end: Where the fast motion ends, shape (n,) [rad].
        seconds: For each half of it [s].
        distance: Of the places from the base [m]; None: nothing is placed.
        wall: Height of the obstacle [m].
    """

    via: Array
    end: Array
    seconds: float
    distance: float | None
    wall: float

    @property
    def obstacles(self) -> tuple[ConvexBody, ...]:
        """The pillar, the wall behind the arm and the ground."""
        size, place = (CUBE, CUBE, self.wall), (*PILLAR, self.wall / 2)
        back = (0.08, 2.0, 1.12), (-0.39, -0.2, 0.56)  # [control]
        return (
            ConvexBody.primitive("box", size, None, place, "obstacle"),
            ConvexBody.primitive("box", back[0], None, back[1], "back wall"),
            ConvexBody.ground(-0.005),
        )

    @cached_property
    def fast(self) -> MotionSequence:
        """The motion from `START` to the end."""
        still = np.zeros((2, len(self.end)))
        begin, end = (np.vstack([q, still]) for q in (START, self.end))
        halves = (Quintic(begin, self.via, self.seconds), Quintic(self.via, end, self.seconds))
        return MotionSequence(halves, (self.seconds, self.seconds))

    def motion(self, level: int) -> Trajectory:
        """Return the motion to a level of the stack."""
        if self.distance is None:
            return self.fast
        place = np.array([self.distance, 0.0, FIRST + HEIGHT * level])
        above = reach(self.end, place + [0.0, 0.0, ABOVE])
        down = motion_through([self.end, above, reach(above, place)], GLIDE)
        return MotionSequence((self.fast, down), (self.fast.duration, down.duration))

    def met(self, pounds: float, time: Array, q: Array) -> str:
        """Return what arm or dumbbell meet on the way, q of shape (N, n); empty: nothing."""
        scene = Scene.of(MODEL, robot_geometry(ROBOT, MODEL, [volume(pounds)]), self.obstacles)
        for k in np.linspace(0, len(q) - 1, CHECKS).astype(int):
            hit = pose_clearance(scene, q[k], np.zeros(MODEL.n))
            if isinstance(hit, Refusal):
                return f"meets {' and '.join(hit.where)} at {time[k]:.2f} s"
        return ""


def tasks() -> dict[str, Task]:
    """Return the three tasks."""
    a = Task(np.array([
        [-0.8979718, -0.20561541, -3.32970829, -1.59927577, -0.00685254, -1.85913974, 0.64003912],
        [0.61727642, -0.51122344, 0.9066071, 0.34166603, -0.10671642, -0.75006636, 1.5709715],
        [0.424540552, 1.87500175, 0.730927099, -0.332258207, 0.873312941, 2.19965295, 2.5e-4]]),
        np.array([-0.50296838, -0.15090219, -2.74337607, -1.43287251, 0.06063413, -1.8474959,
                  1.47855803]), 1.0, 0.25, CUBE)  # fmt: skip
    b = Task(np.array([
        [-0.66290119, -0.09099118, -3.48809793, -0.79306897, 0.04506539, -1.45191409, 0.6983348],
        [1.27386205, 0.13955803, 0.77060326, 1.17729474, -0.10645826, -0.88696009, 1.68018552],
        [0.580625060, 3.11209306, 0.856248533, -2.04409340, 0.285996558, -0.684167580, 0.0]]),
        np.array([-0.02500949, 0.55020233, -3.05694277, -0.54403656, -0.04979576, -2.04844549,
                  1.59508374]), 1.0, 0.50, 2 * CUBE)  # fmt: skip
    c = Task(np.array([
        [0.36539912, 0.06848841, -3.15121153, -1.37862696, 0.09308439, 0.26049116, -0.09729588],
        [1.47356693, 0.31359937, 0.41831043, -0.12839833, -0.11896097, 1.60853272, 0.11975499],
        [-1.16611558, 1.73848655, -0.72475227, -1.51221281, 0.01694156, -0.05258959, -0.00479019]]),
        np.array([np.pi / 3, 1.0472, -np.pi, -2.0944, 0.0, np.pi / 2, 0.0]), 1.5, None,
        CUBE)  # fmt: skip
    return {"a": a, "b": b, "c": lowered(c)}


def lowered(task: Task) -> Task:
    """Return a task whose obstacle is so low that the motion passes it with `PASSING`."""
    geometry = robot_geometry(ROBOT, MODEL, [volume(8)])
    motion = task.fast.at(np.linspace(0.0, task.fast.duration, 2 * CHECKS))
    while True:
        scene = Scene.of(MODEL, geometry, task.obstacles)
        found = (pose_clearance(scene, q, np.zeros(MODEL.n), PASSING) for q in motion.q)
        if not any(isinstance(x, Refusal) and "obstacle" in x.where for x in found):
            return task
        task = Task(task.via, task.end, task.seconds, task.distance, task.wall - PASSING / 2)


def tool(q: Array) -> tuple[pin.SE3, Array]:
    """Return where the tool's frame is, and its Jacobian there in the model's order, (6, n)."""
    arm, at = MODEL.pinocchio, MODEL.pinocchio_q(q)
    data, frame = arm.createData(), arm.getFrameId(MODEL.payload_frame)
    pin.forwardKinematics(arm, data, at)
    place = pin.updateFramePlacement(arm, data, frame).copy()
    J = np.empty((6, MODEL.n))
    J[:, list(MODEL.order)] = pin.computeFrameJacobian(arm, data, at, frame, pin.LOCAL)
    return place, J


def reach(q: Array, place: Array) -> Array:
    """Return positions that put the tool at a place [m] as it is turned now, near q."""
    wanted = pin.SE3(tool(q)[0].rotation, place)
    for _ in range(100):
        at, J = tool(q)
        q = q + 0.2 * np.linalg.pinv(J) @ pin.log6(at.actInv(wanted)).vector
    if np.abs(tool(q)[0].translation - place).max() > 1e-6:
        raise ValueError(f"The tool does not reach {place.tolist()}.")
    return q


def world(seed: int) -> World:
    """Return an arm drawn at random within what is stated of it."""
    rng = np.random.default_rng(seed)
    links = perturb_links(ARM.link_phi, LINKS, rng)
    drives = [part * (1 + DRIVES * rng.uniform(-1, 1, 7)) for part in (ROTOR, COULOMB, VISCOUS)]
    return World(links, *drives, seed)


@dataclass(frozen=True, eq=False)
class Body:
    """A dumbbell in the world.

    Attributes:
        pounds: Its weight.
        place: Of its middle, shape (3,) [m].
        turn: Quaternion, w first, shape (4,).
        speed: Linear in the world's frame, then angular in its own, shape (6,) [m/s, rad/s].
    """

    pounds: float
    place: Array
    turn: Array
    speed: Array


class Cell:
    """The arm with a dumbbell in its hand beside a stack; torques are held between two calls.

    Attributes:
        time: Since the last reset [s].
    """

    def __init__(self, arm: World, pounds: float, task: Task, stack: list[Body]) -> None:
        self._held, self._stack = pounds, stack
        spec = plant_spec(skeleton(ROBOT.urdf, ROBOT.joints), ROBOT.joints, ROBOT.payload_frame,
                          dumbbell(pounds), np.array(ROBOT.gravity), arm.links, arm.coulomb,
                          arm.viscous, arm.rotor, STEP)  # fmt: skip
        _add_heads(spec.body(PAYLOAD), pounds)
        self._model = _with_stack(spec, task, stack)
        self._data = mujoco.MjData(self._model)
        self._dofs = [self._model.joint(name).dofadr[0] for name in ROBOT.joints]
        self._steps = 0

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._steps * STEP

    @property
    def state(self) -> tuple[Array, Array]:
        """True positions and velocities of the arm, each of shape (n,)."""
        return self._data.qpos[self._dofs], self._data.qvel[self._dofs]

    def reset(self, q: Array, dq: Array) -> None:
        """Put the arm into a state, and the stack where it was at first."""
        mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[self._dofs], self._data.qvel[self._dofs] = q, dq
        self._steps = 0

    def set_torque(self, torque: Array) -> None:
        """Apply torques from now on, shape (n,) [N m]."""
        self._data.qfrc_applied[self._dofs] = torque

    def step_to(self, t: float) -> None:
        """Simulate up to a time [s]."""
        steps = round(t / STEP) - self._steps
        mujoco.mj_step(self._model, self._data, nstep=steps)
        self._steps += steps

    @property
    def bodies(self) -> list[Body]:
        """The dumbbells of the stack as they lie now, and the one in the hand, let go."""
        names = [str(k) for k in range(len(self._stack))]
        weights = [body.pounds for body in self._stack]
        return [
            _body(self._model, self._data, name, pounds)
            for name, pounds in zip([*names, PAYLOAD], [*weights, self._held], strict=True)
        ]


def settled(task: Task, bodies: list[Body]) -> tuple[bool, list[Body]]:
    """Return whether a stack stands some time after the last dumbbell was let go, and the stack."""
    model = _with_stack(new_spec(STEP, np.array(ROBOT.gravity)), task, bodies)
    data = mujoco.MjData(model)
    data.qvel[:] = np.concatenate([body.speed for body in bodies])
    mujoco.mj_step(model, data, nstep=round(SETTLE / STEP))
    after = [_body(model, data, str(k), body.pounds) for k, body in enumerate(bodies)]
    fallen = [FIRST + HEIGHT * k - body.place[2] > HEIGHT / 2 for k, body in enumerate(after)]
    return not any(fallen), after


def well_stacked(task: Task, pounds: tuple[float, ...]) -> list[Body]:
    """Return a stack as it shall be."""
    turn = np.sqrt([0.0, 0.5, 0.5, 0.0])  # the axis along y, the tool's z downwards
    places = [(task.distance or 0.0, 0.0, FIRST - DROP + HEIGHT * k) for k in range(len(pounds))]
    return [
        Body(weight, np.array(place), turn, np.zeros(6))
        for weight, place in zip(pounds, places, strict=True)
    ]


def _with_stack(spec: mujoco.MjSpec, task: Task, stack: list[Body]) -> mujoco.MjModel:
    """Return a model with ground, platform and dumbbells that are free."""
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    ground = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(type=ground, size=[2.0, 2.0, 0.1], friction=[SLIDE, 0.005, 1e-4])
    if task.distance is not None:
        high = (FIRST - DROP - HEIGHT / 2) / 2
        place = [task.distance, 0.0, high]
        _add_box(spec.worldbody, [HEIGHT / 2, HANDLE[1], high], place)
    for k, body in enumerate(stack):
        free = spec.worldbody.add_body(name=str(k), pos=body.place, quat=body.turn)
        free.add_freejoint()
        set_inertia(free, dumbbell(body.pounds), "a dumbbell")
        _add_heads(free, body.pounds)
    return spec.compile()


def _add_heads(body: mujoco.MjsBody, pounds: float) -> None:
    """Give a dumbbell what touches."""
    _, length = head(pounds)
    for side in (-1.0, 1.0):
        size = [length / 2, HEIGHT / np.sqrt(3) / 2, HEIGHT / 2]
        _add_box(body, size, [side * (HANDLE[1] + length) / 2, 0.0, 0.0])


def _add_box(body: mujoco.MjsBody, half: list[float], place: list[float]) -> None:
    """Add a box without mass."""
    box = mujoco.mjtGeom.mjGEOM_BOX
    body.add_geom(type=box, size=half, pos=place, mass=0.0, friction=[SLIDE, 0.005, 1e-4])


def _body(model: mujoco.MjModel, data: mujoco.MjData, name: str, pounds: float) -> Body:
    """Return where a body is, and how it moves."""
    number, speed = model.body(name).id, np.empty((2, 6))
    kind = mujoco.mjtObj.mjOBJ_XBODY
    for local in (0, 1):
        mujoco.mj_objectVelocity(model, data, kind, number, speed[local], local)
    both = np.concatenate([speed[0, 3:], speed[1, :3]])  # MuJoCo: angular first
    return Body(pounds, data.xpos[number].copy(), data.xquat[number].copy(), both)
