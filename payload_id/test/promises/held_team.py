"""Three robots that hold one body: its motion in closed form, what each of them measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from scipy.spatial.transform import Rotation

from .arms import START_NS, TO_PINOCCHIO, phi_of
from .streams import time_of

RATE, STEP = 50.0, 1e-4  # of messages [Hz]; of differences [s]
NAMES = ("left", "right", "front")
BOUNDS = {
    "orientation": 2e-4, "position": 2e-4, "angular_velocity": 2e-3, "linear_velocity": 2e-3,
    "force_absolute": 0.3, "moment_absolute": 0.05, "jitter": 1e-4,
}  # fmt: skip
TEAM = f"""---
name: three
prior: {{mass_max: 30.0, com_max: 1.5}}
every_robot:
  source: topics
  reliability: reliable
  rate: {RATE}
  topics: {{moments: true}}
  bounds: {{{", ".join(f"{k}: {v}" for k, v in BOUNDS.items())}}}
robots:
  left: {{}}
  right: {{}}
  front: {{topics: {{wrench_sign: -1.0}}}}
...
"""


@dataclass(frozen=True)
class HeldTeam:
    """Who holds what, and where.

    Attributes:
        phi: The payload's parameters in the first robot's grasp frame.
        R: Orientations of the grasp frames in the first one's, shape (3, 3, 3).
        p: Their places there, shape (3, 3) [m].
    """

    phi: np.ndarray
    R: np.ndarray
    p: np.ndarray

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> HeldTeam:
        """Draw one."""
        axes = Rotation.random(3, random_state=int(rng.integers(1 << 31)))
        inertia = axes[0].as_matrix() @ np.diag([0.7, 0.9, 1.1]) @ axes[0].as_matrix().T
        phi = phi_of(
            rng.uniform(6.0, 12.0), rng.uniform([0.2, 0.1, -0.1], [0.4, 0.3, 0.1]), inertia
        )
        R = np.stack([np.eye(3), axes[1].as_matrix(), axes[2].as_matrix()])
        return cls(phi, R, np.array([[0.0, 0, 0], [0.7, 0.1, 0.05], [0.2, 0.6, -0.05]]))


def angles_and_place(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return roll, pitch, yaw [rad] and place [m] of the first grasp: rests, then a motion."""
    poses = np.array([[0.12, -0.1, 0.3], [-0.1, 0.12, -0.2], [0.0, 0.0, 0.0]])
    turn = np.zeros((len(t), 3)) + poses[0]
    for k in (1, 2):  # 1.5 s in each pose, and 1 s to the next
        s = np.clip(t - (2.5 * k - 1.0), 0.0, 1.0)
        turn += (s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3))[:, None] * (poses[k] - poses[k - 1])
    begin = np.clip(t - 5.5, 0.0, None)
    rise = np.clip(begin / 1.5, 0.0, 1.0)
    rise = (rise**4 * (35 - 84 * rise + 70 * rise**2 - 20 * rise**3))[:, None]
    waves = np.stack([np.sin(2 * np.pi * f * begin + 0.7 * k) for k, f in
                      enumerate((0.5, 0.62, 0.41, 0.55, 0.37, 0.7))], axis=1)  # fmt: skip
    return turn + rise * 0.15 * waves[:, :3], 0.04 * rise * waves[:, 3:]


def poses(t: np.ndarray) -> tuple[Rotation, np.ndarray]:
    """Return orientation and place of the first grasp frame in a level world."""
    angles, place = angles_and_place(t)
    return Rotation.from_euler("ZYX", angles[:, ::-1]), place


def motion(t: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return R, place, and in that frame omega, alpha, velocity and acceleration of its origin."""
    h = STEP

    def omega(at: np.ndarray) -> np.ndarray:
        return (poses(at - h)[0].inv() * poses(at + h)[0]).as_rotvec() / (2 * h)

    rotation, x = poses(t)
    before, after = poses(t - h)[1], poses(t + h)[1]
    alpha = (omega(t + 10 * h) - omega(t - 10 * h)) / (20 * h)
    v, a = (after - before) / (2 * h), (after - 2 * x + before) / h**2
    back = rotation.inv()
    return rotation.as_matrix(), x, omega(t), alpha, back.apply(v), back.apply(a)


def messages(
    team: HeldTeam, rng: np.random.Generator, seconds: float
) -> list[dict[str, list[Any]]]:
    """Return what each robot publishes, by the name of its topic."""
    t = np.arange(round(seconds * RATE)) / RATE
    R, x, omega, alpha, v, a = motion(t)
    body, total = pin.Inertia.FromDynamicParameters(team.phi[TO_PINOCCHIO]), []
    for k in range(len(t)):
        up = R[k].T @ [0.0, 0.0, 9.81]
        moved = pin.Motion(v[k], omega[k])
        turning = pin.Motion(a[k] - np.cross(omega[k], v[k]) + up, alpha[k])
        total.append((body * turning + moved.cross(body * moved)).vector)
    shared = shares(team, np.array(total), t, rng)
    found = []
    for i in range(3):
        base = Rotation.from_euler("z", rng.uniform(-3, 3)).as_matrix()
        origin = rng.uniform(-1, 1, 3)
        place = (x + R @ team.p[i] - origin) @ base
        turn = Rotation.from_matrix(np.einsum("ji,kjl,lm->kim", base, R, team.R[i]))
        turn = turn * Rotation.from_rotvec(error(rng, t, BOUNDS["orientation"]))
        sign = -1.0 if NAMES[i] == "front" else 1.0
        values = {
            "pose": np.hstack([place + error(rng, t, BOUNDS["position"]), turn.as_quat()]),
            "twist": np.hstack([
                (v + np.cross(omega, team.p[i])) @ team.R[i] + error(rng, t, 2e-3),
                omega @ team.R[i] + error(rng, t, 2e-3),
            ]),
            "wrench": sign * np.hstack([
                shared[:, i, :3] @ team.R[i] + error(rng, t, BOUNDS["force_absolute"]),
                shared[:, i, 3:] @ team.R[i] + error(rng, t, BOUNDS["moment_absolute"]),
            ]),
        }  # fmt: skip
        stamps = START_NS + np.rint(t * 1e9).astype(np.int64)
        found.append({name: [MADE[name](s, row) for s, row in zip(stamps, rows, strict=True)]
                      for name, rows in values.items()})  # fmt: skip
    return found


def error(rng: np.random.Generator, t: np.ndarray, size: float) -> np.ndarray:
    """Return errors within a bound, at its ends as often as within."""
    return size * np.clip(rng.uniform(-2, 2, (len(t), 3)), -1.0, 1.0)


def shares(
    team: HeldTeam, total: np.ndarray, t: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return force and moment of each robot about its grasp, in the first frame, (N, 3, 6)."""
    part = rng.dirichlet(np.ones(3) * 8)
    each = total[:, None, :] * part[None, :, None]
    squeeze = 4.0 * np.sin(2 * np.pi * 0.3 * t[:, None] + rng.uniform(0, 6, 3))
    each[:, 0, :3] += squeeze
    each[:, 1, :3] -= squeeze
    for i in range(3):  # moments about the grasps; those of the squeeze add up to nothing, too
        each[:, i, 3:] -= np.cross(team.p[i], each[:, i, :3])
    left = total[:, 3:] - sum(
        each[:, i, 3:] + np.cross(team.p[i], each[:, i, :3]) for i in range(3)
    )
    each[:, 2, 3:] += left
    return each


def pose_message(stamp: int, row: np.ndarray) -> PoseStamped:
    """Return place and quaternion as a message."""
    said = time_of(PoseStamped(), stamp)
    place, turn = said.pose.position, said.pose.orientation
    place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = map(float, row)
    return said


def twist_message(stamp: int, row: np.ndarray) -> TwistStamped:
    """Return velocity and angular velocity as a message."""
    said = time_of(TwistStamped(), stamp)
    along, about = said.twist.linear, said.twist.angular
    along.x, along.y, along.z, about.x, about.y, about.z = map(float, row)
    return said


def wrench_message(stamp: int, row: np.ndarray) -> WrenchStamped:
    """Return force and torque as a message."""
    said = time_of(WrenchStamped(), stamp)
    along, about = said.wrench.force, said.wrench.torque
    along.x, along.y, along.z, about.x, about.y, about.z = map(float, row)
    return said


MADE = {"pose": pose_message, "twist": twist_message, "wrench": wrench_message}
KINDS = {"pose": PoseStamped, "twist": TwistStamped, "wrench": WrenchStamped}
