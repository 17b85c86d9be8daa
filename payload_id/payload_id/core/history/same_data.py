"""Whether two runs are of the same data, whatever their names and the times of their stamps are."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..errors import InputError
from ..samples.joint_samples import Samples

STRETCH = 20  # samples that are compared together
SHARED = 0.1  # part of the shorter run from which on two runs are of the same data


def stretches_of(samples: Samples) -> frozenset[int]:
    """Return a hash of every `STRETCH` samples in a row: of positions, velocities and torques.

    A sample that is equal to the one before is left out, so that an arm at rest has no stretches
    that it would have at any other time.
    """
    values = np.hstack([samples.q, samples.dq, samples.tau])
    changed = np.ones(len(values), dtype=bool)
    changed[1:] = (values[1:] != values[:-1]).any(axis=1)
    rows = np.ascontiguousarray(values[changed])
    data, width = memoryview(rows.tobytes()), rows.shape[1] * rows.itemsize
    return frozenset(
        _hash(data[k * width : (k + STRETCH) * width]) for k in range(len(rows) - STRETCH + 1)
    )


def check_different(sources: Sequence[str], stretches: Sequence[frozenset[int]]) -> None:
    """Raise if two runs share data.

    Args:
        sources: Where the runs come from.
        stretches: Of each, see `stretches_of`.

    Raises:
        InputError: They do; names the two.
    """
    for (i, one), (j, two) in combinations(enumerate(stretches), 2):
        fewer, shared = min(len(one), len(two)), len(one & two)
        if shared and shared >= SHARED * fewer:
            raise InputError(
                f"Run {i + 1} ('{sources[i]}') and run {j + 1} ('{sources[j]}') hold the same data "
                f"({shared / fewer:.0%} of the shorter one). Copies tell nothing of how later runs "
                "differ: list every recording once, and no two parts of one that overlap."
            )


def _hash(data: memoryview) -> int:
    """Return a hash of 64 bits."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
