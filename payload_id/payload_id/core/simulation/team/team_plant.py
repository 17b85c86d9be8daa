"""A simulated team in motion: soft impedance control of each robot, and a human who guides.

Each robot drives its wrist towards a reference with a soft spring, a damper and its share of the
payload's weight, as torques of its series springs: tau = (dh/dtheta)' f. A human holds the payload
with springs of his own, where there is one; robots then only carry the weight (float).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import skew
from ...mechanism.own_load import own_torque
from ...mechanism.readings import DOWN
from ..mujoco_arm import STEPPING, SimulationError
from ..mujoco_state import new_state
from .scene import SimulatedMocobot, TeamScene
from .team_model import team_model
from .team_motion import TeamMotion, WristReferences

CONTROL_STEPS = 5  # of the physics between two actions of the controllers; two of them a reading
MOTOR_STIFFNESS, MOTOR_DAMPING = 1000.0, 6.0  # of springs' winding [N m/rad, N m s/rad]
DAMPING_RATIO = 0.8  # of the impedance, for a third of the payload's mass
HUMAN_FORCE, HUMAN_TORQUE = 800.0, 250.0  # stiffness of the human's hold [N/m, N m/rad]
HUMAN_DAMPING = 0.25  # of that, per second [s]
LOWEST, HIGHEST = -np.pi / 4, np.pi / 2  # travel of a lower leg [rad], omnid.yaml
FLOAT_DAMPING = 5.0  # of robots that only carry [N s/m]


@dataclass(frozen=True)
class TeamState:
    """Truth at one instant.

    Attributes:
        time: [s].
        rotation: Axes of the payload frame {1} in the world, shape (3, 3).
        position: Its origin, shape (3,) [m].
        twist: omega, v of {1} in its own axes, shape (6,) [rad/s, m/s].
        acceleration: Time derivative of the twist, shape (6,) [rad/s2, m/s2].
        before: Angles before the springs, shape (N, 3) [rad].
        theta: Angles behind them, shape (N, 3) [rad].
        gimbal: Angles about the gimbals' axes x, y, z, shape (N, 3) [rad].
        tau: Torques of the springs, shape (N, 3) [N m].
        human: Force, then torque about the payload frame's origin, of the human on the payload, in
            the world's axes, shape (6,) [N, N m].
    """

    time: float
    rotation: Array
    position: Array
    twist: Array
    acceleration: Array
    before: Array
    theta: Array
    gimbal: Array
    tau: Array
    human: Array


class TeamPlant:
    """Integrates a team; `run` yields its state at instants of one's own choice.

    Attributes:
        scene: What is simulated.
        model: MuJoCo's model.
        data: MuJoCo's state.
        held: Which robots hold the payload, shape (N,); `let_go` changes it.
    """

    def __init__(self, scene: TeamScene) -> None:
        """Put the team at its home, at rest."""
        self.scene, self.model = scene, team_model(scene)
        self.data = new_state(self.model)
        self._springs = np.array([robot.spring for robot in scene.robots])[:, None]
        self._bases = scene.bases()
        self._shares = np.asarray(weight_shares(scene))
        self._own_weight = [_own_weight(robot) for robot in scene.robots]
        self._of = {x: self._index(x, "qposadr") for x in ("phi", "theta", "beta", "gamma")}
        self._speed = {x: self._index(x, "dofadr") for x in ("phi", "theta")}
        self._wanted = np.zeros((scene.n, 3))  # torques of the springs
        self._gimbal = self._axes("gimbal")
        self._slide = self._axes("slide")
        self._payload = self.model.body("payload").id
        self.held = np.ones(scene.n, dtype=bool)
        self._human, self._motion = False, TeamMotion.hold(np.zeros(6), scene.centre)
        self._wrists: WristReferences | None = None
        self._began, self._start = 0.0, np.zeros(6)
        self._home()

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    def follow(self, motion: TeamMotion | WristReferences, human: bool = False) -> None:
        """Follow a motion from now on: the robots' wrists, or a human while the robots float.

        References of wrists end where they began.
        """
        self._start, self._wrists = self._reference(), None
        if isinstance(motion, WristReferences):
            self._wrists, motion = motion, TeamMotion.hold(self._start, self._motion.centre)
        self._motion, self._human, self._began = motion, human, self.time

    def _reference(self) -> Array:
        """Return where the payload is to be now, as `TeamMotion.at`, shape (6,)."""
        return self._motion.at(self.time - self._began, self._start)

    def let_go(self, robot: int) -> None:
        """Have a robot open its hand."""
        self.held[robot] = False
        self.data.eq_active[self.model.equality(f"hold{robot}").id] = 0

    def run(
        self, until: float, due: Callable[[int], bool] = lambda step: True
    ) -> Iterator[TeamState]:
        """Move until a time [s], and yield the state after those steps that are due.

        Args:
            until: When to end [s].
            due: Tells for the number of a step of the physics whether its state is wanted.
        """
        while self.time < until - 1e-9:
            if self._steps % CONTROL_STEPS == 0:
                self._control()
            self._drive()
            with STEPPING:
                mujoco.mj_step(self.model, self.data)
            self._steps += 1
            if not np.isfinite(self.data.qacc).all() or abs(self.data.qvel).max() > 1e3:
                raise SimulationError(f"The simulated team has diverged at {self.time:.3f} s.")
            self._check_reach()
            if due(self._steps):
                yield self.state()

    def state(self) -> TeamState:
        """Return the truth now."""
        q, v, a = self.data.qpos, self.data.qvel, self.data.qacc
        rotation = Rotation.from_quat(q[3:7], scalar_first=True).as_matrix()
        twist = np.concatenate([v[3:6], rotation.T @ v[:3]])
        # d/dt (R' v) = R' (a - omega x v)
        linear = rotation.T @ a[:3] - np.cross(twist[:3], twist[3:])
        before, theta = q[self._of["phi"]], q[self._of["theta"]]
        return TeamState(
            time=self.time,
            rotation=rotation,
            position=q[:3].copy(),
            twist=twist,
            acceleration=np.concatenate([a[3:6], linear]),
            before=before,
            theta=theta,
            gimbal=q[self._gimbal[0]],
            tau=self._springs * (before - theta),
            human=self._human_wrench(rotation) if self._human else np.zeros(6),
        )

    def _check_reach(self) -> None:
        """Raise when a leg is at the end of its travel: there is no mechanical stop behind it."""
        theta = self.data.qpos[self._of["theta"]]
        if ((theta < LOWEST) | (theta > HIGHEST)).any():
            i = int(np.argmax(((theta < LOWEST) | (theta > HIGHEST)).any(axis=1)))
            raise SimulationError(
                f"A leg of robot {i + 1} is at the end of its travel at {self.time:.3f} s: "
                f"{np.rad2deg(theta[i]).round(1)} degrees. Ask for smaller motions."
            )

    def _home(self) -> None:
        """Begin at home: all references met, springs wound by the weight that they carry."""
        self._steps = 0
        for i, robot in enumerate(self.scene.robots):
            p = np.array([0.0, 0.0, robot.home_height])
            theta = robot.delta.inverse(p)
            self.data.qpos[self._slide[0][i]] = p
            self.data.qpos[self._of["theta"][i]] = theta
            legs = robot.delta.legs(theta, p) / robot.delta.upper_leg
            along = np.sum(legs * robot.delta.outward, axis=1)
            side = legs[:, 1] * robot.delta.outward[:, 0] - legs[:, 0] * robot.delta.outward[:, 1]
            self.data.qpos[self._of["beta"][i]] = np.arctan2(legs[:, 2], along) - theta
            self.data.qpos[self._of["gamma"][i]] = np.arcsin(side)
            wrist = self._bases[0][i].T @ self.scene.rotations[i]
            self.data.qpos[self._gimbal[0][i]] = robot.gimbal.angles(wrist[None])[0]
            wound = self._wanted_torque(i, theta, p, np.zeros(3), np.zeros(3)) / robot.spring
            self.data.qpos[self._of["phi"][i]] = theta + wound
        mujoco.mj_forward(self.model, self.data)

    def _control(self) -> None:
        """Set what the robots and the human do until the next time."""
        q, v = self.data.qpos, self.data.qvel
        wanted = self._wanted_places()
        for i in range(self.scene.n):
            theta = q[self._of["theta"][i]]
            place_now = q[self._slide[0][i]]
            away = wanted[i] - place_now
            tau = self._wanted_torque(i, theta, place_now, v[self._slide[1][i]], away)
            self._wanted[i] = tau
        rotation = Rotation.from_quat(q[3:7], scalar_first=True).as_matrix()
        wrench = self._human_wrench(rotation) if self._human else np.zeros(6)
        # MuJoCo takes the torque about the centre of mass.
        arm = self.data.xipos[self._payload] - q[:3]
        self.data.xfrc_applied[self._payload, :3] = wrench[:3]
        self.data.xfrc_applied[self._payload, 3:] = wrench[3:] - np.cross(arm, wrench[:3])

    def _wanted_places(self) -> Array:
        """Return where the robots want their platforms, each in its base's axes, (N, 3) [m]."""
        if self._wrists is not None:
            return self._wrists.wrists(self.time - self._began)
        turn, place = self._motion.pose(self._reference())
        rotations, bases = self._bases
        grasps = self.scene.positions @ turn.T + place
        return np.asarray(np.einsum("nji,nj->ni", rotations, grasps - bases))

    def _drive(self) -> None:
        """Have the motors wind the springs to the torques that are wanted of them."""
        turned = self.data.qpos[self._of["phi"]] - self.data.qpos[self._of["theta"]]
        speed = self.data.qvel[self._speed["phi"]] - self.data.qvel[self._speed["theta"]]
        short = self._wanted / self._springs - turned
        torque = self._wanted + MOTOR_STIFFNESS * short - MOTOR_DAMPING * speed
        self.data.ctrl[:] = torque.ravel()

    def _wanted_torque(self, i: int, theta: Array, p: Array, speed: Array, away: Array) -> Array:
        """Return the torques that a robot's springs are to have, shape (3,) [N m].

        Args:
            i: Which robot.
            theta: Angles of its lower legs, shape (3,) [rad].
            p: Its platform, shape (3,) [m].
            speed: Velocity of that [m/s].
            away: From there to where it is to be [m].
        """
        robot = self.scene.robots[i]
        legs = robot.delta.legs(theta, p)
        lever = np.sum(legs * robot.delta.knee_slopes(theta), axis=1)
        stiffness, damping = robot.impedance, FLOAT_DAMPING
        if self._human:
            stiffness = 0.0
        else:
            carried = max(self.scene.phi[0] / self.scene.n, 0.5)
            damping = 2 * DAMPING_RATIO * np.sqrt(robot.impedance * carried)
        force = stiffness * away - damping * speed
        force[2] += self._shares[i] if self.held[i] else 0.0
        # (dh/dtheta)' f = D S^-T f; what the mechanism weighs is carried as at home.
        return np.asarray(lever * np.linalg.solve(legs.T, force) + self._own_weight[i])

    def _human_wrench(self, rotation: Array) -> Array:
        """Return the wrench of the human's springs on the payload, about {1}, world axes, (6,)."""
        turn, place = self._motion.pose(self._reference())
        q, v = self.data.qpos, self.data.qvel
        com = rotation @ (self.scene.phi[1:4] / self.scene.phi[0])
        spin = rotation @ v[3:6]
        off = place + turn @ (rotation.T @ com) - (q[:3] + com)
        speed = v[:3] + np.cross(spin, com)
        force = HUMAN_FORCE * (off - HUMAN_DAMPING * speed)
        lag = Rotation.from_matrix(turn @ rotation.T).as_rotvec()
        torque = HUMAN_TORQUE * (lag - HUMAN_DAMPING * spin)
        return np.concatenate([force, torque + np.cross(com, force)])

    def _index(self, name: str, address: str) -> Array:
        """Return where the legs' joints are among positions or velocities, shape (N, 3)."""
        return np.array(
            [
                [int(getattr(self.model.joint(f"{name}{i}_{k}"), address)[0]) for k in range(3)]
                for i in range(self.scene.n)
            ]
        )

    def _axes(self, name: str) -> tuple[Array, Array]:
        """Return where joints x, y, z are among positions and velocities, each (N, 3)."""
        joints = [[self.model.joint(f"{name}{x}{i}") for x in "xyz"] for i in range(self.scene.n)]
        return tuple(
            np.array([[int(getattr(x, address)[0]) for x in row] for row in joints])
            for address in ("qposadr", "dofadr")
        )  # type: ignore[return-value]


def _own_weight(robot: SimulatedMocobot) -> Array:
    """Return the torques that hold a robot's own mechanism at its home, shape (3,) [N m]."""
    theta = robot.delta.inverse(np.array([0.0, 0.0, robot.home_height]))
    still = np.zeros(3)
    return own_torque(robot.delta, robot.masses, theta, still, still, np.array(DOWN))


def weight_shares(scene: TeamScene) -> Array:
    """Return the upward forces that carry the payload at home, shape (N,) [N].

    The smallest ones with  sum f_i = m g  and  sum p_i x z f_i = c x z m g.
    """
    weight = -DOWN[2] * scene.phi[0]
    com = scene.phi[1:4] / scene.phi[0]
    levers = np.stack([skew(p)[:2, 2] for p in scene.positions], axis=1)
    equations = np.vstack([np.ones(scene.n), levers])
    right = weight * np.concatenate([[1.0], skew(com)[:2, 2]])
    return np.asarray(np.linalg.lstsq(equations, right, rcond=None)[0])
