"""Errors of an arm, each at a size of one's own: what sensors say when it acts alone.

An error takes a run (arm, motion, payload) and its size, and returns a recording. All hold their
size as a bound, at every instant and in the worst way that a line of code can say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pinocchio as pin

from payload_id import Recording, Uncertainty

from .arms import Arm, Motion, is_physical


@dataclass(frozen=True)
class Run:
    """An arm that moves with a payload."""

    arm: Arm
    motion: Motion
    phi: np.ndarray
    signs: np.ndarray  # one for each joint

    @classmethod
    def drawn(cls, arm: Arm, rng: np.random.Generator, phi: np.ndarray, **motion: float) -> Run:
        """Return a run with a drawn motion and signs of the joints' errors."""
        return cls(arm, arm.motion(rng, **motion), phi, rng.choice([-1.0, 1.0], arm.n))

    @cached_property
    def tau(self) -> np.ndarray:
        """True torques at the joints."""
        return self.arm.torques(self.motion, self.phi)

    def shown(self, tau: np.ndarray | None = None, **motion: np.ndarray) -> Recording:
        """Return a recording: what is given in place of the truth."""
        measured = replace(self.motion, **motion)
        return self.arm.recording(measured, self.tau if tau is None else tau)


Error = Callable[[Run, float], Recording]


def relative(run: Run, size: float) -> Recording:
    """Readings that are off by a fraction of themselves, a sign for each joint."""
    return run.shown(run.tau * (1 + size * run.signs))


def absolute(run: Run, size: float) -> Recording:
    """Readings that are off by as much at every sample, the sign turning every 0.3 s."""
    turning = np.sign(np.sin(2 * np.pi * run.motion.time / 0.6 + 0.1))
    return run.shown(run.tau + size * run.signs * turning[:, None])


def gain(run: Run, size: float) -> Recording:
    """Sensors that show too much or too little."""
    return run.shown(run.tau * (1 + size * run.signs))


def offset(run: Run, size: float) -> Recording:
    """Sensors whose zero is off."""
    return run.shown(run.tau + size * run.signs)


def links(run: Run, size: float) -> Recording:
    """Bodies all of which are heavier than described, or all lighter, by a fraction."""
    described = run.arm.links()
    return run.shown(run.arm.torques(run.motion, run.phi, described * (1 + size * run.signs[0])))


def link_shift(run: Run, size: float) -> Recording:
    """Bodies that are elsewhere than described."""
    moved = []
    for k, body in enumerate(run.arm.links()):
        shift = size * np.array([1.0, -1.0, 1.0]) * run.signs[k]
        inertia = pin.Inertia.FromDynamicParameters(body)
        there = pin.SE3(np.eye(3), shift).act(inertia).toDynamicParameters()
        assert is_physical(there)
        moved.append(there)
    return run.shown(run.arm.torques(run.motion, run.phi, np.array(moved)))


def coulomb(run: Run, size: float) -> Recording:
    """Friction of constant size against the motion."""
    return run.shown(run.tau + size * np.sign(run.motion.dq))


def coulomb_one_way(run: Run, size: float) -> Recording:
    """Friction that acts in one direction alone, half of it being stated as Coulomb's."""
    return run.shown(run.tau + size * (run.signs * run.motion.dq > 0) * np.sign(run.motion.dq))


def viscous(run: Run, size: float) -> Recording:
    """Friction that grows with speed."""
    return run.shown(run.tau + size * run.motion.dq)


def viscous_one_way(run: Run, size: float) -> Recording:
    """Such friction in one direction alone."""
    return run.shown(run.tau + size * (run.signs * run.motion.dq > 0) * run.motion.dq)


def load_friction(run: Run, size: float) -> Recording:
    """Friction that grows with the torque."""
    return run.shown(run.tau + size * np.abs(run.tau) * np.sign(run.motion.dq))


STRIBECK_VELOCITY = 0.2  # [rad/s or m/s]


def stribeck(run: Run, size: float) -> Recording:
    """Friction of slow joints."""
    dq = run.motion.dq
    return run.shown(run.tau + size * np.exp(-np.abs(dq) / STRIBECK_VELOCITY) * np.sign(dq))


CYCLES = 4.0  # of a ripple in a turn, or in a metre


def ripple(run: Run, size: float) -> Recording:
    """A sine of the position."""
    turn = np.where(slides(run.arm), 2 * np.pi, 1.0)
    return run.shown(run.tau + size * np.sin(CYCLES * turn * run.motion.q + 0.4))


def slides(arm: Arm) -> np.ndarray:
    """Return which joints slide."""
    names = [joint.shortname() for joint in arm.model.joints.tolist()[1:]]
    return np.array([x.startswith("JointModelP") for x in names])


def drift(run: Run, size: float) -> Recording:
    """Offsets that go from one side to the other in the run; they sum to nothing."""
    t = run.motion.time / run.motion.time[-1]
    return run.shown(run.tau + size * run.signs * (t[:, None] - 0.5))


def rotor(run: Run, size: float) -> Recording:
    """Rotors that the measured torque accelerates, too."""
    return run.shown(run.tau + size * run.motion.ddq)


def position(run: Run, size: float) -> Recording:
    """Encoders that are off, the sign turning every 0.3 s."""
    turning = np.sign(np.sin(2 * np.pi * run.motion.time / 0.6 + 0.1))
    return run.shown(q=run.motion.q + size * run.signs * turning[:, None])


def velocity(run: Run, size: float) -> Recording:
    """Velocities that add up in the first joint's momentum, and opposite ones 0.1 s later."""
    turning = np.sign(np.cos(2 * np.pi * run.motion.time / 0.2))
    model = run.arm.loaded(run.phi)
    parts = [pin.crba(model, model.createData(), run.arm.configuration(q))[0]
             for q in run.motion.q]  # fmt: skip
    return run.shown(dq=run.motion.dq + size * np.sign(parts) * turning[:, None])


def joint_zero(run: Run, size: float) -> Recording:
    """Encoders whose zeros are off."""
    return run.shown(q=run.motion.q + size * run.signs)


def delay(run: Run, size: float) -> Recording:
    """Torques that are late, or early."""
    t = run.motion.time
    late = [np.interp(t - size * s, t, x) for s, x in zip(run.signs, run.tau.T, strict=True)]
    return run.shown(np.array(late).T)


def jitter(run: Run, size: float) -> Recording:
    """Stamps that are late, and early 0.1 s later."""
    t = run.motion.time
    return run.shown(time=t + size * np.sign(np.cos(2 * np.pi * t / 0.2)))


def gravity(run: Run, size: float) -> Recording:
    """A base that is tilted, on an arm that describes another one."""
    model = run.arm.loaded(run.phi)
    model.gravity.linear = model.gravity.linear + size * np.array([1.0, -1.0, 1.0])
    data, m = model.createData(), run.motion
    tau = [pin.rnea(model, data, run.arm.configuration(q), v, a) for q, v, a in
           zip(m.q, m.dq, m.ddq, strict=True)]  # fmt: skip
    return run.shown(np.array(tau))


TOOL = np.array([0.2, *[0.02] * 3, *[0.004] * 6])  # what may be wrong about it, times a size


def tool(run: Run, size: float) -> Recording:
    """A tool that is heavier than described."""
    more = size * TOOL * np.array([1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5])
    return run.shown(run.arm.torques(run.motion, run.phi + more))


MEAN_LENGTH = 0.3  # [s]


def mean(run: Run, size: float) -> Recording:
    """Noise of ten times the size at a sample whose mean over 0.3 s is the size."""
    t = run.motion.time
    fast = 9 * size * np.sign(np.sin(2 * np.pi * t / 0.1 + 1e-3))
    return run.shown(run.tau + run.signs * (fast + size)[:, None])


def everything(
    run: Run, bounds: Uncertainty, rng: np.random.Generator, kind: str = "uniform"
) -> Recording:
    """Return what sensors say where every stated error is there at once, anywhere in its bound.

    Noise and errors of the motion are `uniform`, or `worst`: at their bounds, a sign for each
    joint; all else is drawn.
    """
    arm, n, m = run.arm, run.arm.n, run.motion

    def of(name: str) -> np.ndarray:
        return np.broadcast_to(np.asarray(getattr(bounds, name), dtype=float), n)

    def drawn(name: str, least: float = -1.0) -> np.ndarray:
        return of(name) * rng.uniform(least, 1.0, n)

    def noise(size: np.ndarray) -> np.ndarray:
        if kind == "worst":
            return size * rng.choice([-1.0, 1.0], n)
        return size * rng.uniform(-1.0, 1.0, (len(m.time), n))

    tau = arm.torques(m, run.phi, arm.links(rng, bounds.link_relative))
    tau = tau + drawn("friction_coulomb", 0.0) * np.sign(m.dq)
    tau = tau + drawn("friction_viscous", 0.0) * m.dq + drawn("rotor_inertia", 0.0) * m.ddq
    tau = (1 + drawn("torque_gain")) * tau + drawn("torque_offset")
    tau = tau + noise(of("torque_relative") * np.abs(tau) + of("torque_absolute"))
    q = m.q + drawn("joint_zero") + noise(of("position_error"))
    return run.shown(tau, q=q, dq=m.dq + noise(of("velocity_error")))
