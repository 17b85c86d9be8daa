"""Columns of the samples belong to other joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...arrays import Array
from ...samples.joint_samples import Samples
from ..causes.cause import Finding
from ..causes.remade_rows import NOTHING, RemadeRows, Unchanged

CANDIDATES = 3  # of the screening that are looked at closely


@dataclass(frozen=True)
class OtherOrder(Unchanged):
    """Column k of the samples belongs to another joint.

    Attributes:
        order: The column of each joint, n of them.
        torques_only: Whether positions and velocities are where they should be.
    """

    order: tuple[int, ...]
    torques_only: bool

    def samples(self, samples: Samples, value: Array) -> Samples:
        """Return the samples with columns in their places."""
        order = list(self.order)
        moved = replace(samples, tau=samples.tau[:, order])
        if self.torques_only:
            return moved
        return replace(moved, q=samples.q[:, order], dq=samples.dq[:, order])


class JointOrder:
    """Two columns swapped, all reversed, or all moved on; of efforts, or of everything."""

    name = "joint order"

    def findings(self, remade: RemadeRows) -> Iterator[Finding]:
        """See the protocol."""
        few, names = remade.few(), remade.source.model.joints
        every = list(orders_of(len(names)))
        orders = [OtherOrder(order, efforts) for efforts in (True, False) for order in every]
        left = [few.judged(order, NOTHING).factor for order in orders]
        for k in np.argsort(left, kind="stable")[:CANDIDATES]:
            factor = remade.judged(orders[k], NOTHING).factor
            yield Finding(self.name, factor, 0, sentence_of(orders[k], names))


def orders_of(n: int) -> Iterator[tuple[int, ...]]:
    """Give the orders that are tried."""
    seen: set[tuple[int, ...]] = {tuple(range(n))}
    swaps: list[tuple[int, ...]] = []
    for i, j in combinations(range(n), 2):
        swapped = list(range(n))
        swapped[i], swapped[j] = j, i
        swaps.append(tuple(swapped))
    turns: list[tuple[int, ...]] = [tuple(np.roll(np.arange(n), k).tolist()) for k in range(1, n)]
    for order in (*swaps, tuple(range(n))[::-1], *turns):
        if order not in seen:
            seen.add(order)
            yield order


def sentence_of(order: OtherOrder, names: tuple[str, ...]) -> str:
    """Say which columns belong where."""
    moved = [j for j, k in enumerate(order.order) if j != k]
    what = "efforts" if order.torques_only else "columns"
    if len(moved) == 2:
        which = f"The {what} of {names[moved[0]]} and {names[moved[1]]} are exchanged"
    else:
        found = ", ".join(names[k] for k in order.order)
        which = f"The {what} of the joints are in another order: those given as {found}, in turn, "
        which += f"belong to {', '.join(names)}"
    return f"{which}: correct the order of the joints in the robot file or the columns."
