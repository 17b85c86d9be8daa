"""What an effect is that adds to the torque which a drive's sensor or current shows."""

from __future__ import annotations

from typing import Protocol

from typing_extensions import Self

from ...arrays import Array
from .joint_history import JointHistory


class DriveEffect(Protocol):
    """One cause of torque besides links and payload; it holds what it remembers."""

    def through(self, history: JointHistory) -> tuple[Array, Self]:
        """Return its torque at all instants, shape (N, n) [N m], and it as they leave it."""
        ...
