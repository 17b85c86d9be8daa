"""The end of an identification: solve for all data, validate, save; or keep a tare."""

from __future__ import annotations

from payload_id_msgs.action import Identify

from ....core.errors import InputError
from .estimator_link import EstimatorLink
from .outcome import found_sentence
from .stages import Feedback, Stages


async def solve(link: EstimatorLink, stages: Stages, result: Identify.Result) -> None:
    """End the run, and note estimate, validation and place in a result.

    Raises:
        EstimatorLostError: The estimator does not answer.
    """
    stages.enter(Feedback.SOLVING)
    await link.call("stop")
    result.estimate = await link.newest()
    stages.enter(Feedback.VALIDATING)
    held = await link.call("validate")
    result.validated, result.validation = held.agrees, held.message
    result.held_out_seconds, result.held_out_rms = held.seconds, held.held_out_rms
    result.first_part_rms, result.largest_use = held.first_part_rms, held.largest_use
    stages.enter(Feedback.SAVING)
    kept = await link.call("save")
    result.saved = kept.path if kept.success else ""


async def keep_tare(link: EstimatorLink) -> str:
    """Keep the run as knowledge of the arm without payload, and end it; return a sentence.

    Raises:
        InputError: Its data prove that there was a load, or there are none.
    """
    estimate = await link.newest()
    if found_sentence(estimate) and estimate.lower[0] > 0.0:
        raise InputError(
            f"No tare was made: the data prove a load of at least {estimate.lower[0]:.3g} kg. Take "
            "it out of the hand, or describe the tool in the robot file, and tare again."
        )
    answer = await link.call("tare")
    if not answer.success:
        raise InputError(answer.message)
    await link.call("stop")
    return str(answer.message)
