"""What an identification has led to: an error code and its sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate, StopReason

from ....core.errors import InputError, PayloadIdError
from ...common.conversions import STATUSES
from ...execution.payload_intervals import is_usable
from ...execution.start_check import CalledOffError
from .estimator_link import EstimatorLostError

Result = Identify.Result


class EndedError(PayloadIdError):
    """An identification that does not go on.

    Attributes:
        code: A constant of the result.
    """

    def __init__(self, code: int, sentence: str) -> None:
        """Note why."""
        super().__init__(sentence)
        self.code = code


@contextmanager
def refused_as(code: int) -> Iterator[None]:
    """Make an error of what is done within the end of the goal, with a code.

    What was called off is cancelled, and an estimator that has ended is lost, whatever the code.
    """
    try:
        yield
    except EstimatorLostError as error:
        raise EndedError(Result.ESTIMATOR_LOST, str(error)) from error
    except CalledOffError as error:
        raise EndedError(Result.CANCELLED, str(error)) from error
    except InputError as error:
        raise EndedError(code, str(error)) from error


def judge(result: Identify.Result, asked: Identify.Goal) -> tuple[int, str]:
    """Return the code of an identification that went to its end, and its sentence.

    Args:
        result: With the estimate, how it was validated, and where it was saved.
        asked: The goal.
    """
    estimate = result.estimate
    status = STATUSES.get(estimate.status)
    verdict = "unknown" if status is None else status.value
    if estimate.status == PayloadEstimate.INCONSISTENT:
        return Result.INCONSISTENT, f"{verdict}. {estimate.message}{_given(asked)}"
    if not is_usable(estimate):
        return Result.NOT_IDENTIFIED, f"{verdict}. {estimate.message}"
    found = found_sentence(estimate)
    if result.reason.code in (StopReason.NO_PROGRESS, StopReason.NO_FURTHER_PLAN):
        found = f"{found} {result.reason.sentence}"
    if not result.validated:
        return Result.NOT_VALIDATED, f"{found} Not validated: {result.validation}"
    if not result.saved:
        return Result.NOT_SAVED, f"{found} But it was not saved."
    return Result.NONE, f"{found} {result.validation}"


def found_sentence(estimate: PayloadEstimate) -> str:
    """Return what was found, as a sentence; empty if nothing was."""
    if not is_usable(estimate) or not math.isfinite(estimate.phi[0]):
        return ""
    verdict, mass = STATUSES[estimate.status].value, estimate.phi[0]
    return (
        f"{verdict}: {mass:.4g} kg; proved is a mass between {max(estimate.lower[0], 0.0):.4g} and "
        f"{estimate.upper[0]:.4g} kg."
    )


def _given(asked: Identify.Goal) -> str:
    """Return what to think of a mass that was given, where nothing explains the data."""
    if not len(asked.known_mass):
        return ""
    mass, error = asked.known_mass
    return (
        f" The mass was given as {mass:g} kg to within {error:g} kg: look whether that is so, and "
        "identify without known_mass to see what the data say by themselves."
    )
