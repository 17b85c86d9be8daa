"""Whether joints that the arm does not move are where its certificates have them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...core.arrays import Array
from ...files.robots.passive_joints import PassivePlace


class PassiveJointWatch:
    """Holds what joint states say of passive joints against their places; it knows no ROS.

    Times that it is told [s] never jump. A joint that follows another one need not be reported;
    where it is, it is watched as well.

    Attributes:
        joints: Those that are watched.
        silence: Age of a position at which it counts as not heard [s].
    """

    def __init__(self, joints: Sequence[PassivePlace], silence: float) -> None:
        """Have heard nothing yet.

        Args:
            joints: Passive joints whose places are known.
            silence: Age of a position at which it counts as not heard [s].
        """
        self.joints = tuple(joint for joint in joints if not joint.unreported)
        self.silence = silence
        self._named = {joint.name: joint for joint in self.joints}
        self._heard: dict[str, tuple[float, float]] = {}  # position and when, by name
        self._off = ""  # the first that was off its place since the last look

    def see(self, names: Sequence[str], positions: Array, now: float) -> None:
        """Take in a message, whatever joints it names; a position that is not finite is none."""
        if not self.joints or len(positions) != len(names):
            return
        for name, position in zip(names, positions, strict=True):
            if name in self._named and math.isfinite(position):
                self._heard[name] = (float(position), now)
                self._off = self._off or _off(self._named[name], float(position))

    def doubt(self, now: float) -> str:
        """Say which joint is off its place, or is not heard, by what is known now.

        Returns:
            sentence: Without what to do; empty if all stand where they should.
        """
        for joint in self.joints:
            if joint.name in self._heard and (off := _off(joint, self._heard[joint.name][0])):
                return off
        return next((x for joint in self.joints if (x := self._unheard(joint, now))), "")

    def look(self, now: float) -> str:
        """Say the same of every message since the last look."""
        off, self._off = self._off, ""
        return off or self.doubt(now)

    def _unheard(self, joint: PassivePlace, now: float) -> str:
        """Say that a joint is not heard; empty if it is, or if it follows one that is."""
        _, when = self._heard.get(joint.name, (0.0, -math.inf))
        if joint.follows or now - when <= self.silence:
            return ""
        heard = "was never heard"
        if joint.name in self._heard:
            heard = f"was last heard {now - when:.2f} s ago"
        return (
            f"{joint.name}, on whose place the certificates rest, {heard} in the joint states; at "
            f"most {self.silence:g} s are allowed (passive_joints_watch)"
        )


def _off(joint: PassivePlace, position: float) -> str:
    """Say that a position is not that of the certificates; empty if it is."""
    if abs(off_place(joint, position)) <= joint.within:
        return ""
    return (
        f"{joint.name} is at {position:.4g} {joint.unit}; the certificates hold for "
        f"{joint.place:.4g} {joint.unit} to within {joint.within:.2g} {joint.unit} (passive_joints)"
    )


def off_place(joint: PassivePlace, position: float) -> float:
    """Return how far a position is off a joint's place, whole turns of an endless one left out."""
    off = position - joint.place
    return off - 2.0 * np.pi * round(off / (2.0 * np.pi)) if joint.endless else off
