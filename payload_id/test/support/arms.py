"""Arms, payloads, motions and recordings for the tests of the mathematics.

What is measured here comes from Pinocchio's inverse dynamics, one sample at a time; the package's
own regressors have no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio as pin

from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import (
    TO_PINOCCHIO,
    change_of_frame,
    from_pseudo_inertia,
    is_physical,
)
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel

# Revolute about a skew axis, prismatic, continuous, and a branch that does not carry the payload.
BRANCHED = """<robot name="branched"><link name="base"/>
<link name="post"><inertial><origin xyz="0.02 0.01 0.3" rpy="0.1 0.2 0.3"/><mass value="3"/>
<inertia ixx="0.05" iyy="0.04" izz="0.02" ixy="0.003" ixz="-0.002" iyz="0.001"/></inertial></link>
<link name="sledge"><inertial><origin xyz="0.05 0 0"/><mass value="1.5"/>
<inertia ixx="0.004" iyy="0.006" izz="0.005" ixy="0" ixz="0.0005" iyz="0"/></inertial></link>
<link name="fork"><inertial><origin xyz="0 0.08 0.03"/><mass value="0.8"/>
<inertia ixx="0.002" iyy="0.0015" izz="0.003" ixy="0" ixz="0" iyz="0.0002"/></inertial></link>
<link name="counterweight"><inertial><origin xyz="-0.2 0 0"/><mass value="2"/>
<inertia ixx="0.003" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="slew" type="revolute"><parent link="base"/><child link="post"/>
<origin xyz="0 0 0.1" rpy="0.4 -0.3 0.2"/><axis xyz="0.48 -0.6 0.64"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="balance" type="revolute"><parent link="post"/><child link="counterweight"/>
<origin xyz="-0.1 0 0.4"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="slide" type="prismatic"><parent link="post"/><child link="sledge"/>
<origin xyz="0.1 0 0.4" rpy="0 0.7 0"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" effort="90" velocity="3"/></joint>
<joint name="turn" type="continuous"><parent link="sledge"/><child link="fork"/>
<origin xyz="0.1 0.05 0" rpy="0.2 0 -0.4"/><axis xyz="0 0.6 -0.8"/></joint>
<joint name="wrist" type="revolute"><parent link="fork"/><child link="knuckle"/>
<origin xyz="0 0.1 0.05"/><axis xyz="1 0 0"/>
<limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<link name="knuckle"><inertial><origin xyz="0 0 0.04"/><mass value="0.4"/>
<inertia ixx="0.0005" iyy="0.0006" izz="0.0004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="mount" type="fixed"><parent link="knuckle"/><child link="tool"/>
<origin xyz="0.03 -0.02 0.1" rpy="0.5 0.1 -0.8"/></joint></robot>"""

# One joint only.
PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="rod"><inertial><origin xyz="0.02 0 -0.25"/><mass value="1.2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0.0002" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="swing" type="revolute"><parent link="base"/><child link="rod"/>
<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="90" velocity="3"/></joint>
<joint name="mount" type="fixed"><parent link="rod"/><child link="tool"/>
<origin xyz="0.05 0 -0.5"/></joint></robot>"""

# Three slides at skew angles, then a joint without limits.
GANTRY = """<robot name="gantry"><link name="base"/>
<link name="bridge"><inertial><mass value="6"/>
<inertia ixx="0.4" iyy="0.1" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="carriage"><inertial><origin xyz="0 0.02 0"/><mass value="3"/>
<inertia ixx="0.02" iyy="0.02" izz="0.03" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<link name="column"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
<inertia ixx="0.03" iyy="0.03" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="spindle"><inertial><origin xyz="0.01 0 -0.05"/><mass value="0.7"/>
<inertia ixx="0.001" iyy="0.001" izz="0.0008" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="x" type="prismatic"><parent link="base"/><child link="bridge"/>
<axis xyz="1 0 0"/><limit lower="-3" upper="3" effort="200" velocity="3"/></joint>
<joint name="y" type="prismatic"><parent link="bridge"/><child link="carriage"/>
<origin xyz="0 0 0.8" rpy="0.2 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="200" velocity="3"/></joint>
<joint name="z" type="prismatic"><parent link="carriage"/><child link="column"/>
<origin xyz="0.1 0 0" rpy="0 0.3 0"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="200" velocity="3"/></joint>
<joint name="spin" type="continuous"><parent link="column"/><child link="spindle"/>
<origin xyz="0 0 -0.4" rpy="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="mount" type="fixed"><parent link="spindle"/><child link="tool"/>
<origin xyz="0 0.03 -0.1" rpy="0.1 0.2 0.3"/></joint></robot>"""

BORROWED = {  # file of example-robot-data, payload frame, joints
    "panda": ("panda.urdf", "panda_hand", tuple(f"panda_joint{k}" for k in range(1, 8))),
    "ur10": ("ur10_robot.urdf", "tool0", None),
    "xarm7": ("xarm7.urdf", "link_eef", None),
}
OWN = {"branched": BRANCHED, "pendulum": PENDULUM, "gantry": GANTRY}
ARMS = (*BORROWED, "gen3", "branched")  # that can tell every parameter
EVERY_ARM = (*BORROWED, "gen3", *OWN)
PAYLOADS = ("cloud", "point", "rod", "plate", "none")


def description(name: str) -> tuple[str, str, tuple[str, ...] | None]:
    """Return URDF, payload frame and joints of an arm."""
    if name in BORROWED:
        file, frame, joints = BORROWED[name]
        files = metadata.files("example-robot-data") or []
        return Path(next(f for f in files if f.name == file).locate()).read_text(), frame, joints
    if name == "gen3":
        robot = RobotFile.load("kinova_gen3")
        return robot.urdf, robot.payload_frame, robot.joints
    return OWN[name], "tool", None


@lru_cache
def arm(name: str) -> ArmModel:
    """Return one of `EVERY_ARM`, or a shipped robot's."""
    if name in EVERY_ARM:
        return ArmModel.from_xml(*description(name))
    return RobotModel.from_robot_file(RobotFile.load(name))


def random_states(model: ArmModel, rng: np.random.Generator, count: int) -> tuple[Array, Array]:
    """Return positions and velocities, shape (count, n) each."""
    shape = (count, model.n)
    return rng.uniform(-2.5, 2.5, shape), rng.uniform(-2.0, 2.0, shape)


def draw_payload(rng: np.random.Generator, kind: str = "cloud", size: float = 0.05) -> Array:
    """Return a payload made of point masses, so that it can exist; shape (10,).

    Args:
        rng: Source of randomness.
        kind: One of `PAYLOADS`; all but "cloud" lie on the edge of physical consistency.
        size: Spread of the point masses [m].
    """
    dimensions = {"cloud": 3, "plate": 2, "rod": 1, "point": 0}
    if kind == "none":
        return np.zeros(10)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, : dimensions[kind]]
    points = rng.uniform(-0.1, 0.1, 3) + rng.normal(size=(8, axes.shape[1])) * size @ axes.T
    masses = rng.dirichlet(np.ones(8)) * rng.uniform(0.3, 3.0)
    return of_point_masses(masses, points)


def of_point_masses(masses: Array, points: Array) -> Array:
    """Return phi of point masses (K,) [kg] at points (K, 3) [m]."""
    homogeneous = np.column_stack([points, np.ones(len(points))])
    return from_pseudo_inertia((homogeneous.T * masses) @ homogeneous)


@dataclass(frozen=True)
class Motion:
    """q(t) = centre + sum_k sine_k sin(k w t) + cosine_k cos(k w t).

    Attributes:
        centre: Shape (n,).
        sine: Shape (harmonics, n).
        cosine: Shape (harmonics, n).
        frequency: w [rad/s].
    """

    centre: Array
    sine: Array
    cosine: Array
    frequency: float

    @classmethod
    def draw(
        cls, model: ArmModel, rng: np.random.Generator, period: float = 6.0, harmonics: int = 5
    ) -> Motion:
        """Return a random motion."""
        size = 0.35 / np.arange(1, harmonics + 1)[:, None]
        sine, cosine = (rng.normal(size=(harmonics, model.n)) * size for _ in range(2))
        return cls(rng.uniform(-1.0, 1.0, model.n), sine, cosine, 2 * np.pi / period)

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Return q, dq and ddq at times t, shape (N, n) each."""
        w = self.frequency * np.arange(1, len(self.sine) + 1)
        S, C = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        q = self.centre + S @ self.sine + C @ self.cosine
        dq = (C * w) @ self.sine - (S * w) @ self.cosine
        ddq = -(S * w**2) @ self.sine - (C * w**2) @ self.cosine
        return q, dq, ddq


def perturbed_links(model: ArmModel, rng: np.random.Generator, relative: float) -> Array:
    """Return link parameters within `relative` of the nominal ones, consistent, shape (n, 10)."""
    links = model.link_phi.copy()
    for k, phi in enumerate(model.link_phi):
        for _ in range(200):
            candidate = phi * (1.0 + relative * rng.uniform(-1.0, 1.0, 10))
            if is_physical(candidate):
                links[k] = candidate
                break
    return links


def loaded_model(model: ArmModel, links: Array, phi: Array) -> pin.Model:
    """Return the Pinocchio model with these links and the payload attached."""
    loaded = model.pinocchio.copy()
    bodies = links.copy()
    transform = change_of_frame(model.payload_rotation, model.payload_translation)
    bodies[model.payload_joint] += transform @ phi
    for joint_id, index in enumerate(model.order, start=1):
        if bodies[index, 0] > 0:
            loaded.inertias[joint_id] = pin.Inertia.FromDynamicParameters(
                bodies[index][TO_PINOCCHIO]
            )
    return loaded


def joint_torques(
    model: ArmModel, links: Array, phi: Array, q: Array, dq: Array, ddq: Array
) -> Array:
    """Return the torques that move the arm with the payload so, shape (N, n) [N m]."""
    loaded = loaded_model(model, links, phi)
    data, order = loaded.createData(), list(model.order)
    tau = np.empty_like(q)
    for k in range(len(q)):
        configuration = model.pinocchio_q(q[k])
        tau[k, order] = pin.rnea(loaded, data, configuration, dq[k, order], ddq[k, order])
    return tau


def measured(true: Array, u: Array, relative: Array, absolute: Array, of_true: bool) -> Array:
    """Return readings whose error is u times the largest that is allowed, u in [-1, 1].

    Args:
        true: True torques, shape (N, n).
        u: Shape (N, n).
        relative: Fraction, shape (n,).
        absolute: Shape (n,).
        of_true: Whether "relative" means relative to the true torque or to the reading.
    """
    if of_true:
        return true + u * (relative * np.abs(true) + absolute)
    # tau - true = u (r |tau| + a): right-hand sides of equal sign give tau (1 -+ r u) = true + u a.
    right = true + u * absolute
    return right / (1.0 - u * relative * np.sign(right))


def noise(rng: np.random.Generator, shape: tuple[int, int], kind: str) -> Array:
    """Return errors as fractions of their bounds.

    Args:
        rng: Source of randomness.
        shape: (N, n).
        kind: "uniform", "vertices", "correlated" (of one sign for long), or "constant".
    """
    if kind == "uniform":
        return rng.uniform(-1.0, 1.0, shape)
    if kind == "constant":
        return np.tile(rng.uniform(-1.0, 1.0, shape[1]), (shape[0], 1))
    if kind == "vertices":
        return rng.choice([-1.0, 1.0], shape)
    switches = rng.uniform(size=shape) < 0.01
    switches[0] = rng.uniform(size=shape[1]) < 0.5
    return np.where(np.cumsum(switches, axis=0) % 2 == 0, 1.0, -1.0)


@dataclass(frozen=True)
class Joints:
    """What the joints add to the links' torques, constant in a run; shape (n,) each.

    Attributes:
        coulomb: Coulomb friction [N m].
        viscous: Viscous friction [N m s/rad].
        rotor: Rotor inertia [kg m2].
        offset: Of the sensors' readings [N m].
        gain: Error of the sensors' gain [-].
    """

    coulomb: Array
    viscous: Array
    rotor: Array
    offset: Array
    gain: Array

    @classmethod
    def draw(
        cls, rng: np.random.Generator, uncertainty: Uncertainty, n: int, extreme: bool
    ) -> Joints:
        """Draw values within their bounds, or at them."""
        one_sided = rng.choice([0.0, 1.0], (3, n)) if extreme else rng.uniform(0, 1, (3, n))
        both = rng.choice([-1.0, 1.0], (2, n)) if extreme else rng.uniform(-1, 1, (2, n))
        names = ("friction_coulomb", "friction_viscous", "rotor_inertia")
        friction = [
            x * uncertainty.per_joint(name, n) for x, name in zip(one_sided, names, strict=True)
        ]
        names = ("torque_offset", "torque_gain")
        sensor = [x * uncertainty.per_joint(name, n) for x, name in zip(both, names, strict=True)]
        return cls(*friction, *sensor)

    def reading(self, tau: Array, dq: Array, ddq: Array) -> Array:
        """Return what the sensors show when the links need tau, shape (N, n)."""
        friction = self.coulomb * np.sign(dq) + self.viscous * dq + self.rotor * ddq
        return (1.0 + self.gain) * (tau + friction) + self.offset


@dataclass(frozen=True)
class Run:
    """A recording and the truth behind it.

    Attributes:
        model: The arm.
        samples: What was measured.
        phi: The payload, shape (10,).
        links: The true links, shape (n, 10).
        true: What would have been measured without sensor errors.
    """

    model: ArmModel
    samples: Samples
    phi: Array
    links: Array
    true: Samples

    def measured(
        self, uncertainty: Uncertainty, u: Array | str, seed: int = 0, of_true: bool = True
    ) -> Run:
        """Return the run as torque sensors with errors u (or noise of that kind) show it."""
        n = self.model.n
        if isinstance(u, str):
            u = noise(np.random.default_rng(seed), self.true.tau.shape, u)
        relative = uncertainty.per_joint("torque_relative", n)
        absolute = uncertainty.per_joint("torque_absolute", n)
        tau = measured(self.true.tau, u, relative, absolute, of_true)
        return replace(self, samples=replace(self.true, tau=tau))


def record(
    model: ArmModel,
    seed: int,
    phi: Array | None = None,
    seconds: float = 3.0,
    rate: float = 250.0,
    links: Array | None = None,
    jitter: float = 0.0,
    motion: Motion | None = None,
    joints: Joints | None = None,
) -> Run:
    """Return a run without sensor noise.

    Args:
        model: The arm.
        seed: Of motion, payload and stamps.
        phi: The payload; None draws one.
        seconds: Length [s].
        rate: Samples in a second [Hz].
        links: True links; None for the nominal ones.
        jitter: Largest deviation of a sampling instant, in sampling steps.
        motion: How it moves; None draws one.
        joints: Friction and constant sensor errors; None for none.
    """
    rng = np.random.default_rng(seed)
    motion = motion or Motion.draw(model, rng)
    phi = draw_payload(rng) if phi is None else phi
    links = model.link_phi if links is None else links
    t = np.arange(int(seconds * rate) + 1) / rate
    t = t + jitter / rate * rng.uniform(-1.0, 1.0, len(t))
    q, dq, ddq = motion.at(t)
    tau = joint_torques(model, links, phi, q, dq, ddq)
    samples = Samples(t, q, dq, tau if joints is None else joints.reading(tau, dq, ddq))
    return Run(model, samples, phi, links, samples)


def windows(samples: Samples, length: float = 0.1) -> Iterator[Samples]:
    """Cut samples into windows."""
    return iter(WindowCutter(length).add(samples))


def rows_of(model: ArmModel, uncertainty: Uncertainty, samples: Samples, length: float = 0.1):
    """Return the row block of all windows."""
    row_source = MomentumRows.of(model, uncertainty)
    return type(row_source.window(samples.part(0, 5))).stack(
        [row_source.window(window) for window in windows(samples, length)]
    )


def adversary(
    run: Run, uncertainty: Uncertainty, k: int, sign: float, length: float = 0.1
) -> tuple[Array, Array]:
    """Return errors that move parameter k of the least-squares solution as far as they can.

    Args:
        run: Without any error, from which the weights are taken.
        uncertainty: Bounds on noise and links.
        k: Parameter to be moved.
        sign: Which way.
        length: Of the windows [s].

    Returns:
        u: Torque errors as fractions of their bounds, shape (N, n).
        links: Link parameters at their extremes, shape (n, 10).
    """
    rows = rows_of(run.model, uncertainty, run.true, length)
    d = rows.bound(np.abs(run.phi))
    L = np.linalg.pinv(rows.A / d[:, None])[k] / d
    # The rows hold A phi + B psi = b + w, so that the solution is off by L (B psi + w).
    links = run.model.link_phi.ravel().copy()
    uncertain = np.flatnonzero(links * uncertainty.link_relative)
    pull = sign * np.sign(L @ rows.B)[: len(uncertain)]
    links[uncertain] *= 1.0 + uncertainty.link_relative * pull * np.sign(links[uncertain])
    u = np.ones_like(run.true.tau)
    for row in range(len(rows)):
        inside = (run.true.stamp >= rows.start[row]) & (run.true.stamp <= rows.end[row])
        u[inside, rows.joint[row]] = sign * np.sign(L[row])
    return u, links.reshape(run.model.link_phi.shape)
