"""The links are as described: no weight on one of them that the description lacks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...body.inertial import from_pseudo_inertia
from .assumption import Error
from .ground import Ground


class Links:
    """A point mass at the centre of mass of each body that a joint carries."""

    name = "links as described"
    unit = "kg"
    largest = 100.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        model = ground.source.model
        for j in range(model.n):
            mass, first = model.link_phi[j, 0], model.link_phi[j, 1:4]
            place = np.append(first / mass if mass > 0.0 else np.zeros(3), 1.0)
            point = from_pseudo_inertia(np.outer(place, place))
            own = [term.candidates[:, 10 * j : 10 * j + 10] @ point for term in ground.terms]
            where = f"on the body that {model.joints[j]} moves"
            yield Error(f"more {where}", f"less {where}", ground.column(np.concatenate(own)))
