"""Motions that were proved here and may be followed, with the obstacles of their proofs."""

from __future__ import annotations

from payload_id_msgs.srv import PrepareMotion

from ...core.errors import InputError, UnknownNameError
from ..certifying.prover import MOST_STOPS, ProofRequest
from ..certifying.worker_process import Failure
from ..execution.commanded_motion import Part
from ..execution.start_check import NotReadyError
from .context import BridgeContext

KEPT = 10  # motions that can still be followed
LONGEST_NAME = 200  # characters
LONGEST_TEXT = 4_000_000  # characters of one certificate
MOST_TEXT = 32_000_000  # characters of a motion's certificates together


class PreparedMotions:
    """Answers `~/prepare`."""

    def __init__(self, context: BridgeContext) -> None:
        """Keep no motion yet.

        Args:
            context: What all parts share.
        """
        self._context = context
        self._motions: dict[str, Part] = {}

    async def on_prepare(
        self, request: PrepareMotion.Request, response: PrepareMotion.Response
    ) -> PrepareMotion.Response:
        """Prove a motion, and keep it."""
        try:
            response.message = await self._prepare(request)
            response.success = True
        except InputError as error:
            response.message = str(error)
        return response

    async def _prepare(self, request: PrepareMotion.Request) -> str:
        """Prove a motion, keep it, and return a sentence.

        Raises:
            InputError: It is not proved.
        """
        name, obstacles = request.motion_id, self._context.obstacles
        if not name or len(name) > LONGEST_NAME:
            raise InputError(f"motion_id takes 1 to {LONGEST_NAME} characters; found {len(name)}.")
        _check_size(request)
        if self._context.cell_missing:
            raise NotReadyError(self._context.cell_missing)
        known, bodies = obstacles.digest, obstacles.bodies
        asked = ProofRequest(request.certificate, tuple(request.stops), bodies)
        found = await self._context.ask(asked)
        if isinstance(found, (str, Failure)):
            raise InputError(found if isinstance(found, str) else found.sentence)
        self._motions.pop(name, None)
        self._motions[name] = Part(name, found, known)
        while len(self._motions) > KEPT:
            self._motions.pop(next(iter(self._motions)))
        return f"Proved, with {len(request.stops)} stops."

    def named(self, name: str) -> Part:
        """Return a motion that may be followed now.

        Raises:
            InputError: There is none of that name, or the obstacles are other ones now.
        """
        if name not in self._motions:
            raise UnknownNameError("prepared motion", name, self._motions)
        found = self._motions[name]
        if found.obstacles != self._context.obstacles.digest:
            raise NotReadyError("The obstacles have changed since this plan was made. Plan again.")
        return found


def _check_size(request: PrepareMotion.Request) -> None:
    """Raise unless certificates are of a size that real ones have.

    Raises:
        InputError: There are more or longer texts.
    """
    sizes = [len(request.certificate), *map(len, request.stops)]
    if len(request.stops) > MOST_STOPS:
        raise InputError(
            f"A motion takes at most {MOST_STOPS} stops; found {len(request.stops)}. Plan it with "
            "a larger stop_step, or in parts."
        )
    if max(sizes) > LONGEST_TEXT or sum(sizes) > MOST_TEXT:
        raise InputError(
            f"A certificate takes at most {LONGEST_TEXT} characters, those of a motion "
            f"{MOST_TEXT} together; found {max(sizes)}, {sum(sizes)} together. Plan a shorter "
            "motion, or with fewer obstacles."
        )
