"""The links differ from the description by more than is stated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...body.inertial import from_pseudo_inertia
from ..evidence import Evidence, Relaxation
from ..hypothesis import Error, Hypothesis, Relaxed, said
from ..identified_mass import IdentifiedMass

WIDER = 10.0  # times the stated bound


class Links(Hypothesis):
    """The boxes of parameters are widened, of one body or of all; or a body bears a point mass."""

    name = "link model"
    assumption = "links as described"

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """See the base class."""
        bodies = np.unique(evidence.links[evidence.links >= 0]).tolist()
        for body in (*bodies, None) if len(bodies) > 1 else bodies:
            here = evidence.links >= 0 if body is None else evidence.links == body
            more = (WIDER - 1.0) * np.ones(int(here.sum()))
            what, remedy = (
                ("The links differ", "check that it is this arm's, calibrate")
                if body is None
                else (
                    "The inertial parameters of the body that {joint} moves differ",
                    "correct them, calibrate",
                )
            )
            sentence = (
                f"{what} from the robot description by more than link_relative: {remedy} the arm "
                "with a bare-arm recording, or state a larger link_relative."
            )
            relaxation = Relaxation(evidence.rows.B[:, here], -more, more)
            yield Relaxed(relaxation, said(sentence), len(more), body)

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """See the base class."""
        model = found.source.model
        for j, (mass, *first) in enumerate(model.link_phi[:, :4]):
            place = np.append(np.array(first) / mass if mass > 0.0 else np.zeros(3), 1.0)
            column = found.column_of_link(j, from_pseudo_inertia(np.outer(place, place)))
            where = f"on the body that {model.joints[j]} moves"
            yield Error(f"more {where}", f"less {where}", column, "kg")
