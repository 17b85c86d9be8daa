"""Motions that somebody asks for, proved in the proving process with the obstacles of now."""

from __future__ import annotations

from payload_id_msgs.action import Follow
from payload_id_msgs.msg import Certificate

from ...core.errors import InputError
from ..certifying.prover import ProofRequest
from ..execution.commanded_motion import Part
from ..execution.snapshot import NotProved
from ..execution.start_check import NotReadyError
from .context import BridgeContext
from .obstacles.obstacle_messages import LONGEST_ID

MOST_BYTES = 32_000_000  # of a motion's certificates together


async def proved(context: BridgeContext, asked: Follow.Goal) -> Part | NotProved:
    """Return a motion with the obstacles that it is proved with, or why it is not proved."""
    name, known, bodies = asked.motion_id, context.obstacles.digest, context.obstacles.bodies
    try:
        if not name or len(name) > LONGEST_ID:
            raise InputError(f"motion_id takes 1 to {LONGEST_ID} characters; found {len(name)}.")
        size = sum(len(x.file) for x in (asked.motion, *asked.stops))
        if size > MOST_BYTES:
            raise InputError(
                f"The certificates of a motion take at most {MOST_BYTES} bytes; found {size}. Plan "
                "a shorter motion, or with fewer obstacles."
            )
        if context.cell_missing:
            raise NotReadyError(context.cell_missing)
        motion, stops = _text(asked.motion), tuple(map(_text, asked.stops))
        return Part(name, await context.ask(ProofRequest(motion, stops, bodies)), known)
    except InputError as error:
        return NotProved(str(error))


def _text(certificate: Certificate) -> str:
    """Return what a file says; what is no text is refused as one that was altered."""
    return certificate.file.tobytes().decode(errors="replace")
