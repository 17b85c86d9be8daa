r"""Nuisance parameters of a force-torque sensor: uncertain, constant in a run, and linear.

The sensor shows  r = (1 + g) T + bias + drift (t - t0) + e,  T the true wrench, t0 the zero of the
stamps, so that with 1/(1 + g) = 1 + g'

    T = r + g' r - bias' - drift' (t - t0) - (1 + g') e

A delay tau of the wrench adds tau dT/dt, whose integral over a window is tau (T(t2) - T(t1)), told
by the readings at both ends. A tilt of the world by small angles d_i about two horizontal axes e_i
changes gravity by d_i e_i x g: the wrench by d_i times a known matrix times (m, h). The eight
products d_i m and d_i h_j are parameters of their own; that only widens. Their boxes follow from
the payload's prior, and what is of second order in d_i stands in the coefficients' errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...body.inertial import skew
from ...samples.wrench_samples import AXES, WrenchSamples
from .feature_error import random_part
from .uncertainty import WrenchUncertainty

_EYE = np.eye(6)
TILTED = ("m", "hx", "hy", "hz")


@dataclass(frozen=True)
class WrenchNuisance:
    """Which nuisance parameters there are, and half the widths of their boxes about zero.

    Attributes:
        uncertainty: What they follow from.
        names: Name of each candidate, such as "bias.fx".
        half_width: Of each candidate's box.
        uncertain: Which candidates have a width; those are the p nuisance parameters.
        gain: How many times the reading, bias apart, the wrench can be, shape (6,).
    """

    uncertainty: WrenchUncertainty
    names: tuple[str, ...]
    half_width: Array
    uncertain: np.ndarray[tuple[int], np.dtype[np.bool_]]
    gain: Array

    @classmethod
    def of(cls, uncertainty: WrenchUncertainty) -> WrenchNuisance:
        """Return the nuisance parameters that an uncertainty gives."""
        G = _largest_gain(uncertainty)
        names, widths = [], []
        for kind, width in (
            ("bias", G * uncertainty.six("bias")),
            ("drift", G * uncertainty.six("drift")),
            ("gain", G - 1.0),
        ):
            names += [f"{kind}.{axis}" for axis in AXES]
            widths.append(width)
        names.append("time_offset")
        widths.append(np.array([uncertainty.time_error]))
        moments = uncertainty.prior.box()[1][:4]
        names += [f"tilt_{i}.{name}" for i in (1, 2) for name in TILTED]
        widths += [uncertainty.gravity_error * moments] * 2
        half_width = np.concatenate(widths)
        return cls(uncertainty, tuple(names), half_width, half_width > 0, G)

    @property
    def p(self) -> int:
        """Number of nuisance parameters."""
        return int(self.uncertain.sum())

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the p nuisance parameters, in the order of the columns."""
        return tuple(n for n, keep in zip(self.names, self.uncertain, strict=True) if keep)

    def values(self, u: Array) -> dict[str, float]:
        """Return the nuisance parameters by name for coordinates u in the unit box, shape (p,)."""
        sizes = self.half_width[self.uncertain] * u
        return dict(zip(self.chosen, sizes.tolist(), strict=True))

    def columns(
        self, samples: WrenchSamples, weight: Array, reading: Array, duration: float
    ) -> tuple[Array, Array]:
        """Return the columns B, shape (6, p), and what they leave out, shape (6,).

        Args:
            samples: Of one window.
            weight: Of each sample in the integral, shape (N,) [s].
            reading: Integral of the wrench that the sensor shows, shape (6,).
            duration: Sum of the weights [s].
        """
        change = samples.wrench[-1] - samples.wrench[0]
        parts: list[tuple[int, int, Callable[[], Array]]] = [
            (0, 6, lambda: duration * _EYE),
            (6, 12, lambda: float(weight @ samples.stamp) * _EYE),
            (12, 18, lambda: -np.diag(reading)),
            (18, 19, lambda: -change[:, None]),
            (19, 27, lambda: _tilt_columns(samples, weight)),
        ]
        columns = []
        for first, end, make in parts:
            keep = self.uncertain[first:end]
            if keep.any():
                columns.append((make() * self.half_width[first:end])[:, keep])
        B = np.concatenate(columns, axis=1) if columns else np.zeros((6, 0))
        return B, self._change_error(samples, change, duration)

    @cached_property
    def growth(self) -> Array:
        """How the error of each axis grows with the p parameters, shape (6, p)."""
        growth = np.zeros((6, len(self.half_width)))
        growth[:, 12:18] = np.diag(self.half_width[12:18])
        return growth[:, self.uncertain]

    def reading_error(self, samples: WrenchSamples, weight: Array, duration: float) -> Array:
        """Return the bound on the error of the integrated reading, shape (6,)."""
        known = duration * self.uncertainty.six("error")
        random = random_part(self.uncertainty, samples, weight) * self.uncertainty.six("sigma")
        return self.gain * (known + random)

    def _change_error(self, samples: WrenchSamples, change: Array, duration: float) -> Array:
        """Return by how much tau (T(t2) - T(t1)) may differ from tau times the readings' change."""
        uncertainty = self.uncertainty
        if uncertainty.time_error == 0.0:
            return np.zeros(6)
        G = self.gain
        noise = 2.0 * uncertainty.six("error")
        noise += np.sqrt(2.0) * uncertainty.sigma_factor * uncertainty.six("sigma")
        drift = uncertainty.six("drift") * duration
        return uncertainty.time_error * (G * (noise + drift) + (G - 1.0) * np.abs(change))


def _largest_gain(uncertainty: WrenchUncertainty) -> Array:
    """Return how many times the reading, bias apart, the wrench can be, shape (6,)."""
    return 1.0 / (1.0 - uncertainty.six("gain"))


def _tilt_columns(samples: WrenchSamples, weight: Array) -> Array:
    """Return the columns of d_i m and d_i h_j, shape (6, 8)."""
    g = np.asarray(samples.gravity)
    size = np.linalg.norm(g)
    least = np.eye(3)[np.argmin(np.abs(g))]
    first = np.cross(g, least) / np.linalg.norm(np.cross(g, least))
    columns = np.zeros((6, 8))
    turn = np.tensordot(weight, samples.rotation, axes=1).T  # integral of R'
    for i, axis in enumerate((first, np.cross(g / size, first))):
        q = -turn @ np.cross(axis, g)  # change of the integral of a_p
        columns[:3, 4 * i] = q
        columns[3:, 4 * i + 1 : 4 * i + 4] = -skew(q)
    return columns
