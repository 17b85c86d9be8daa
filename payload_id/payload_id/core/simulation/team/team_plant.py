"""A simulated team in motion: soft impedance control of each robot, and a human who guides.

The payload is one free body that carries, at every grasp, what of a robot's mechanism moves with
the wrist as a point mass. Each robot draws its wrist towards a reference with a soft spring, a
damper and its share of the weight. A human holds the payload with springs of his own, where there
is one; robots then only carry the weight (float). What encoders and springs of the robots show
follows from the wrists' motion and forces: angles by the inverse kinematics of the mechanism, the
springs' torques by  tau = tau_own + (dh/dtheta)' f  and friction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import from_mass_com_inertia, skew
from ...mechanism.delta import ReachError
from ...mechanism.own_load import own_torque
from ...mechanism.readings import DOWN
from ..mujoco_plant import MujocoPlant, SimulationError, new_spec
from ..plant_model import set_inertia
from .scene import TeamScene
from .team_motion import Stage, TeamMotion, WristReferences

STEP = 1e-3  # [s] of the integration
HUMAN_FORCE, HUMAN_TORQUE = 800.0, 250.0  # stiffness of the human's hold [N/m, N m/rad]
HUMAN_DAMPING = 0.25  # of that, per second [s]
SLOW = 1e-3  # [rad/s] at which half of Coulomb friction acts


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


class TeamPlant(MujocoPlant):
    """Integrates a team; `run` yields its state at instants of one's own choice.

    Attributes:
        scene: What is simulated.
    """

    def __init__(self, scene: TeamScene) -> None:
        """Put the team at its home, at rest."""
        spec = new_spec(STEP, np.array(DOWN))
        payload = spec.worldbody.add_body(name="payload")
        payload.add_freejoint()
        set_inertia(payload, scene.phi, "the payload")
        point = from_mass_com_inertia(scene.robot.moved_mass, np.zeros(3), np.zeros((3, 3)))
        for place in scene.positions:
            set_inertia(payload.add_body(pos=place), point, "a wrist")
        super().__init__(spec.compile())
        self.scene, self._bases = scene, scene.bases()
        # Twists and wrenches are in the payload's axes, angular part first: v_i = (G_i twist).
        turned = [np.hstack([skew(place).T, np.eye(3)]) for place in scene.positions]
        self._grasps = np.vstack(turned)
        self._shares = weight_shares(scene) - DOWN[2] * scene.robot.moved_mass
        self._motion: TeamMotion | WristReferences = TeamMotion.hold(np.zeros(6), scene.centre)
        self._human, self._began, self._start = False, 0.0, np.zeros(6)

    def follow(self, motion: TeamMotion | WristReferences, human: bool = False) -> None:
        """Follow a motion from now on: the robots' wrists, or a human while the robots float.

        References of wrists end where they began.
        """
        if isinstance(self._motion, TeamMotion):
            self._start = self._motion.at(self.time - self._began, self._start)
        self._motion, self._human, self._began = motion, human, self.time

    def run(
        self, until: float, due: Callable[[int], bool] = lambda step: True
    ) -> Iterator[TeamState]:
        """Move until a time [s], and yield the state after those steps that are due.

        Args:
            until: When to end [s].
            due: Tells for the number of a step of the physics whether its state is wanted.
        """
        while self.time < until - 1e-9:
            self._advance(1, self._held(self._force()))
            self._check_finite(". Ask for smaller motions.")
            if due(self._steps):
                yield self.state()

    def through(self, stages: Sequence[Stage], due: Callable[[int], bool]) -> Iterator[TeamState]:
        """Move through stages, one after the other, and yield states as `run` does."""
        for stage in stages:
            self.follow(stage.motion, stage.human)
            yield from self.run(self.time + stage.seconds, due)

    def state(self) -> TeamState:
        """Return the truth now."""
        self.data.qfrc_applied[:] = self._force()
        mujoco.mj_forward(self.model, self.data)
        R, place, twist = self._pose()
        turning, linear = self.data.qacc[3:6], R.T @ self.data.qacc[:3]
        rate = np.concatenate([turning, linear - np.cross(twist[:3], twist[3:])])
        scene, (turns, bases) = self.scene, self._bases
        speeds = self._each(self._grasps @ twist) @ R.T
        spun = np.cross(twist[:3], np.cross(twist[:3], scene.positions))
        pushed = (self._each(self._grasps @ np.concatenate([turning, linear])) + spun) @ R.T
        forces = self._forces(R, place, twist) - scene.robot.moved_mass * (pushed - np.array(DOWN))
        wrists = place + scene.positions @ R.T - bases
        moved = (wrists, speeds, pushed, forces)
        theta, tau = self._legs(*(np.einsum("nji,nj->ni", turns, x) for x in moved))
        turned = np.swapaxes(turns, 1, 2) @ R @ scene.rotations
        gimbal = scene.robot.mechanism.gimbal.angles(turned)
        before = theta + tau / scene.robot.spring
        return TeamState(self.time, R, place, twist, rate, before, theta, gimbal, tau)

    @staticmethod
    def _held(force: Array) -> Callable[[int], Array]:
        """Return a force that stays what it is for a step."""
        return lambda _: force

    def _each(self, stacked: Array) -> Array:
        """Return what belongs to each robot, shape (N, 3)."""
        return stacked.reshape(self.scene.n, 3)

    def _pose(self) -> tuple[Array, Array, Array]:
        """Return R (3, 3), p (3,) and twist (6,) of the payload."""
        flat, q, v = np.empty(9), self.data.qpos, self.data.qvel
        mujoco.mju_quat2Mat(flat, q[3:7])
        R = flat.reshape(3, 3)
        return R, q[:3].copy(), np.concatenate([v[3:6], R.T @ v[:3]])

    def _forces(self, R: Array, place: Array, twist: Array) -> Array:
        """Return what each robot exerts on wrist and payload, world axes, shape (N, 3) [N]."""
        robot, (turns, bases) = self.scene.robot, self._bases
        if isinstance(self._motion, TeamMotion):
            turn, there = self._reference(self._motion)
            wanted = self.scene.positions @ turn.T + there
        else:
            own = self._motion.wrists(self.time - self._began)
            wanted = bases + np.einsum("nij,nj->ni", turns, own)
        stiffness = 0.0 if self._human else robot.impedance
        damping = 2 * robot.damping_ratio * np.sqrt(stiffness * self.scene.phi[0] / self.scene.n)
        away = wanted - place - self.scene.positions @ R.T
        speeds = self._each(self._grasps @ twist) @ R.T
        forces = stiffness * away - (damping or robot.float_damping) * speeds
        forces[:, 2] += self._shares
        return np.asarray(forces)

    def _reference(self, motion: TeamMotion) -> tuple[Array, Array]:
        """Return the pose that the payload is to have now."""
        return motion.pose(motion.at(self.time - self._began, self._start))

    def _force(self) -> Array:
        """Return force (world) and torque about {1} (its own axes) on the free body, shape (6,)."""
        R, place, twist = self._pose()
        wrench = self._grasps.T @ (self._forces(R, place, twist) @ R).ravel()
        if self._human and isinstance(self._motion, TeamMotion):
            wrench += self._human_wrench(*self._reference(self._motion), R, place, twist)
        rubbing = self.scene.n * self.scene.robot.gimbal_friction * _sign(twist[:3])
        return np.concatenate([R @ wrench[3:], wrench[:3] - rubbing])

    def _human_wrench(
        self, turn: Array, there: Array, R: Array, place: Array, twist: Array
    ) -> Array:
        """Return the wrench of the human's springs on the payload, about {1}, its axes, (6,)."""
        com = self.scene.phi[1:4] / self.scene.phi[0]
        off = R.T @ (there + turn @ com - place) - com
        force = HUMAN_FORCE * (off - HUMAN_DAMPING * (twist[3:] + np.cross(twist[:3], com)))
        lag = Rotation.from_matrix(R.T @ turn).as_rotvec()
        torque = HUMAN_TORQUE * (lag - HUMAN_DAMPING * twist[:3])
        return np.concatenate([torque + np.cross(com, force), force])

    def _legs(self, p: Array, v: Array, a: Array, f: Array) -> tuple[Array, Array]:
        """Return angles and spring torques of all legs, shape (N, 3) each [rad], [N m].

        Args:
            p: Platforms in their bases' axes, shape (N, 3) [m].
            v: Their velocities [m/s].
            a: Their accelerations [m/s2].
            f: What the robots exert on the payload [N].
        """
        robot = self.scene.robot
        delta, masses = robot.mechanism.delta, robot.mechanism.masses
        try:
            theta = delta.inverse(p)
        except ReachError:
            theta = np.full_like(p, np.inf)
        if not ((theta >= robot.travel[0]) & (theta <= robot.travel[1])).all():
            raise SimulationError(
                f"A leg is at the end of its travel at {self.time:.3f} s. Ask for smaller motions."
            )
        J = delta.jacobian(theta)
        rate = np.linalg.solve(J, v[..., None])[..., 0]
        rest = a - delta.acceleration(theta, rate, 0.0 * rate)
        rate2 = np.linalg.solve(J, rest[..., None])[..., 0]
        own = own_torque(delta, masses, theta, rate, rate2, np.array(DOWN))
        rubbing = robot.friction * _sign(rate) + robot.damping * rate
        return theta, own + np.einsum("nji,nj->ni", J, f) + rubbing


def _sign(rate: Array) -> Array:
    """Return the direction in which Coulomb friction acts against, smooth about rest."""
    return np.asarray(rate / (np.abs(rate) + SLOW))


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
