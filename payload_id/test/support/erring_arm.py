"""A moving arm in which everything that is stated errs, and where the truth lies in its rows.

Written from the definitions of the bounds (`Uncertainty`); nothing of the package's own columns and
bounds enters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from arms import Motion, arm, draw_payload, joint_torques, measured, noise, perturbed_links, rows_of
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.rows.joint_torque.blocks import Stated
from payload_id.core.rows.joint_torque.blocks.friction_stribeck import KNOTS
from payload_id.core.rows.joint_torque.blocks.torque_ripple import wave_number
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples

Curve = Callable[[Array], Array]  # speed over v_s to s over S
GRID = np.linspace(0.0, 20.0, 4001)
ELBOW = """<robot name="elbow"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0.02 0.15"/><mass value="2"/>
<inertia ixx="0.03" iyy="0.03" izz="0.004" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="0 0.05 0.2"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.012" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
<origin xyz="0.2 0 0.3" rpy="0 0.4 0.7"/><axis xyz="1 0 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="mount" type="fixed"><parent link="fore"/><child link="tool"/>
<origin xyz="0.03 -0.02 0.3"/></joint></robot>"""


# Three joints about the vertical: what gravity does says nothing of them.
FLAT = '<robot name="flat"><link name="l0"/>{}</robot>'.format(
    "".join(
        f'<link name="l{k + 1}"><inertial><origin xyz="0.12 0.02 0.01"/><mass value="{3 - k}"/>'
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link>'
        f'<joint name="j{k + 1}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<origin xyz="0.3 0 0.05"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3" velocity="3" effort="99"/></joint>'
        for k in range(3)
    )
)
OWN = {"elbow": (ELBOW, "tool"), "flat": (FLAT, "l3")}


@lru_cache
def arm_named(name: str) -> ArmModel:
    """Return an arm of the tests, or one of `OWN`."""
    return ArmModel.from_xml(*OWN[name]) if name in OWN else arm(name)


def curve(rng: np.random.Generator) -> Curve:
    """Return a curve of the class that `stribeck_velocity` describes."""
    kind = rng.integers(6)
    if kind < 3:
        power = (1.0, 2.0, 2.4)[kind]
        return lambda x: np.exp(-(x**power))
    if kind == 3:
        return lambda x: np.maximum(0.0, 1.0 - x)
    # Falls at its fastest or not at all, by turns, or as late as it may.
    latest = np.where(GRID < 1.0, np.minimum(1.0, 1.0 + np.exp(-1.0) - GRID), np.exp(-GRID))
    falling = (np.floor(GRID / rng.choice([0.1, 0.25, 0.5]) + rng.uniform()) % 2) == 0
    fallen = np.append(0.0, np.cumsum(np.diff(GRID) * falling[1:]))
    values = np.maximum(np.minimum(1.0 - fallen, latest), 0.0) if kind == 4 else latest
    return lambda x: np.interp(x, GRID, values)


@dataclass(frozen=True)
class ErringRun:
    """A recording with errors, and the truth behind it.

    Attributes:
        model: The arm as described.
        stated: What is stated of it.
        samples: What was recorded.
        phi: The payload, shape (10,).
        place: Where the truth lies in [-1, 1], by the names of the rows' nuisance parameters.
        true: What was to be recorded, without errors of single samples.
    """

    model: ArmModel
    stated: Uncertainty
    samples: Samples
    phi: Array
    place: dict[str, float]
    true: Samples

    def rows(self, length: float = 0.1) -> RowBlock:
        """Return the rows of all windows."""
        return rows_of(self.model, self.stated, self.samples, length)

    def left(self, rows: RowBlock) -> Array:
        """Return what the truth leaves of rows, shape (m,)."""
        names = MomentumRows.of(self.model, self.stated).names
        u = np.array([self.place[name] for name in names])
        assert (np.abs(u) <= 1.0 + 1e-12).all()
        return rows.A @ self.phi + rows.B @ u - rows.b

    def used(self, rows: RowBlock) -> float:
        """Return the largest part of its bound that any of the rows needs for the truth."""
        return float((np.abs(self.left(rows)) / rows.bound(np.abs(self.phi))).max())


def under_gravity(model: ArmModel, gravity: Array) -> ArmModel:
    """Return an arm that stands elsewhere."""
    there = model.pinocchio.copy()
    there.gravity.linear = gravity
    return replace(model, gravity=gravity, pinocchio=there)


def erring_run(
    name: str,
    stated: Uncertainty,
    seed: int = 0,
    extreme: bool = True,
    kind: str = "vertices",
    payload: str = "cloud",
    period: float = 6.0,
    rate: float = 250.0,
    seconds: float = 1.2,
    motion: Motion | None = None,
) -> ErringRun:
    """Return a run of an arm; `extreme`: constants at the ends of their boxes; `kind`: of noise."""
    model, rng = arm_named(name), np.random.default_rng([seed, 11])
    joints = _Joints(model, stated, rng, extreme)
    motion = motion or Motion.draw(model, rng, period=period)
    phi, n = draw_payload(rng, payload), model.n
    t = np.arange(round(seconds * rate) + 1) / rate
    gravity, tool = joints.within(-1.0, 3), joints.within(-1.0, 10)
    links = perturbed_links(model, rng, stated.link_relative)
    there = under_gravity(model, model.gravity + stated.gravity_error * gravity)
    body = phi + tool * (stated.tool or np.zeros(10))

    def shown(time: Array) -> Array:
        q, dq, ddq = motion.at(time)
        return joints.reading(joint_torques(there, links, body, q, dq, ddq), q, dq, ddq)

    late = joints.bound("torque_delay") * joints.delay
    tau = shown(t)
    for j in np.flatnonzero(late):
        tau[:, j] = shown(t - late[j])[:, j]
    tau = tau + joints.bound("torque_drift") / 2 * _wandering(rng, len(t))[:, None]
    q, dq, ddq = motion.at(t)
    true = Samples(t, q + joints.bound("joint_zero") * joints.zero, dq, tau)
    u = [
        _with_the_motion(rng, dq, ddq) if kind == "with the motion" else noise(rng, q.shape, kind)
        for _ in range(4)
    ]
    size = joints.bound("torque_relative"), joints.bound("torque_absolute")
    samples = Samples(
        t + stated.stamp_jitter * u[0][:, 0],
        true.q + joints.bound("position_error") * u[1],
        dq + joints.bound("velocity_error") * u[2],
        measured(tau, u[3], *size, of_true=seed % 2 == 0),
    )
    relative = np.where(model.link_phi == 0.0, 1.0, np.abs(model.link_phi))
    moved = (links - model.link_phi) / relative / (stated.link_relative or 1.0)
    place = joints.place() | {
        **{f"{model.joints[j]}.{PARAMETERS[k]}": moved[j, k] for j, k in np.ndindex(n, 10)},
        **{f"gravity.{axis}": u for axis, u in zip("xyz", gravity, strict=True)},
        **{f"tool.{parameter}": u for parameter, u in zip(PARAMETERS, tool, strict=True)},
    }
    return ErringRun(model, stated, samples, phi, place, true)


class _Joints:
    """What joints and their sensors do within what is stated, constant in a run; shape (n,)."""

    def __init__(
        self, model: ArmModel, stated: Uncertainty, rng: np.random.Generator, extreme: bool
    ) -> None:
        self.model, self.stated, self.rng, self.extreme = model, stated, rng, extreme
        n, bound = model.n, self.bound
        for name in ("friction_coulomb", "friction_viscous", "rotor_inertia", "friction_stribeck"):
            setattr(self, name, bound(name) * self.within(0.0, n))
        self.driving, self.braking = (bound("friction_load") * self.within(0.0, n) for _ in "db")
        room = np.maximum(bound("torque_offset") - bound("torque_drift") / 2, 0.0)
        self.offset, self.gain = (
            room * self.within(-1.0, n),
            bound("torque_gain") * self.within(-1, n),
        )
        self.a, self.b, self.zero, self.delay = self.within(-1.0, 4 * n).reshape(4, n)
        self.ripple, phase = self.within(0.0, n), rng.uniform(0.0, 2.0 * np.pi, n)
        self.sin, self.cos = self.ripple * np.cos(phase), self.ripple * np.sin(phase)
        self.curves = [curve(rng) for _ in range(n)]

    def bound(self, name: str) -> Array:
        """Return what is stated, shape (n,)."""
        return self.stated.per_joint(name, self.model.n)

    def within(self, low: float, count: int) -> Array:
        """Draw numbers from low to 1, or these two."""
        drawn = self.rng.choice([low, 1.0], count), self.rng.uniform(low, 1.0, count)
        return drawn[0] if self.extreme else drawn[1]

    def slow(self, dq: Array) -> Array:
        """Return friction beyond Coulomb's over its largest, shape (N, n)."""
        scale = np.where(self.bound("friction_stribeck") > 0, self.bound("stribeck_velocity"), 1.0)
        return np.stack([f(x) for f, x in zip(self.curves, np.abs(dq / scale).T, strict=True)], 1)

    def reading(self, T: Array, q: Array, dq: Array, ddq: Array) -> Array:
        """Return what the sensors show when the links need T, shape (N, n)."""
        mu = np.where(T * dq > 0.0, self.driving, self.braking)
        level = self.friction_coulomb + self.friction_stribeck * self.slow(dq) + mu * np.abs(T)
        stuck = np.abs(dq) <= self.stated.stiction_velocity
        friction = level * np.where(stuck, self.rng.uniform(-1.0, 1.0, dq.shape), np.sign(dq))
        friction += self.friction_viscous * dq + self.rotor_inertia * ddq
        friction += self.a * self.bound("friction_coulomb_asymmetry") / 2
        friction += self.b * self.bound("friction_viscous_asymmetry") / 2 * np.abs(dq)
        phase = (wave_number(Stated(self.model, self.stated)) if self.sin.any() else 0.0) * q
        friction += self.bound("torque_ripple") * (
            self.sin * np.sin(phase) + self.cos * np.cos(phase)
        )
        return np.asarray((1.0 + self.gain) * (T + friction) + self.offset)

    def place(self) -> dict[str, float]:
        """Return the coordinates of all these in the unit box, by name."""
        gain, load = 1.0 / (1.0 + self.gain), self.bound("friction_load")
        largest, most = 1.0 / (1.0 - self.bound("torque_gain")), load / (1.0 - load)
        found = {
            "torque_offset": _part(self.offset * gain, self.bound("torque_offset") * largest),
            "torque_gain": _part(gain - 1.0, largest - 1.0),
            "friction_coulomb_asymmetry": self.a,
            "friction_viscous_asymmetry": self.b,
            "friction_load_driving": 2 * _part(self.driving / (1 + self.driving), most) - 1,
            "friction_load_braking": 2 * _part(self.braking / (1 - self.braking), most) - 1,
            "torque_ripple_sin": self.sin,
            "torque_ripple_cos": self.cos,
            "joint_zero": self.zero,
            "torque_delay": self.delay,
        }
        for name in ("friction_coulomb", "friction_viscous", "rotor_inertia"):
            found[name] = 2 * _part(getattr(self, name), self.bound(name)) - 1
        part = _part(self.friction_stribeck, self.bound("friction_stribeck"))
        for knot in KNOTS:
            s = np.array([float(f(np.array([knot]))[0]) for f in self.curves])
            s = s / (1.0 if knot < 1.0 else np.exp(-knot))
            found[f"friction_stribeck_{100 * knot:.0f}"] = 2 * part * s - 1
        names = self.model.joints
        return {f"{names[j]}.{x}": float(u[j]) for x, u in found.items() for j in range(len(names))}


def _with_the_motion(rng: np.random.Generator, dq: Array, ddq: Array) -> Array:
    """Return errors of the sign of velocities, of accelerations, or of the power of inertia."""
    return np.asarray(rng.choice([-1.0, 1.0]) * np.sign((dq, ddq, dq * ddq)[rng.integers(3)]))


def _part(value: Array, whole: Array) -> Array:
    """Return a fraction, 0 of nothing."""
    return np.divide(value, whole, out=np.zeros_like(value), where=whole > 0.0)


def _wandering(rng: np.random.Generator, N: int) -> Array:
    """Return what stays within [-1, 1]: a ramp, or a walk of one sign for long, shape (N,)."""
    if rng.integers(2):
        return np.linspace(-1.0, 1.0, N) * rng.choice([-1.0, 1.0])
    return np.where(np.cumsum(rng.uniform(size=N) < 0.01) % 2 == 0, 1.0, -1.0)
