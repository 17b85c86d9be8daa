"""What a sampler does with joint states: convert, judge, count; it knows neither ROS nor a clock.

The samples are bit-equal to those that reading a recording of the same messages gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from .joint_map import JointMap
from .ring_buffer import SampleRows
from .sample_checks import Drop, SampleGate
from .stamps import GAP_STEPS, NANOSECONDS

# Efforts that are exactly zero for this long are not measured ones [s].
ZERO_EFFORT_TIME = 2.0
# Positions that move by more than this while every velocity is exactly zero [rad or m]: the driver
# does not measure velocity.
MOTION = 1e-2
STEPS = 200  # newest steps between samples that are kept for statistics


@dataclass(frozen=True)
class Complaint:
    """Why the last dropped message was dropped.

    Attributes:
        cause: The cause.
        sentence: What was found, what is expected, what to do.
    """

    cause: Drop
    sentence: str


class JointStateSampler:
    """Turns joint states into samples, in the order of their arrival.

    Attributes:
        received: Number of messages offered.
        accepted: Number of samples made of them.
        gaps: Number of pauses longer than `GAP_STEPS` typical steps.
        longest_gap: Longest pause between two samples [s].
        newest_ns: Stamp of the newest sample [ns]; None before the first.
        zero_effort_time: How long every effort has been exactly zero [s].
        velocity_missing: Whether every velocity is exactly zero although the joints move.
        complaint: About the newest message that was dropped; None if none was.
    """

    def __init__(self, joint_map: JointMap, rate: float) -> None:
        """Begin with nothing.

        Args:
            joint_map: Which joints, and what effort means.
            rate: Expected rate of messages [Hz], until it is measured.
        """
        self._map, self._gate = joint_map, SampleGate()
        self._rows: list[tuple[Array, Array, Array]] = []
        self._stamps: list[int] = []
        self._steps = np.full(STEPS, 1.0 / rate)
        self._typical = 1.0 / rate
        self._zero_since_ns: int | None = None
        self._still_at: Array | None = None
        self.received = self.accepted = self.gaps = 0
        self.longest_gap = self.zero_effort_time = 0.0
        self.newest_ns: int | None = None
        self.velocity_missing = False
        self.complaint: Complaint | None = None

    @property
    def dropped(self) -> dict[str, int]:
        """Number of messages that were not used, by cause, causes that occurred only."""
        return dict(self._gate.dropped)

    @property
    def step(self) -> float:
        """Typical time between two samples [s]."""
        return self._typical

    @property
    def jitter(self) -> float:
        """Standard deviation of the newest steps between samples [s]; NaN with too few."""
        count = min(STEPS, self.accepted - 1)
        return float(np.std(self._steps[:count])) if count > 1 else float("nan")

    def offer(
        self,
        stamp_ns: int,
        names: Sequence[str],
        position: ArrayLike,
        velocity: ArrayLike,
        effort: ArrayLike,
    ) -> Drop | None:
        """Take in one message; see `JointMap.convert` for the arguments.

        Returns:
            cause: Why it cannot be used, or None.
        """
        self.received += 1
        row = self._map.convert(names, position, velocity, effort)
        if isinstance(row, Drop):
            self._gate = self._gate.reject(row)
            lengths = tuple(np.size(x) for x in (position, velocity, effort))
            self.complaint = self._about_shape(row, names, lengths)
            return row
        self._gate, cause = self._gate.offer(stamp_ns, *row)
        if cause is None:
            self._accept(stamp_ns, row)
        else:
            self.complaint = Complaint(cause, self._about_values(cause, stamp_ns, row))
        return cause

    def unreadable(self) -> None:
        """Count bytes that are no joint state."""
        self.received += 1
        self._gate = self._gate.reject(Drop.WRONG_LENGTH)
        self.complaint = Complaint(
            Drop.WRONG_LENGTH, "A message could not be decoded as sensor_msgs/msg/JointState."
        )

    def take(self) -> SampleRows:
        """Return the samples since the last call."""
        stamps, rows = np.array(self._stamps, dtype=np.int64), self._rows
        self._stamps, self._rows = [], []
        n = len(self._map.joints)
        values = np.array(rows) if rows else np.zeros((0, 3, n))
        q, dq, tau = (np.ascontiguousarray(values[:, k]) for k in range(3))
        block = SampleRows(stamps, q, dq, tau, first=self.accepted - len(stamps))
        if len(block):
            self._typical = float(np.median(self._steps[: max(1, min(STEPS, self.accepted - 1))]))
            self._watch_effort(block)
            self._watch_velocity(block)
        return block

    def _accept(self, stamp_ns: int, row: tuple[Array, Array, Array]) -> None:
        """Keep one sample."""
        if self.newest_ns is not None:
            step = (stamp_ns - self.newest_ns) / NANOSECONDS
            if step > GAP_STEPS * self._typical:
                self.gaps += 1
                self.longest_gap = max(self.longest_gap, step)
            self._steps[(self.accepted - 1) % STEPS] = step
        self._stamps.append(stamp_ns)
        self._rows.append(row)
        self.newest_ns = stamp_ns
        self.accepted += 1

    def _watch_effort(self, block: SampleRows) -> None:
        """Measure how long the efforts have been exactly zero."""
        measured = np.flatnonzero(~self._map.effort_is_zero(block.tau))
        if len(measured):
            self._zero_since_ns, self.zero_effort_time = None, 0.0
        stamps = block.stamp_ns[measured[-1] + 1 :] if len(measured) else block.stamp_ns
        if not len(stamps):
            return
        if self._zero_since_ns is None:
            self._zero_since_ns = int(stamps[0])
        self.zero_effort_time = (int(stamps[-1]) - self._zero_since_ns) / NANOSECONDS

    def _watch_velocity(self, block: SampleRows) -> None:
        """Notice a driver that moves but reports no velocity."""
        if (block.dq != 0.0).any():
            self._still_at, self.velocity_missing = None, False
            return
        if self._still_at is None:
            self._still_at = block.q[0]
        turned = np.abs(np.angle(np.exp(1j * (block.q - self._still_at))))
        if turned.max() > MOTION:
            self.velocity_missing = True

    def _about_shape(
        self, cause: Drop, names: Sequence[str], lengths: tuple[int, ...]
    ) -> Complaint:
        """Explain a message whose names or lengths do not fit."""
        if cause is Drop.WRONG_LENGTH:
            return Complaint(
                cause,
                f"A message names {len(names)} joints but holds {lengths[0]} positions, "
                f"{lengths[1]} velocities and {lengths[2]} efforts; all must be as many. Look at "
                "the driver or broadcaster that publishes it.",
            )
        absent = [joint for joint in self._map.joints if joint not in names]
        found = f"lacks joint{'s' if len(absent) > 1 else ''} {', '.join(absent)}"
        if not absent:
            found = "names a joint more than once"
        return Complaint(
            cause,
            f"A message {found}; it names {', '.join(names) or 'no joints'}. One message must hold "
            "all joints of the robot file: correct 'joints' there, or subscribe to another topic.",
        )

    def _about_values(self, cause: Drop, stamp_ns: int, row: tuple[Array, Array, Array]) -> str:
        """Explain a message whose values or stamp cannot be used."""
        if cause is Drop.NOT_FINITE:
            names = ("position", "velocity", "effort")
            bad = [name for name, x in zip(names, row, strict=True) if not np.isfinite(x).all()]
            return (
                f"A message has no finite {' and '.join(bad)} (empty, NaN or infinite). Switch on "
                "that state interface of the driver."
            )
        behind = ((self.newest_ns or 0) - stamp_ns) / NANOSECONDS
        if cause is Drop.DUPLICATE:
            return (
                "A message has the same header.stamp as the one before. Check that only one node "
                "publishes the topic, and that it sets header.stamp."
            )
        return (
            f"A message is {behind:.6f} s older than the one before, by header.stamp. Check that "
            "only one node publishes the topic, and whether the clock or a replay was restarted; "
            "restart this node after that."
        )
