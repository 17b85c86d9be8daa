"""Blocks of wrench samples as messages, and as the rows that travel between threads.

`SampleRows` has three tables with equally many columns. Here they have nine: the rotation
matrix; angular velocity, angular acceleration and linear acceleration; the wrench and gravity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from payload_id_msgs.msg import WrenchBlock

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.samples.sample_rows import SampleRows
from ...core.samples.wrench_sampler import WrenchSampler
from ...core.samples.wrench_samples import WrenchSamples
from .conversions import time_message, vector

FIELDS = {
    "rotation": 9,
    "angular_velocity": 3,
    "angular_acceleration": 3,
    "linear_acceleration": 3,
    "wrench": 6,
}


def wrench_block(
    stamp_ns: NDArray[np.int64],
    samples: WrenchSamples,
    frame: str,
    first: int,
    sampler: WrenchSampler,
) -> WrenchBlock:
    """Return samples as a message.

    Args:
        stamp_ns: Absolute stamps, shape (N,) [ns].
        samples: The samples.
        frame: Name of the sensor frame.
        first: Index of the block's first sample.
        sampler: Knows what was received and dropped.
    """
    message = WrenchBlock()
    message.header.stamp = time_message(int(stamp_ns[-1]))
    message.header.frame_id = frame
    message.first_index = first
    message.gravity = vector(samples.gravity)
    message.stamp_ns = stamp_ns
    for name in FIELDS:
        setattr(message, name, np.ascontiguousarray(getattr(samples, name)).ravel())
    message.received = sampler.received
    message.dropped = sum(sampler.dropped.values())
    message.dropped_joint_states = sum(sampler.dropped_joint_states.values())
    return message


def rows_of_wrench(message: WrenchBlock, frame: str) -> SampleRows:
    """Return the samples of a message as rows.

    Raises:
        InputError: The frame is another, or the arrays do not fit together.
    """
    if message.header.frame_id != frame:
        raise InputError(
            f"A block of wrenches is of frame '{message.header.frame_id}', and this node expects "
            f"'{frame}'. Give sampler and estimator the same sensor_frame and robot_file."
        )
    N = len(message.stamp_ns)
    tables = {name: np.asarray(getattr(message, name)) for name in FIELDS}
    wrong = [name for name, table in tables.items() if table.size != N * FIELDS[name]]
    if wrong:
        raise InputError(
            f"A block of {N} wrenches holds a wrong number of values of {', '.join(wrong)}."
        )
    shaped = {name: table.reshape(N, FIELDS[name]) for name, table in tables.items()}
    g = message.gravity
    gravity = np.broadcast_to([g.x, g.y, g.z], (N, 3))
    return SampleRows(
        np.asarray(message.stamp_ns, dtype=np.int64),
        shaped["rotation"],
        np.hstack([shaped[name] for name in list(FIELDS)[1:4]]),
        np.hstack([shaped["wrench"], gravity]),
        int(message.first_index),
    )


def samples_of_rows(rows: SampleRows, stamp: Array) -> WrenchSamples:
    """Return rows as samples.

    Args:
        rows: At least one row.
        stamp: Their stamps since the run began, shape (N,) [s].
    """
    # Contiguous as a recording's are, so that sums are taken in the same order.
    omega, alpha, linear = (np.ascontiguousarray(rows.dq[:, k : k + 3]) for k in (0, 3, 6))
    x, y, z = rows.tau[0, 6:]
    return WrenchSamples(
        stamp,
        rows.q.reshape(-1, 3, 3),
        omega,
        alpha,
        linear,
        np.ascontiguousarray(rows.tau[:, :6]),
        gravity=(float(x), float(y), float(z)),
    )
