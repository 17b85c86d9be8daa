"""What data a result was made of: rate, gaps, samples left out, motion and noise of each joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.samples.wrench_samples import AXES
from .kept_run import KeptRun

DEGREES = 180.0 / np.pi
# Third differences of independent noise have a variance of 1 + 9 + 9 + 1 times its own; of a
# motion that is smooth against the sampling step they hold next to nothing.
THIRD = 20.0


@dataclass(frozen=True)
class Channel:
    """One joint, or one axis of a force-torque sensor.

    Attributes:
        name: Its name.
        unit: Of torque, noise and bound.
        largest: Largest torque or force.
        noise: Root mean square of what changes from sample to sample.
        bound: What is stated of a sample's error, at the mean size of the torque or force.
        low: Least position [deg or mm]; NaN for an axis.
        high: Largest position [deg or mm].
        speed: Largest speed [deg/s or mm/s].
        way: Unit of positions: "°" or "mm"; empty for an axis.
    """

    name: str
    unit: str
    largest: float
    noise: float
    bound: float
    low: float = float("nan")
    high: float = float("nan")
    speed: float = float("nan")
    way: str = ""

    @property
    def part(self) -> float:
        """The noise as a part of the stated bound; NaN where none is stated."""
        return self.noise / self.bound if self.bound > 0.0 else float("nan")


def channels_of(run: KeptRun) -> tuple[Channel, ...]:
    """Return motion and noise, channel by channel; none with fewer than four samples."""
    if len(run.recording) < 4:
        return ()
    stated = run.uncertainty
    if isinstance(stated, WrenchUncertainty):
        return _axes(run.recording.wrench, stated)  # type: ignore[union-attr]
    return _joints(run, stated)


def noise(values: Array) -> Array:
    """Return the root mean square of independent noise in samples of shape (N, n), shape (n,)."""
    return np.asarray(np.sqrt((np.diff(values, 3, axis=0) ** 2).mean(axis=0) / THIRD))


def _joints(run: KeptRun, stated: Uncertainty) -> tuple[Channel, ...]:
    """Return the joints of an arm."""
    recording = run.recording
    turns = run.revolute
    q, dq, tau = recording.q, recording.dq, recording.tau  # type: ignore[union-attr]
    n, found = tau.shape[1], noise(tau)
    mean = np.abs(tau).mean(axis=0)
    bound = (
        stated.per_joint("torque_relative", n) * mean
        + stated.per_joint("torque_absolute", n)
        + stated.per_joint("torque_sigma", n)
    )
    factor = np.where(turns, DEGREES, 1e3)
    return tuple(
        Channel(
            name, "N m" if turns[j] else "N", float(np.abs(tau[:, j]).max()), float(found[j]),
            float(bound[j]), float(factor[j] * q[:, j].min()), float(factor[j] * q[:, j].max()),
            float(factor[j] * np.abs(dq[:, j]).max()), "°" if turns[j] else "mm",
        )
        for j, name in enumerate(run.file.joints)
    )  # fmt: skip


def _axes(wrench: Array, stated: WrenchUncertainty) -> tuple[Channel, ...]:
    """Return the axes of a force-torque sensor."""
    found, size = noise(wrench), np.abs(wrench)
    bound = stated.six("error") + stated.six("sigma")
    units = ("N", "N", "N", "N m", "N m", "N m")
    return tuple(
        Channel(name, units[k], float(size[:, k].max()), float(found[k]), float(bound[k]))
        for k, name in enumerate(AXES)
    )
