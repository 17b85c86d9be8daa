"""What is wrong with the stamps of a recording, as they tell themselves, before rows are left out.

Of rows with one stamp the first is used. Whether anything is lost by that depends on why they have
it: the same message twice is no loss, a clock that is too coarse is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array

WHOLE = 1_000_000_000  # [ns]: nanoseconds beside seconds are below it (builtin_interfaces/Time)
BAD_NANOSECONDS = "bad_nanosec"  # cause for which a row is left out


def stamp_faults(stamp_ns: NDArray[np.int64], values: Array, bad: int = 0) -> tuple[str, ...]:
    """Say what is wrong with the stamps of rows, and what is left of them; nothing if all is well.

    Args:
        stamp_ns: In the order of arrival, shape (N,) [ns].
        values: What was measured, shape (N, k); columns without numbers do not count, and rows
            that lack one of the others are left out in any case.
        bad: How many further rows were left out because of their nanoseconds.
    """
    finite = np.isfinite(values)
    usable = finite[:, finite.any(axis=0)].all(axis=1)
    stamp_ns, values = stamp_ns[usable], values[usable]
    same = np.diff(stamp_ns, prepend=stamp_ns[:1] - 1) == 0
    again = same & np.isclose(values, np.roll(values, 1, axis=0), 0.0, 0.0, True).all(axis=1)
    other, said = int((same & ~again).sum()), []
    left = f"{len(np.unique(stamp_ns))} of {len(stamp_ns) + bad} are left."
    if again.any():
        said.append(
            f"{int(again.sum())} rows are the row before once more, stamp and all: each is used "
            f"once, {left}"
        )
    if other and not np.ptp(stamp_ns):
        said.append(
            f"All rows have one stamp, {1e-9 * stamp_ns[0]:.9g} s: what writes them does not set "
            "it (header.stamp of ROS messages), or writes too few digits."
        )
    elif other and (stamp_ns % WHOLE == 0).all():
        said.append(
            f"The stamps are whole seconds: of the rows of each the first is used, {left} Record "
            "what is beyond whole seconds, too; where a column of its own holds it, name it as "
            "'nanoseconds' beside 'stamp'."
        )
    elif other:
        steps = np.diff(stamp_ns)
        step = 1e-6 * float(np.median(steps[steps > 0]))
        each = 1e-9 * float(np.ptp(stamp_ns)) / (len(stamp_ns) - 1)
        said.append(
            f"{other} rows have the stamp of the row before and other values: the clock that they "
            f"are stamped by steps by {step:.3g} ms, mostly, or is written with too few digits. Of "
            f"rows with one stamp the first is used, {left} Use a finer clock, or state "
            f"stamp_jitter: {each:.2g} s or more."
        )
    if bad:
        said.append(
            f"{bad} stamps have nanoseconds beyond 999 999 999, or below 0, which are none beside "
            f"seconds: these rows are left out, {left} Mend what writes header.stamp."
        )
    return tuple(said)
