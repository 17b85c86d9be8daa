"""Gravity is where the description has it: the base is level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Array
from .assumption import Error
from .ground import Ground
from .pull import pulls

DEGREE = np.pi / 180.0


class Level:
    """A tilt of the base about two axes across gravity, to first order, on links and payload."""

    name = "gravity as stated"
    unit = "deg"
    largest = 10.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        model = ground.source.model
        size = float(np.linalg.norm(model.gravity))
        if size == 0.0:
            return
        across = np.linalg.svd(model.gravity[None])[2][1:]
        bodies = np.vstack([model.link_phi, ground.phi])
        for direction in across:
            own = [
                np.einsum("bjk,bk->j", pulls(model, window, DEGREE * size * direction), bodies)
                for window in ground.windows
            ]
            column = ground.column(np.concatenate(own))
            yield Error(_toward(direction), _toward(-direction), column)


def _toward(direction: Array) -> str:
    """Say where gravity tilts to, shape (3,)."""
    return f"of tilt of gravity toward ({', '.join(f'{x + 0.0:.2g}' for x in direction)})"
