"""The tool is as described: nothing beside the payload hangs at its frame."""

from __future__ import annotations

from collections.abc import Iterator

from .assumption import Error
from .ground import Ground


class Tool:
    """A point mass at the origin of the payload frame, which acts as the payload's own mass."""

    name = "the tool as described"
    unit = "kg"
    largest = 100.0

    def errors(self, ground: Ground) -> Iterator[Error]:
        """See the protocol."""
        where = ground.source.model.payload_frame
        column = ground.column(ground.rows.A[ground.tare :, 0])
        yield Error(f"more at {where}", f"less at {where}", column)
