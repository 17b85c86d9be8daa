"""Intervals of everything that the torque of a loaded arm depends on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np
from typing_extensions import Self

from ...arm.arm_model import ArmModel
from ...arrays import Array, one_number
from ...body.inertial import PARAMETERS
from ...codec import InJson
from ...errors import InputError
from ...rows.joint_torque.calibrated import known_of
from ...rows.joint_torque.nuisance import group_slice
from ...rows.joint_torque.uncertainty import Uncertainty
from ...rows.nuisance import Nuisance

INTERVALS = ("payload", "links", "rotor_inertia", "coulomb", "viscous")


@dataclass(frozen=True, eq=False)
class ParameterBox(InJson):
    """The true parameters lie between lower and upper; the controller's theta_0 is the middle.

    Attributes:
        payload_lower: phi of the payload about the payload frame, shape (10,).
        payload_upper: Shape (10,).
        links_lower: phi of each body about its joint's frame, shape (n, 10).
        links_upper: Shape (n, 10).
        rotor_inertia_lower: Reflected rotor inertia, shape (n,) [kg m2 or kg].
        rotor_inertia_upper: Shape (n,).
        coulomb_lower: Coulomb friction, shape (n,) [N m or N].
        coulomb_upper: Shape (n,).
        viscous_lower: Viscous friction, shape (n,) [N m s/rad or N s/m].
        viscous_upper: Shape (n,).
        stiction_velocity: Below this speed the sign of Coulomb friction is unknown [rad/s or m/s].
        gravity_error: Largest error of each component of gravity in the base frame [m/s2].
    """

    payload_lower: Array
    payload_upper: Array
    links_lower: Array
    links_upper: Array
    rotor_inertia_lower: Array
    rotor_inertia_upper: Array
    coulomb_lower: Array
    coulomb_upper: Array
    viscous_lower: Array
    viscous_upper: Array
    stiction_velocity: float = 0.0
    gravity_error: float = 0.0

    def __post_init__(self) -> None:
        n = len(np.atleast_2d(self.links_lower))
        shapes = {"payload": (10,), "links": (n, 10)}
        for name in INTERVALS:
            for end in ("lower", "upper"):
                self._set(f"{name}_{end}", shapes.get(name, (n,)))
            _check_order(name, getattr(self, f"{name}_lower"), getattr(self, f"{name}_upper"))
        for name in ("rotor_inertia", "coulomb", "viscous"):
            if (getattr(self, f"{name}_lower") < 0).any():
                raise InputError(f"The box's '{name}' cannot be negative; raise its lower bounds.")
        for name in ("stiction_velocity", "gravity_error"):
            number = one_number(getattr(self, name), f"the box's '{name}'")
            object.__setattr__(self, name, number)
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise InputError(
                    f"The box's '{name}' must be finite and not negative; found "
                    f"{getattr(self, name)!r}."
                )

    def _set(self, name: str, shape: tuple[int, ...]) -> None:
        """Keep a finite, read-only copy of one bound."""
        value = np.asarray(getattr(self, name), dtype=float)
        if value.ndim and value.shape != shape:
            raise InputError(f"The box's '{name}' has shape {value.shape}; it must be {shape}.")
        array = np.array(np.broadcast_to(value, shape))
        if not np.isfinite(array).all():
            raise InputError(
                f"The box's '{name}' must be finite; found {array.tolist()}. Identify the payload "
                "first, or state its prior."
            )
        array.setflags(write=False)
        object.__setattr__(self, name, array)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.links_lower)

    def interval(self, name: str) -> tuple[Array, Array]:
        """Return middle and half-width of one of `INTERVALS`, so that both ends are within."""
        lower, upper = getattr(self, f"{name}_lower"), getattr(self, f"{name}_upper")
        middle = 0.5 * lower + 0.5 * upper
        half = np.maximum(upper - middle, middle - lower)
        return middle, np.where(upper > lower, np.nextafter(half, np.inf), half)

    @property
    def bodies(self) -> tuple[Array, Array]:
        """Middle and half-width of all bodies' phi, the payload last, shape (n + 1, 10)."""
        links, payload = self.interval("links"), self.interval("payload")
        return np.vstack([links[0], payload[0]]), np.vstack([links[1], payload[1]])

    @property
    def digest(self) -> str:
        """Hash of all bounds, as certificates on disk have it; equal digests mean equal boxes."""
        parts = [np.asarray(getattr(self, entry.name)).tobytes() for entry in fields(self)]
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def contains(self, other: ParameterBox) -> bool:
        """Tell whether all that another box allows is within this one."""
        return all(
            (getattr(self, f"{name}_lower") <= getattr(other, f"{name}_lower")).all()
            and (getattr(self, f"{name}_upper") >= getattr(other, f"{name}_upper")).all()
            for name in INTERVALS
        ) and (
            self.stiction_velocity >= other.stiction_velocity
            and self.gravity_error >= other.gravity_error
        )

    def with_payload(self, lower: Array, upper: Array) -> Self:
        """Return the box with another interval of the payload, shape (10,) each."""
        return replace(self, payload_lower=lower, payload_upper=upper)

    @classmethod
    def around(
        cls,
        model: ArmModel,
        payload: tuple[Array, Array],
        uncertainty: Uncertainty,
        rotor_inertia: tuple[Array, Array] | None = None,
    ) -> Self:
        """Return the box of a payload and of what is assumed, or calibrated, of the arm.

        Args:
            model: The arm; its calibration narrows the links' and joints' intervals.
            payload: Lower and upper bounds of phi about the payload frame, shape (10,) each;
                infinite ones are replaced by the prior's.
            uncertainty: Bounds on links, friction, rotors and tool.
            rotor_inertia: Lower and upper bounds, shape (n,) each, where more is known than that
                they are at most `uncertainty.rotor_inertia` [kg m2 or kg].

        Raises:
            InputError: An interval is inverted or NaN, or of another arm.
            ModelError: The description's masses or inertias cannot serve.
        """
        model.check_inertias(uncertainty.link_relative)
        psi, tightened = known_of(model, uncertainty)
        tool = tightened.tool or np.zeros(10)
        lower, upper = (np.asarray(end, dtype=float) for end in payload)
        prior = uncertainty.prior.box()
        lower = np.where(np.isneginf(lower), prior[0], lower) - tool
        upper = np.where(np.isposinf(upper), prior[1], upper) + tool
        play = _play(lower, upper, *model.payload_play)
        n = model.n
        rotor = _group(psi, "rotor_inertia", n) if rotor_inertia is None else rotor_inertia
        coulomb, viscous = (_group(psi, f"friction_{x}", n) for x in ("coulomb", "viscous"))
        coulomb = coulomb[0], coulomb[1] + uncertainty.per_joint("friction_stribeck", n)
        centre, half = (x[: 10 * n].reshape(n, 10) for x in (psi.centre, psi.half_width))
        return cls(
            lower - play,
            upper + play,
            *_ends(centre, half),
            *rotor,
            *coulomb,
            *viscous,
            stiction_velocity=uncertainty.stiction_velocity,
            gravity_error=uncertainty.gravity_error,
        )


def _play(lower: Array, upper: Array, turn: float, shift: float) -> Array:
    """Return by how much phi of a body in a box changes with its frame, shape (10,).

    With p -> R p + t, |R - 1| <= a and |t| <= d:  |dh| <= a |h| + m d  and, in the spectral norm,
    |dI| <= 2 a |I| + 2 d |h| + m d^2.

    Args:
        lower: Least phi, shape (10,).
        upper: Largest phi, shape (10,).
        turn: a [rad].
        shift: d [m].
    """
    largest = np.maximum(np.abs(lower), np.abs(upper))
    m, h = float(largest[0]), float(np.linalg.norm(largest[1:4]))
    inertia = float(np.sqrt(np.array([1, 2, 2, 1, 2, 1]) @ largest[4:] ** 2))
    first = turn * h + m * shift
    second = 2.0 * turn * inertia + 2.0 * shift * h + m * shift**2
    return np.array([0.0, *[first] * 3, *[second] * 6])


def _group(psi: Nuisance, name: str, n: int) -> tuple[Array, Array]:
    """Return the bounds of one group of joint parameters, shape (n,) each."""
    own = group_slice(name, n)
    lower, upper = _ends(psi.centre[own], psi.half_width[own])
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)


def _ends(centre: Array, half: Array) -> tuple[Array, Array]:
    """Return centre -+ half, rounded outwards where there is a width."""
    wide = half > 0
    lower, upper = centre - half, centre + half
    return (
        np.where(wide, np.nextafter(lower, -np.inf), lower),
        np.where(wide, np.nextafter(upper, np.inf), upper),
    )


def _check_order(name: str, lower: Array, upper: Array) -> None:
    """Raise where an interval is inverted."""
    wrong = np.argwhere(lower > upper)
    if not len(wrong):
        return
    index = tuple(int(i) for i in wrong[0])
    where = PARAMETERS[index[-1]] if name in ("payload", "links") else f"joint {index[-1] + 1}"
    if name == "links":
        where += f" of joint {index[0] + 1}"
    raise InputError(
        f"The box's interval of '{name}' ({where}) is inverted: its lower bound "
        f"{lower[index]:g} is above its upper bound {upper[index]:g}. Swap them, or identify again."
    )
