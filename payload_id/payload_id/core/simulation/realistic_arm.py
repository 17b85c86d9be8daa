r"""An arm with drives as they are: what its driver would publish along a prescribed motion.

The motion is the links': a position controller is thought to bring them along it, whatever that
takes. So torques follow by inverse dynamics, and no differential equation has to be solved:

    T      = RNEA(q, dq, ddq; true links, cable's mass, payload)       through the gear,
    y      = T + friction + ripple + cable + rotor                     at motor or torque sensor,
    effort = what the torque signal makes of y,
    q, dq  = what encoders behind the gear make of q + deflection(T).

Three seeds stand for what is constant in an arm, in a session (since it was switched on) and in a
run. Nothing of this is known to an estimator, which gets the description and the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..body.inertial import as_phi, from_mass_com_inertia
from ..errors import InputError
from ..motion.trajectory import Motion, Trajectory
from ..samples.joint_samples import Samples
from .drives import Drives
from .effects import Signal
from .perturbation import perturb_links
from .plant import PlantState
from .presets import Preset, preset_named
from .rigid_body import inverse_dynamics, with_bodies

FINEST_STEP = 1e-3  # [s] effects follow each other at least this closely
PLACEHOLDER = 1e5  # effort limits from here on are no drive's [N m or N]
POSES = 64  # poses that are looked at where a description has no usable effort limit
RESERVE = 2.0  # capacity over the largest holding torque at these poses [-]
LEAST_CAPACITY = 0.05  # capacity over that of the strongest joint, at least [-]


@dataclass(frozen=True, eq=False)
class RealisticRun:
    """What one run has given.

    Attributes:
        samples: What the driver publishes, efforts as torques.
        time: True times of these samples, shape (N,) [s].
        parts: True torques at these times by cause, shape (N, n) each [N m or N]: "links and
            payload", "friction", "ripple", "cable" and "rotor".
        temperature: Of the drives at the end, shape (n,) [degrees Celsius]: where the next run
            of the session may begin.
    """

    samples: Samples
    time: Array
    parts: Mapping[str, Array]
    temperature: Array


@dataclass(frozen=True, eq=False)
class RealisticArm:
    """One arm, drawn from a preset.

    Attributes:
        model: The arm as its description says.
        preset: Where its drives come from.
        link_phi: True inertial parameters of its bodies with the cable's, shape (n, 10).
        drives: Its drives, in rotary units.
        radius: From a drive's angle to the joint's position, shape (n,) [1 or m].
        seed: Of the arm.
    """

    model: ArmModel
    preset: Preset
    link_phi: Array
    drives: Drives
    radius: Array
    seed: int

    @classmethod
    def drawn(
        cls,
        model: ArmModel,
        preset: Preset | str,
        seed: int = 0,
        capacity: Array | None = None,
    ) -> RealisticArm:
        """Draw an arm; equal arguments give equal arms.

        Args:
            model: The arm as its description says.
            preset: Of its drives, or its name: gen3_like, xarm_like, ur_like, ideal.
            seed: Which arm.
            capacity: Largest torque or force of each joint, shape (n,) [N m or N]. None: the
                description's effort limits, see `joint_capacity`.

        Raises:
            UnknownNameError: There is no such preset.
            InputError: A capacity is not positive.
        """
        chosen = preset_named(preset) if isinstance(preset, str) else preset
        limits = joint_capacity(model) if capacity is None else np.asarray(capacity, dtype=float)
        if limits.shape != (model.n,) or not (np.isfinite(limits) & (limits > 0)).all():
            raise InputError(
                f"capacity needs {model.n} finite numbers above 0, one for each joint; found "
                f"{capacity!r}."
            )
        turns = np.linalg.norm(model.axis_angular, axis=1) > 0.5
        radius = np.where(turns, 1.0, chosen["pinion"])
        rng = np.random.default_rng([seed, 0])
        links = perturb_links(model.link_phi, chosen["link_relative"], rng)
        links = links + _cable_phi(model.link_phi, chosen, rng)
        drives = Drives.drawn(chosen, limits * radius, rng)
        return cls(model, chosen, links, drives, radius, seed)

    def run(
        self,
        motion: Trajectory | Motion,
        payload: Array | None = None,
        seed: int = 0,
        session: int = 0,
        temperature: float | Array | None = None,
        rate: float | None = None,
    ) -> RealisticRun:
        """Let the arm go through a motion.

        Args:
            motion: A trajectory, or one that is sampled (cubic between its instants).
            payload: Inertial parameters about the payload frame, shape (10,); None: no payload.
            seed: Of the run: noise, and what drives remember of earlier motion.
            session: Since when the arm is on: offsets, the room, how warm the drives are.
            temperature: Of the drives at the start, one number or shape (n,) [degrees Celsius];
                None: the session's own. That of an earlier run's end: the arm warms up.
            rate: Of the samples [Hz]; None: the preset's.

        Raises:
            InputError: The motion has another number of joints, or the payload is no phi.
        """
        phi = np.zeros(10) if payload is None else as_phi(payload)
        drives, now = self.started(seed, session, temperature)
        published = self.preset["rate"] if rate is None else _checked_rate(rate)
        inner = max(1, int(np.ceil(1.0 / (FINEST_STEP * published))))
        step = 1.0 / (inner * published)
        fine = self._at(motion, step)
        bodies = with_bodies(self.model, self.link_phi, phi)
        rigid = inverse_dynamics(self.model, bodies, fine.q, fine.dq, fine.ddq)
        seen, after = self._seen(drives, step, fine.q, fine.dq, fine.ddq, rigid)
        r = self.radius
        tau = drives.published(seen.torque[::inner], now) / r
        time = fine.time[::inner]
        stamp = time + self.preset["stamp_jitter"] * now.uniform(0.0, 1.0, len(time))
        parts = {name: part[::inner] / r for name, part in seen.parts.items()}
        return RealisticRun(
            Samples(stamp, seen.position[::inner] * r, seen.speed[::inner] * r, tau),
            time,
            {"links and payload": rigid[::inner]} | parts,
            after.memory["warming"],
        )

    def live(
        self, period: float, seed: int = 0, session: int = 0
    ) -> Callable[[PlantState], tuple[Array, Array, Array]]:
        """Return what tells published position, velocity and torque of one state after another.

        The states are of an arm that starts at rest, a period [s] apart, and do not feel the
        drives; each of the three is of shape (1, n). Seeds as for `run`.
        """
        drives, now = self.started(seed, session)
        velocity, r = np.zeros(self.model.n), self.radius

        def measure(state: PlantState) -> tuple[Array, Array, Array]:
            nonlocal drives, velocity
            acceleration = (state.dq - velocity) / period
            rows = (x[np.newaxis] for x in (state.q, state.dq, acceleration, state.tau))
            seen, drives = self._seen(drives, period, *rows)
            velocity = state.dq
            return seen.position * r, seen.speed * r, drives.published(seen.torque, now) / r

        return measure

    def _seen(
        self, drives: Drives, step: float, q: Array, dq: Array, ddq: Array, tau: Array
    ) -> tuple[Signal, Drives]:
        """Return what the drives show of a motion of the joints, and them as it leaves them."""
        r = self.radius
        return drives.through(step, q / r, dq / r, ddq / r, tau * r)

    def started(
        self, seed: int = 0, session: int = 0, temperature: float | Array | None = None
    ) -> tuple[Drives, np.random.Generator]:
        """Return the drives at the start of a run, and the source of its noise; see `run`."""
        now = np.random.default_rng([self.seed, 2, session, seed])
        drives = self.drives.started(np.random.default_rng([self.seed, 1, session]), now)
        if temperature is not None:
            given = np.broadcast_to(np.asarray(temperature, dtype=float), (self.model.n,))
            drives = replace(drives, memory={**drives.memory, "warming": given})
        return drives, now

    def _at(self, motion: Trajectory | Motion, step: float) -> Motion:
        """Return a motion on the even grid that effects are followed on."""
        end = float(np.ptp(motion.time)) if isinstance(motion, Motion) else motion.duration
        count = int(np.floor(end / step + 1e-9)) + 1
        times = np.minimum(step * np.arange(count), end)
        fine = _between(motion, times) if isinstance(motion, Motion) else motion.at(times)
        if fine.q.shape != (count, self.model.n) or count < 2:
            raise InputError(
                f"The arm has {self.model.n} joints and needs a motion over at least one sample; "
                f"found positions of shape {fine.q.shape}."
            )
        return fine


def joint_capacity(model: ArmModel) -> Array:
    """Return the largest torque or force of each joint, shape (n,) [N m or N].

    It is the description's effort limit where that is a drive's: it holds the arm, and is not a
    number that stands for "none". Otherwise it is taken from what holding the arm needs.
    """
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (POSES, model.n))
    still = np.zeros_like(q)
    bodies = with_bodies(model, model.link_phi, np.zeros(10))
    holding = np.abs(inverse_dynamics(model, bodies, q, still, still)).max(axis=0)
    order = np.argsort(list(model.order))
    limit = np.asarray(model.pinocchio.effortLimit, dtype=float)[order]
    usable = np.isfinite(limit) & (limit > 0) & (limit < PLACEHOLDER) & (limit >= holding)
    capacity = np.where(usable, limit, RESERVE * holding)
    strongest = capacity.max()
    floor = LEAST_CAPACITY * strongest if strongest > 0 else 1.0
    return np.asarray(np.where(usable, capacity, np.maximum(capacity, floor)))


def _cable_phi(link_phi: Array, preset: Preset, rng: np.random.Generator) -> Array:
    """Return what a cable adds to each body: a point mass near its centre of mass, (n, 10)."""
    share = preset["cable_mass"] / len(link_phi)
    away = preset["cable_spread"] * rng.standard_normal((len(link_phi), 3))
    centres = link_phi[:, 1:4] / np.maximum(link_phi[:, :1], 1e-9) + away
    return np.array([from_mass_com_inertia(share, c, np.zeros((3, 3))) for c in centres])


def _between(motion: Motion, times: Array) -> Motion:
    """Return a sampled motion at times after its first instant, cubic between instants."""
    known = motion.time - motion.time[0]
    position = CubicHermiteSpline(known, motion.q, motion.dq)
    velocity = CubicHermiteSpline(known, motion.dq, motion.ddq)
    return Motion(times, position(times), velocity(times), velocity.derivative()(times))


def _checked_rate(rate: float) -> float:
    """Return a rate above 0 [Hz]."""
    if not (np.isfinite(rate) and rate > 0):
        raise InputError(f"The rate of samples must be a finite number above 0 Hz; found {rate!r}.")
    return float(rate)
