"""An arm among obstacles: which bodies are checked against which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arm.arm_model import ArmModel
from ...arrays import IntArray
from ...errors import InputError
from .arm_geometry import BASE, ArmGeometry, LinkBody
from .body_table import BodyTable, PairTable
from .convex_body import ConvexBody

GROUPS = ("self-collision", "obstacles", "payload volume")


@dataclass(frozen=True, eq=False)
class Scene:
    """An arm among obstacles, prepared for many checks.

    Attributes:
        model: The arm.
        table: The arm's bodies, then the obstacles.
        pairs: What is checked against what.
        group: IntArray in `GROUPS` of each pair, shape (P,).
        names: Of each body.
    """

    model: ArmModel
    table: BodyTable
    pairs: PairTable
    group: IntArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, model: ArmModel, geometry: ArmGeometry, obstacles: Sequence[ConvexBody]) -> Scene:
        """Return the scene.

        Args:
            model: The arm.
            geometry: Its bodies.
            obstacles: Their poses are those in the base frame.

        Raises:
            InputError: Two obstacles, or an obstacle and a body of the arm, have the same name.
        """
        names = [*(body.name for body in obstacles), *(item.name for item in geometry.bodies)]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"Two bodies are named '{name}'; name each obstacle once.")
        own = geometry.bodies
        everything = (*own, *(LinkBody(b.name, BASE, b) for b in obstacles))
        joint = np.array([item.joint for item in everything])
        moving = [i for i, item in enumerate(own) if item.joint != BASE]
        outer = [(i, len(own) + k) for i in moving for k in range(len(obstacles))]
        pairs = np.vstack([geometry.pairs(model), np.array(outer, dtype=int).reshape(-1, 2)])
        attached = np.array([item.attached for item in everything])[pairs].any(axis=1)
        group = np.where(attached, 2, np.where(pairs[:, 1] >= len(own), 1, 0))
        return cls(
            model=model,
            table=BodyTable.of(tuple(item.body for item in everything), joint),
            pairs=PairTable.of(model, joint, pairs),
            group=group,
            names=tuple(item.name for item in everything),
        )

    def pair_names(self, pair: int) -> tuple[str, str]:
        """Return the names of the two bodies of a pair."""
        first, second = self.pairs.pairs[pair]
        return self.names[first], self.names[second]
