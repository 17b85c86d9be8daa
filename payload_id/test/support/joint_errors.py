"""What joints and their torque sensors may do within what is stated of them.

Also where that lies in the boxes of the nuisance parameters. Written from the definitions of the
bounds; nothing of the package's own columns enters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from payload_id.core.arrays import Array
from payload_id.core.rows.joint_torque.constant_errors.friction_stribeck import KNOTS
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

Curve = Callable[[Array], Array]  # speed over v_s to s over S
GRID = np.linspace(0.0, 20.0, 4001)


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
    length = rng.choice([0.1, 0.25, 0.5])
    falling = (np.floor(GRID / length + rng.uniform()) % 2) == 0
    fallen = np.append(0.0, np.cumsum(np.diff(GRID) * falling[1:]))
    values = np.maximum(np.minimum(1.0 - fallen, latest), 0.0) if kind == 4 else latest
    return lambda x: np.interp(x, GRID, values)


@dataclass(frozen=True)
class JointErrors:
    """Friction, rotors and sensor errors of n joints; shape (n,) each.

    Attributes:
        psi: Values by name of the bound: coulomb, viscous, and so on.
        curves: How slow friction falls with speed.
        stated: The bounds that hold.
    """

    psi: dict[str, Array]
    curves: tuple[Curve, ...]
    stated: Uncertainty

    @classmethod
    def draw(
        cls, rng: np.random.Generator, stated: Uncertainty, n: int, extreme: bool
    ) -> JointErrors:
        """Draw values within their bounds, or at them."""

        def bound(name: str) -> Array:
            return stated.per_joint(name, n)

        def within(low: float, size: Array) -> Array:
            u = rng.choice([low, 1.0], n) if extreme else rng.uniform(low, 1.0, n)
            return np.asarray(u * size)

        phase = rng.uniform(0.0, 2.0 * np.pi, n)
        amplitude = within(0.0, bound("torque_ripple"))
        drift = bound("torque_drift")
        psi = {
            "coulomb": within(0.0, bound("friction_coulomb")),
            "viscous": within(0.0, bound("friction_viscous")),
            "rotor": within(0.0, bound("rotor_inertia")),
            "offset": within(-1.0, np.maximum(bound("torque_offset") - drift / 2, 0.0)),
            "gain": within(-1.0, bound("torque_gain")),
            "a": within(-1.0, bound("friction_coulomb_asymmetry") / 2),
            "b": within(-1.0, bound("friction_viscous_asymmetry") / 2),
            "driving": within(0.0, bound("friction_load")),
            "braking": within(0.0, bound("friction_load")),
            "stribeck": within(0.0, bound("friction_stribeck")),
            "sin": amplitude * np.cos(phase),
            "cos": amplitude * np.sin(phase),
            "drift": drift / 2,
        }
        return cls(psi, tuple(curve(rng) for _ in range(n)), stated)

    def reading(
        self,
        rng: np.random.Generator,
        T: Array,
        q: Array,
        dq: Array,
        ddq: Array,
        wave_number: Array,
    ) -> Array:
        """Return what the sensors show when the links need T, shape (N, n) [N m]."""
        psi, n = self.psi, T.shape[1]
        scale = np.where(psi["stribeck"] > 0, self.stated.per_joint("stribeck_velocity", n), 1.0)
        slow = np.stack(
            [f(np.abs(v) / s) for f, v, s in zip(self.curves, dq.T, scale, strict=True)], axis=1
        )
        mu = np.where(T * dq > 0.0, psi["driving"], psi["braking"])
        level = psi["coulomb"] + psi["stribeck"] * slow + mu * np.abs(T)
        stuck = np.abs(dq) <= self.stated.stiction_velocity
        sign = np.where(stuck, rng.uniform(-1.0, 1.0, dq.shape), np.sign(dq))
        friction = sign * level + psi["viscous"] * dq + psi["a"] + psi["b"] * np.abs(dq)
        ripple = psi["sin"] * np.sin(wave_number * q) + psi["cos"] * np.cos(wave_number * q)
        drift = psi["drift"] * _wandering(rng, len(q))[:, None]
        true = T + friction + ripple + psi["rotor"] * ddq
        return np.asarray((1.0 + psi["gain"]) * true + psi["offset"] + drift)

    def u(self, source: MomentumRows) -> Array:
        """Return the coordinates of all nuisance parameters but links', tool's and other errors'.

        Shape (p,); zeros for those others.
        """
        n, psi, nuisance = source.model.n, self.psi, source.nuisance
        gain = 1.0 / (1.0 + psi["gain"])
        groups = {
            "friction_coulomb": psi["coulomb"],
            "friction_viscous": psi["viscous"],
            "rotor_inertia": psi["rotor"],
            "torque_offset": psi["offset"] * gain,
            "torque_gain": gain - 1.0,
        }
        candidates = np.concatenate([np.zeros(10 * n), *groups.values()])
        candidates[: 10 * n] = nuisance.centre[: 10 * n]
        half = np.where(nuisance.uncertain, nuisance.half_width, 1.0)
        first = ((candidates - nuisance.centre) / half)[nuisance.uncertain]
        return np.concatenate([first, *self._constant(source)])

    def _constant(self, source: MomentumRows) -> list[Array]:
        """Return the coordinates of the constant errors."""
        joints, found = source.model.joints, []
        for error in source.constant:
            values = np.zeros(len(error.names))
            for k, name in enumerate(error.names):
                joint, _, kind = name.rpartition(".")
                if joint in joints:
                    values[k] = self._coordinate(kind, joints.index(joint), source)
            found.append(values)
        return found

    def _coordinate(self, kind: str, j: int, source: MomentumRows) -> float:
        """Return one coordinate, in [-1, 1]."""
        psi, n = self.psi, source.model.n

        def bound(name: str) -> float:
            return float(self.stated.per_joint(name, n)[j])

        if kind.startswith("friction_stribeck_"):
            knot = float(kind.rpartition("_")[2]) / 100.0
            assert knot in KNOTS
            largest = bound("friction_stribeck") * (1.0 if knot < 1.0 else np.exp(-knot))
            s = psi["stribeck"][j] * float(self.curves[j](np.array([knot]))[0])
            return 2.0 * s / largest - 1.0
        largest = bound("friction_load") / (1.0 - bound("friction_load"))
        driving, braking = psi["driving"][j], psi["braking"][j]
        values = {
            "friction_coulomb_asymmetry": lambda: 2 * psi["a"][j] / bound(kind),
            "friction_viscous_asymmetry": lambda: 2 * psi["b"][j] / bound(kind),
            "friction_load_driving": lambda: 2 * driving / (1 + driving) / largest - 1,
            "friction_load_braking": lambda: 2 * braking / (1 - braking) / largest - 1,
            "torque_ripple_sin": lambda: psi["sin"][j] / bound("torque_ripple"),
            "torque_ripple_cos": lambda: psi["cos"][j] / bound("torque_ripple"),
        }
        return float(values[kind]()) if kind in values else 0.0


def _wandering(rng: np.random.Generator, N: int) -> Array:
    """Return what stays within [-1, 1]: a ramp, or a walk of one sign for long, shape (N,)."""
    if rng.integers(2):
        return np.linspace(-1.0, 1.0, N) * rng.choice([-1.0, 1.0])
    return np.where(np.cumsum(rng.uniform(size=N) < 0.01) % 2 == 0, 1.0, -1.0)
