"""Frames and their transforms, as /tf and /tf_static tell them; it knows no ROS.

A transform on /tf_static holds always. One on /tf holds near its stamp: between two of them motion
is taken as a screw, and elsewhere the nearest counts, if it is not more than `AGE` away.
Written here because tf2's own buffer (tf2_ros) cannot be installed from PyPI.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np
import pinocchio as pin

from ....core.arrays import Array
from ....core.errors import InputError, UnknownNameError

AGE = 0.1  # [s] between a stamp and the nearest transform of a frame that moves
MEMORY = 10.0  # [s] of transforms of frames that move

Frames = Mapping[str, tuple[Array, Array]]
_Entry = tuple[int, str, pin.SE3]  # stamp [ns], parent, pose in the parent


class FrameTree:
    """What is known of frames; each has one parent at a time."""

    def __init__(self) -> None:
        """Know nothing."""
        self._still: dict[str, tuple[str, pin.SE3]] = {}
        self._moving: dict[str, list[_Entry]] = {}

    def take(
        self, frame: str, parent: str, pose: tuple[Array, Array], stamp_ns: int, still: bool
    ) -> None:
        """Take in a transform.

        Args:
            frame: The child.
            parent: In which its pose is given.
            pose: Axes (3, 3) and origin (3,) [m] of the child in the parent.
            stamp_ns: When it holds [ns].
            still: Whether it always holds.
        """
        placement = pin.SE3(*pose)
        if still:
            self._still[frame] = (parent, placement)
            return
        entries = self._moving.setdefault(frame, [])
        insort(entries, (stamp_ns, parent, placement), key=lambda entry: entry[0])
        while entries[-1][0] - entries[0][0] > MEMORY * 1e9:
            entries.pop(0)

    def pose(self, frame: str, fixed: Frames, stamp_ns: int, where: str) -> tuple[Array, Array]:
        """Return axes (3, 3) and origin (3,) [m] of a frame in the base frame.

        Args:
            frame: Its name.
            fixed: Poses of links that do not move, the base first.
            stamp_ns: When [ns]; 0: always, which frames that move do not allow.
            where: Whose frame it is, for errors.

        Raises:
            InputError: It is not connected with the base, or was not at that time.
        """
        base, above = next(iter(fixed)), dict[str, pin.SE3]()
        reasons: list[str] = []
        for ancestor, pose in self._upwards(frame, stamp_ns, reasons):
            if ancestor in fixed:
                found = pin.SE3(*fixed[ancestor]) * pose
                return np.array(found.rotation), np.array(found.translation)
            above[ancestor] = pose
        for ancestor, pose in self._upwards(base, stamp_ns, reasons):
            if ancestor in above:
                found = pose.actInv(above[ancestor])
                return np.array(found.rotation), np.array(found.translation)
        if reasons:
            raise InputError(f"The {where} cannot be placed: {reasons[0]}")
        parents = {parent for parent, _ in self._still.values()}
        parents |= {parent for _, parent, _ in chain.from_iterable(self._moving.values())}
        known = {*fixed, *self._still, *self._moving, *parents}
        if frame not in known:
            raise UnknownNameError("frame", frame, sorted(known), where)
        raise InputError(
            f"The {where} cannot be placed: no transforms on /tf or /tf_static lead from its frame "
            f"'{frame}' to '{base}'. Publish them, or give the pose in '{base}'."
        )

    def _upwards(
        self, frame: str, stamp_ns: int, reasons: list[str]
    ) -> Iterator[tuple[str, pin.SE3]]:
        """Yield a frame's ancestors, itself first, with its pose in each; note why they end."""
        pose, passed = pin.SE3.Identity(), set[str]()
        while frame not in passed:
            passed.add(frame)
            yield frame, pose
            if frame in self._still:
                parent, step = self._still[frame]
            elif frame in self._moving:
                at = self._at(frame, stamp_ns)
                if isinstance(at, str):
                    reasons.append(at)
                    return
                parent, step = at
            else:
                return
            frame, pose = parent, step * pose

    def _at(self, frame: str, stamp_ns: int) -> tuple[str, pin.SE3] | str:
        """Return parent and pose of a frame that moves at a time, or why they are not known."""
        if stamp_ns == 0:
            return f"the frame '{frame}' moves, and there is no stamp; set it to when it was seen."
        entries = self._moving[frame]
        nearest = min(entries, key=lambda entry: abs(entry[0] - stamp_ns))
        off = abs(nearest[0] - stamp_ns) * 1e-9
        if off > AGE:
            return (
                f"the frame '{frame}' moves, and the transform on /tf nearest to the stamp is "
                f"{off:.3g} s away, at most {AGE:g} s are allowed. Check clocks and broadcaster."
            )
        before = max((x for x in entries if x[0] <= stamp_ns), key=_stamp, default=nearest)
        after = min((x for x in entries if x[0] >= stamp_ns), key=_stamp, default=nearest)
        span = after[0] - before[0]
        if span == 0 or before[1] != after[1]:
            return nearest[1], nearest[2]
        part = (stamp_ns - before[0]) / span
        return before[1], pin.SE3.Interpolate(before[2], after[2], part)


def _stamp(entry: _Entry) -> int:
    return entry[0]
