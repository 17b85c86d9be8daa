"""What is said of one window, once the payload is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..bounds.interval import MENTIONED, Interval


@dataclass(frozen=True, eq=False)
class Judgement:
    """Means over one window: what the payload does, and what nothing known explains.

    Attributes:
        start: Time at which the window begins [s].
        end: Time at which it ends [s].
        torque: Torques with which the joints carry and move the payload, by the point estimate,
            shape (n,) [N m or N]: means over the window, as all below, towards whose ends the data
            may count less.
        torque_range: Bounds on them, shape (n,) each.
        wrench: Wrench with which the arm does, in the payload frame about its origin, force then
            torque, by the point estimate, shape (6,) [N, N m].
        wrench_range: Bounds on it, shape (6,) each.
        external: Bounds on the external torques, shape (n,) each [N m or N].
        share: How much each joint says for something external, shape (n,), largest 1; zeros if
            that is not certain.
        least_torque: The largest mean external torque is at least this [N m or N]; 0 if nothing
            is certain.
        least_force: If it is one force on the payload, its mean size is at least this [N]; 0 if
            nothing is certain.
    """

    start: float
    end: float
    torque: Array
    torque_range: Interval
    wrench: Array
    wrench_range: Interval
    external: Interval
    share: Array
    least_torque: float
    least_force: float

    @property
    def certain(self) -> bool:
        """Whether it is certain that something external was there."""
        return bool(self.share.any())

    def telling(self, joints: Sequence[str]) -> tuple[str, ...]:
        """Return the joints that contradict, the most telling first."""
        order = np.argsort(-self.share, kind="stable")
        return tuple(joints[j] for j in order if self.share[j] >= MENTIONED)

    def sentence(self, joints: Sequence[str]) -> str:
        """Say what was found."""
        if not self.certain:
            return "Arm and payload alone can have caused the torques."
        return (
            f"Something external is certain ({', '.join(self.telling(joints))}): a contact, or "
            f"another payload, of at least {self.least_torque:.3g} N m at some joint; as one force "
            f"on the payload at least {self.least_force:.3g} N."
        )
