"""Columns of the samples belong to other joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from ..hypothesis import Hypothesis, Reading, Recorded, told


class JointOrder(Hypothesis):
    """Two columns swapped, all reversed, or all moved on; of efforts, or of everything."""

    name = "joint order"

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """See the base class."""
        names = recorded.source.model.joints
        for order in _orders(len(names)):
            for what, ordered in (("efforts", _of_efforts), ("columns", _of_columns)):
                remedy = (
                    "name them so where columns are named ('joints' of a columns file, or the "
                    "driver), not in the robot file, whose joints run from base to flange"
                )
                yield Reading(told(_words(what, order, names), remedy), ordered(order))


def _orders(n: int) -> list[list[int]]:
    """Return the orders that are tried, each once: the column of each joint."""
    tried = [list(range(n))]
    for i, j in combinations(range(n), 2):
        swapped = list(range(n))
        swapped[i], swapped[j] = j, i
        tried.append(swapped)
    tried.append(tried[0][::-1])
    tried += [np.roll(np.arange(n), k).tolist() for k in range(1, n)]
    return [order for k, order in enumerate(tried) if order not in tried[:k]][1:]


def _of_efforts(order: list[int]) -> Callable[[Samples, Array], Samples]:
    return lambda samples, _: replace(samples, tau=samples.tau[:, order])


def _of_columns(order: list[int]) -> Callable[[Samples, Array], Samples]:
    return lambda samples, _: replace(
        samples, q=samples.q[:, order], dq=samples.dq[:, order], tau=samples.tau[:, order]
    )


def _words(what: str, order: Sequence[int], names: Sequence[str]) -> str:
    """Say which joint each column is of; joint j is in column order[j]."""
    of = [names[j] for j in np.argsort(order)]
    moved = [names[j] for j, k in enumerate(order) if j != k]
    two = f"of {moved[0]} and {moved[1]} are exchanged"
    how = two if len(moved) == 2 else "of the joints are in another order"
    return f"The {what} {how}, so that they are those of {', '.join(of)}"
