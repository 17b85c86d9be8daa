"""Ready statements about payloads, all behind one class, `Known`.

In: numbers that an engineer knows of a payload, with their tolerances, in the payload frame.
Out: `Statement`s: linear, second-order and semidefinite constraints on phi.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..knowledge import Knowledge
from .filled import FilledContainer, MadeOf
from .known import Known
from .mass_and_centre import CentreInBox, CentreNearLine, CentreNearPoint, KnownMass
from .region import Region
from .symmetric import MirrorPlane, SymmetricAboutAxis

CATALOGUE: dict[str, type[Known]] = {
    kind.kind: kind
    for kind in (
        KnownMass,
        CentreInBox,
        CentreNearLine,
        CentreNearPoint,
        SymmetricAboutAxis,
        MirrorPlane,
        MadeOf,
        FilledContainer,
    )
}


def knowledge_of(entries: Mapping[str, Known]) -> Knowledge:
    """Return named members of the catalogue as one set of statements.

    Args:
        entries: By the names that messages are to use.

    Raises:
        InputError: Numbers of an entry cannot be used.
    """
    return Knowledge(tuple(known.statement(name) for name, known in entries.items()))


__all__ = [
    "CATALOGUE", "CentreInBox", "CentreNearLine", "CentreNearPoint", "FilledContainer", "Known",
    "KnownMass", "MadeOf", "MirrorPlane", "Region", "SymmetricAboutAxis", "knowledge_of",
]  # fmt: skip
