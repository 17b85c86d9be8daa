"""Kinematics of a delta mechanism with three RUU legs: h(theta), its inverse, its Jacobian.

Leg i stands at the angle a_i around the z axis of the base. With u_i = (cos a_i, sin a_i, 0) its
knee is at  k_i = (R_base + L_lower cos theta_i) u_i + L_lower sin theta_i z, and the upper leg ends
at p + R_platform u_i, p the platform's position. With e_i = k_i - R_platform u_i the loops close as

    |p - e_i(theta_i)| = L_upper,  i = 1..3.

Positions are those in the frame whose plane z = 0 contains the actuated joints. theta_i = 0: the
lower leg points outwards; positive angles lift it. The platform is above the knees.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from ..arrays import Array, BoolArray, one_number, real_numbers
from ..errors import InputError

Z = np.array([0.0, 0.0, 1.0])
FLAT = (
    1e-3  # sine of an angle below which legs count as aligned: forces would be 1000 times torques
)


class ReachError(InputError):
    """The mechanism has no such configuration, or one in which force and torque say nothing."""


@dataclass(frozen=True)
class Delta:
    """Geometry of a delta mechanism.

    Attributes:
        base_radius: R_base, of the circle of the actuated joints [m].
        lower_leg: L_lower [m].
        upper_leg: L_upper [m].
        platform_radius: R_platform, of the circle of the upper legs' ends [m].
        leg_angles: a_i, three angles around z [rad].
    """

    base_radius: float = 0.180
    lower_leg: float = 0.200
    upper_leg: float = 0.368
    platform_radius: float = 0.062
    leg_angles: tuple[float, float, float] = (0.0, 2 * np.pi / 3, 4 * np.pi / 3)

    def __post_init__(self) -> None:
        for entry in fields(self)[:4]:
            value = one_number(getattr(self, entry.name), entry.name)
            if not 0.0 < value < np.inf:
                raise InputError(f"{entry.name} must be a finite length above 0 m; found {value}.")
        angles = real_numbers(self.leg_angles, "leg_angles")
        if angles.shape != (3,) or not np.isfinite(angles).all():
            raise InputError(f"leg_angles must be three angles [rad]; found {self.leg_angles!r}.")
        if np.min(np.abs(np.sin((angles - np.roll(angles, 1)) / 2))) < FLAT:
            raise InputError(f"Two of the legs stand at the same angle: leg_angles {angles}.")
        object.__setattr__(self, "leg_angles", tuple(float(x) for x in angles))

    @cached_property
    def outward(self) -> Array:
        """u_i, one row for each leg, shape (3, 3) [-]."""
        angles = np.array(self.leg_angles)
        return np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], axis=1)

    def knees(self, theta: Array) -> Array:
        """Return k_i, shape (..., 3 legs, 3) [m]; theta: shape (..., 3) [rad]."""
        out = self.base_radius + self.lower_leg * np.cos(theta)
        return out[..., None] * self.outward + (self.lower_leg * np.sin(theta))[..., None] * Z

    def knee_slopes(self, theta: Array) -> Array:
        """Return k_i' = dk_i / dtheta_i, shape (..., 3, 3) [m]; theta: shape (..., 3) [rad]."""
        along = -self.lower_leg * np.sin(theta)
        return along[..., None] * self.outward + (self.lower_leg * np.cos(theta))[..., None] * Z

    def forward(self, theta: Array) -> Array:
        """Return p = h(theta) above the knees, shape (..., 3) [m].

        Args:
            theta: Joint angles, shape (..., 3) [rad].

        Raises:
            ReachError: The loops do not close for some of the angles.
        """
        p = self._meeting(theta)
        if not np.isfinite(p).all():
            bad = np.asarray(theta, dtype=float)[~np.isfinite(p).all(axis=-1)].reshape(-1, 3)
            raise ReachError(
                f"The legs do not meet for theta = {bad[0].tolist()} rad: check the order, unit "
                "and zeros of the joint angles."
            )
        return p

    def usable(self, theta: Array) -> BoolArray:
        """Tell for which angles the loops close and torques tell the force, shape (...)."""
        p = self._meeting(theta)
        safe = np.where(np.isfinite(p), p, self.upper_leg * Z)
        return np.asarray(np.isfinite(p).all(axis=-1) & ~self._singular(*self._slopes(theta, safe)))

    def _meeting(self, theta: Array) -> Array:
        """Return p, NaN where the legs do not meet, shape (..., 3) [m].

        Three spheres of radius L_upper around e_i meet in two points, on either side of the plane
        through their centres; the upper one counts.
        """
        e = self.knees(np.asarray(theta, dtype=float)) - self.platform_radius * self.outward
        a, b = e[..., 1, :] - e[..., 0, :], e[..., 2, :] - e[..., 0, :]
        normal = np.cross(a, b)
        n2, aa, bb = (np.sum(x**2, axis=-1, keepdims=True) for x in (normal, a, b))
        n2 = np.where(n2 > 0, n2, np.nan)
        # Centre of the circle through the three centres, seen from the first one.
        centre = (aa * np.cross(b, normal) + bb * np.cross(normal, a)) / (2 * n2)
        height2 = self.upper_leg**2 - np.sum(centre**2, axis=-1, keepdims=True)
        up = np.where(normal[..., 2:] >= 0, 1.0, -1.0)
        above = np.sqrt(np.where(height2 > 0, height2, np.nan) / n2)
        return np.asarray(e[..., 0, :] + centre + up * above * normal)

    def inverse(self, p: Array) -> Array:
        """Return theta with h(theta) = p, knees outwards, shape (..., 3) [rad].

        In the plane of leg i the closure is  x cos theta + z sin theta = k.

        Args:
            p: Platform positions, shape (..., 3) [m].

        Raises:
            ReachError: Some position is out of reach.
        """
        p = np.asarray(p, dtype=float)
        x = p @ self.outward.T - (self.base_radius - self.platform_radius)
        across = np.stack([-self.outward[:, 1], self.outward[:, 0]], axis=1)
        y, z = p[..., :2] @ across.T, p[..., 2:]
        square = x**2 + y**2 + z**2
        k = (square + self.lower_leg**2 - self.upper_leg**2) / (2 * self.lower_leg)
        reach = np.hypot(x, z)
        if not (np.abs(k) < reach).all():
            found = p[~(np.abs(k) < reach).all(axis=-1)].reshape(-1, 3)[0]
            raise ReachError(
                f"The platform position {found.tolist()} m is out of the mechanism's reach."
            )
        return np.asarray(np.arctan2(np.broadcast_to(z, x.shape), x) - np.arccos(k / reach))

    def legs(self, theta: Array, p: Array) -> Array:
        """Return s_i = p - e_i, from the knees to the platform, shape (..., 3 legs, 3) [m]."""
        return np.asarray(p)[..., None, :] - self.knees(theta) + self.platform_radius * self.outward

    def jacobian(self, theta: Array) -> Array:
        """Return dh/dtheta, shape (..., 3, 3) [m/rad].

        The closure's derivative is  s_i . dp = (s_i . k_i') dtheta_i,  so  dh/dtheta = S^-1 D.

        Raises:
            ReachError: The legs do not meet, or lie in one plane.
        """
        s, d = self._closure_slopes(theta)
        return np.asarray(np.linalg.solve(s, d[..., None] * np.eye(3)))

    def force(self, theta: Array, tau: Array) -> Array:
        """Return f = (dh/dtheta)^-T tau = S^T D^-1 tau, shape (..., 3) [N].

        The force that the platform exerts on what it carries, in the base's axes, where torques tau
        act on the actuated joints and the mechanism itself weighs nothing [ZLEFL, Sec. IV-B].

        Args:
            theta: Joint angles, shape (..., 3) [rad].
            tau: Torques on the lower legs, shape (..., 3) [N m].

        Raises:
            ReachError: The legs do not meet, or a leg is stretched: torque carries no force there.
        """
        s, d = self._closure_slopes(theta)
        return np.asarray(np.einsum("...ij,...i->...j", s, np.asarray(tau) / d))

    def acceleration(self, theta: Array, dtheta: Array, ddtheta: Array) -> Array:
        """Return the platform's acceleration, shape (..., 3) [m/s2].

        The closure twice derived:  s_i . (p'' - e_i'') + |p' - e_i'|^2 = 0.

        Args:
            theta: Joint angles, shape (..., 3) [rad].
            dtheta: Their velocities [rad/s].
            ddtheta: Their accelerations [rad/s2].
        """
        s, d = self._closure_slopes(theta)
        dp = np.einsum("...ij,...j->...i", np.linalg.solve(s, d[..., None] * np.eye(3)), dtheta)
        slope = self.knee_slopes(theta)
        relative = dp[..., None, :] - slope * np.asarray(dtheta)[..., None]
        turned = self.knee_accelerations(theta, dtheta, ddtheta)
        right = np.sum(s * turned, axis=-1) - np.sum(relative**2, axis=-1)
        return np.asarray(np.linalg.solve(s, right[..., None])[..., 0])

    def knee_accelerations(self, theta: Array, dtheta: Array, ddtheta: Array) -> Array:
        """Return the accelerations of the knees, shape (..., 3 legs, 3) [m/s2]."""
        towards = self.knees(theta) - self.base_radius * self.outward
        return np.asarray(
            self.knee_slopes(theta) * np.asarray(ddtheta)[..., None]
            - towards * (np.asarray(dtheta) ** 2)[..., None]
        )

    def _closure_slopes(self, theta: Array) -> tuple[Array, Array]:
        """Return S, rows s_i, and d_i = s_i . k_i', after a check that neither is singular."""
        theta = np.asarray(theta, dtype=float)
        s, d = self._slopes(theta, self.forward(theta))
        singular = self._singular(s, d)
        if singular.any():
            raise ReachError(
                f"A leg is stretched, or the legs lie in one plane, at {int(np.sum(singular))} "
                "samples: torques say nothing of the force there. Move the platform back."
            )
        return s, d

    def _slopes(self, theta: Array, p: Array) -> tuple[Array, Array]:
        """Return S, rows s_i, and d_i = s_i . k_i'."""
        s = self.legs(theta, p)
        return s, np.sum(s * self.knee_slopes(theta), axis=-1)

    def _singular(self, s: Array, d: Array) -> Array:
        """Tell where S or D is singular, or nearly so."""
        volume = np.abs(np.linalg.det(s)) / self.upper_leg**3
        return (volume < FLAT) | (np.abs(d).min(-1) < FLAT * self.lower_leg * self.upper_leg)
