"""What a sampler does with joint states: convert, judge, count; it knows neither ROS nor a clock.

The samples are bit-equal to those that reading a recording of the same messages gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import printable, shortened
from .joint_map import JointMap
from .sample_checks import AGREEING, LARGEST, Drop, StreamGate
from .sample_rows import SampleRows
from .stamps import seconds_since
from .watches import EffortWatch, PaceWatch

# Stamp [ns], names, positions, velocities and efforts: the arguments of `JointStateSampler.offer`.
Message = tuple[int, Sequence[str], ArrayLike, ArrayLike, ArrayLike]
# Efforts that are exactly zero for this long are not measured ones [s].
ZERO_EFFORT_TIME = 2.0
MOST_NAMES = 30  # of a message's joints that a sentence lists


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
        pace: Steps between samples, and gaps.
        complaint: About the newest message that was dropped; None if none was.
    """

    def __init__(self, joint_map: JointMap, rate: float) -> None:
        """Begin with nothing.

        Args:
            joint_map: Which joints, and what effort means.
            rate: Expected rate of messages [Hz], until it is measured.
        """
        self._map, self._gate = joint_map, StreamGate()
        self._rows: list[Array | tuple[Array, Array, Array]] = []
        self._stamps: list[int] = []
        self._efforts = EffortWatch()
        self.pace = PaceWatch(rate)
        self.received = self.accepted = 0
        self.complaint: Complaint | None = None

    @property
    def dropped(self) -> dict[str, int]:
        """Number of messages that were not used, by cause, causes that occurred only."""
        return dict(self._gate.samples.dropped)

    @property
    def zero_effort_time(self) -> float:
        """How long every effort has been exactly zero [s]."""
        return self._efforts.seconds

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
        before = self._gate.clock
        self._gate, cause = self._gate.offer(stamp_ns, *row)
        if self._gate.clock.times != before.times:  # the clock was set back
            self._efforts = EffortWatch()
            self.pace.newest_ns = None
        if cause is None:
            self._stamps.append(stamp_ns)
            self._rows.append(row)
            self.pace.see(stamp_ns)
            self.accepted += 1
        elif cause is Drop.STAMP_LEAP:
            self.complaint = Complaint(cause, _about_leap(stamp_ns, before.newest_ns or stamp_ns))
        else:
            self.complaint = Complaint(cause, self._about_values(cause, stamp_ns, row))
        return cause

    def offer_all(self, messages: Sequence[Message]) -> None:
        """Take in messages as `offer` does one after the other; where nothing is wrong, at once."""
        rows = self._usual(messages)
        if rows is None:
            for message in messages:
                self.offer(*message)
            return
        stamps = [int(message[0]) for message in messages]
        self._gate = self._gate.after(stamps[-1])
        self._stamps += stamps
        self._rows += list(rows)
        self.received += len(stamps)
        self.accepted += len(stamps)
        for stamp_ns in stamps:
            self.pace.see(stamp_ns)

    def _usual(self, messages: Sequence[Message]) -> Array | None:
        """Return messages as rows, shape (N, 3, n); None unless all of them can plainly be used."""
        if not messages or not self._gate.takes([message[0] for message in messages]):
            return None
        names = messages[0][1]
        if any(message[1] != names for message in messages):
            return None
        columns = self._map.columns(names)
        if columns is None or any(np.size(x) != len(names) for m in messages for x in m[2:]):
            return None
        rows = np.array([message[2:] for message in messages], dtype=float)[:, :, columns]
        rows[:, 2] = self._map.torque(rows[:, 2])
        return rows if (np.abs(rows) <= LARGEST).all() else None  # NaN is not

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
            self.pace.measure()
            zero = self._map.effort_is_zero(block.tau)
            self._efforts = self._efforts.with_samples(block.stamp_ns, zero)
        return block

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
            f"A message {found}; it names {_listed(names)}. One message must hold "
            "all joints of the robot file: correct 'joints' there, or subscribe to another topic.",
        )

    def _about_values(self, cause: Drop, stamp_ns: int, row: tuple[Array, Array, Array]) -> str:
        """Explain a message whose values or stamp cannot be used."""
        if cause is Drop.NOT_FINITE:
            names = ("position", "velocity", "effort")
            bad = [
                name for name, x in zip(names, row, strict=True) if not (np.abs(x) <= LARGEST).all()
            ]
            return (
                f"A message has no finite {' and '.join(bad)} (empty, NaN, infinite or beyond "
                f"{LARGEST:g}). Switch on that state interface of the driver."
            )
        behind = seconds_since(self.pace.newest_ns or 0, stamp_ns)
        if cause is Drop.DUPLICATE:
            return (
                "A message has the same header.stamp as the one before. Check that only one node "
                "publishes the topic, and that it sets header.stamp."
            )
        return (
            f"A message is {behind:.6f} s older than the one before, by header.stamp. Check that "
            "only one node publishes the topic, and whether the clock or a replay was restarted."
        )


def _listed(names: Sequence[str]) -> str:
    """Return names that came over a network as a sentence shows them."""
    said = ", ".join(shortened(name) for name in names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{printable(said)}{more}" if names else "no joints"


def _about_leap(stamp_ns: int, newest_ns: int) -> str:
    """Explain a message whose stamp is far off."""
    ahead = seconds_since(stamp_ns, newest_ns)
    return (
        f"A message is {abs(ahead):.6g} s {'newer' if ahead > 0 else 'older'} than the one before, "
        f"by header.stamp, and is left out. {AGREEING} in a row that agree are taken: then the "
        "clock was set. Check that only one node publishes the topic, and by which clock."
    )
