"""What a recording of joint states holds before it is judged, and the judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Array, BoolArray
from ...core.errors import RecordingError
from ...core.samples.differentiation import velocities
from ...core.samples.joint_map import JointMap
from ...core.samples.sample_checks import LARGEST, rows_to_keep
from ...core.samples.stamp_faults import BAD_NANOSECONDS, stamp_faults
from ...core.samples.stamps import seconds_since

# Positions that move by more than this while every velocity is exactly zero [rad or m]: the driver
# does not measure velocity.
MOTION = 1e-2
PAUSE = 100.0  # [s] between recordings, or poses, that are taken together; longer than any window


@dataclass(frozen=True)
class JointTable:
    """Rows as read from a file, in its order; NaN where the file holds nothing.

    Attributes:
        source: The file, and the topic in it.
        stamp_ns: Absolute time of each row, shape (N,) [ns].
        q: Joint positions, shape (N, n) [rad or m].
        dq: Joint velocities, shape (N, n) [rad/s or m/s].
        tau: Joint torques, shape (N, n) [N m or N].
        dropped: Number of rows already left out, by cause.
        notes: What the user should know about the data.

    """

    source: str
    stamp_ns: NDArray[np.int64]
    q: Array
    dq: Array
    tau: Array
    dropped: Mapping[str, int]
    notes: tuple[str, ...] = ()

    def between(self, start_ns: int | None, end_ns: int | None) -> JointTable:
        """Return the rows with start_ns <= stamp <= end_ns [ns]; None means no bound.

        Raises:
            RecordingError: There are none.

        """
        keep = np.ones(len(self.stamp_ns), dtype=bool)
        if start_ns is not None:
            keep &= self.stamp_ns >= start_ns
        if end_ns is not None:
            keep &= self.stamp_ns <= end_ns
        if not keep.any():
            raise RecordingError(
                f"{self.source} holds no samples from start_ns={start_ns} to end_ns={end_ns}; it "
                f"runs from {self.stamp_ns.min()} to {self.stamp_ns.max()} ns."
            )
        return replace(
            self,
            stamp_ns=self.stamp_ns[keep],
            q=self.q[keep],
            dq=self.dq[keep],
            tau=self.tau[keep],
        )


def require_effort(table: JointTable, joint_map: JointMap) -> None:
    """Raise unless the table holds measured efforts.

    Raises:
        RecordingError: Effort is absent, or exactly zero in every row for every joint.

    """
    if np.isnan(table.tau).all():
        found = "no effort (the field is empty or NaN throughout)"
    elif joint_map.effort_is_zero(table.tau).all():
        found = f"only zeros as effort, in all {len(table.tau)} samples of all joints"
    else:
        return
    raise RecordingError(
        f"{table.source} holds {found}, so no payload can be identified. Many simulators and "
        "position-only drivers publish no effort: switch on the driver's effort state interface, "
        "or record the topic that carries measured joint torques, and name it behind a comma "
        "(--topic /joint_states,/efforts or, of any message, /joint_states,/status:FIELD)."
    )


def with_stamp_faults(table: JointTable) -> JointTable:
    """Say in the notes what is wrong with the stamps."""
    values = np.column_stack([table.q, table.dq, table.tau])
    bad = table.dropped.get(BAD_NANOSECONDS, 0)
    return replace(table, notes=(*table.notes, *stamp_faults(table.stamp_ns, values, bad)))


def usable_rows(table: JointTable) -> JointTable:
    """Return the rows that can be used; velocities that were not measured are made of positions.

    Raises:
        RecordingError: There are fewer than two; says which ones cannot be used, those that were
            left out before included.
    """
    absent: BoolArray = np.asarray(np.isnan(table.dq).all(axis=0)) | _zero_but_moving(table)
    stamp = seconds_since(table.stamp_ns, int(table.stamp_ns[0]))
    keep, dropped = rows_to_keep(stamp, table.q, table.dq[:, ~absent], table.tau)
    every = counted_together(dropped, table.dropped)
    if keep.sum() < 2:
        causes = ", ".join(f"{count} {cause}" for cause, count in every.items()) or "none"
        why = " ".join(table.notes) or (
            "They need increasing stamps (a driver that does not set header.stamp cannot be used) "
            f"and numbers of at most {LARGEST:g} throughout (a column without any is not_finite in "
            "every row)."
        )
        raise RecordingError(
            f"{table.source} holds {int(keep.sum())} usable samples of "
            f"{len(keep) + sum(table.dropped.values())} (left out: {causes}); two or more are "
            f"needed. {why}"
        )
    dq, notes = table.dq[keep], table.notes
    if absent.any():
        dq[:, absent] = velocities(stamp[keep], table.q[keep][:, absent])
        count = "every joint" if absent.all() else f"{absent.sum()} of {len(absent)} joints"
        notes = (
            *notes, f"Velocities of {count} were not measured; positions were differentiated "
            "instead. State their error as Uncertainty.velocity_error.",
        )  # fmt: skip
    return JointTable(
        table.source, table.stamp_ns[keep], table.q[keep], dq, table.tau[keep], every, notes
    )


def counted_together(*counts: Mapping[str, int]) -> dict[str, int]:
    """Return numbers of rows left out, by cause, added up."""
    return dict(sum(map(Counter, counts), Counter[str]()))


def _zero_but_moving(table: JointTable) -> bool:
    """Return whether every velocity is exactly zero although the positions change."""
    finite = np.isfinite(table.q).all(axis=1)
    if (table.dq[finite] != 0.0).any() or not finite.any():
        return False
    return bool(np.ptp(np.unwrap(table.q[finite], axis=0), axis=0).max() > MOTION)
