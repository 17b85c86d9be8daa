"""Identification of a whole recording at once, or as a live run would have done it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import one_number, real_numbers
from ..body.shape import Shape
from ..errors import InputError, RecordingError, brief, require_type
from ..knowledge.convex import Constraints, stated
from ..knowledge.knowledge import NOTHING, Knowledge
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.row_source import RowSource
from ..rows.windows import TimedSamples
from ..samples.joint_samples import Samples
from .estimate import Estimate
from .headline import ENOUGH, Enough
from .online import CHUNK, OnlineIdentifier
from .settings import Settings
from .tare import Tare


def replay(
    samples: TimedSamples,
    model: ArmModel | RowSource,
    settings: Settings,
    updates: Iterable[int],
    tare: Tare | None = None,
) -> Iterator[Estimate]:
    """Give the estimate at each update, as a live run with the same samples did.

    Args:
        samples: The recording.
        model: The arm that it was made with, or what makes rows of such samples.
        settings: How to identify.
        updates: Numbers of windows at which to update, increasing.
        tare: What runs without payload had taught before.
    """
    yield from estimates_of(begun(model, settings, tare), samples, updates)


def begun(model: ArmModel | RowSource, settings: Settings, tare: Tare | None) -> OnlineIdentifier:
    """Return a run that has just begun.

    Args:
        model: The arm, or what makes rows of samples.
        settings: How to identify.
        tare: What runs without payload had taught before.
    """
    online = OnlineIdentifier(model, settings)
    if tare is not None:
        online.know(tare)
    return online


def _counts(updates: object) -> deque[int]:
    """Return numbers of windows.

    Raises:
        InputError: They are none.
    """
    if isinstance(updates, str | bytes) or not isinstance(updates, Iterable):
        raise InputError(f"updates must be numbers of windows; found {brief(updates)}.")
    if isinstance(updates, np.ndarray) and updates.ndim != 1:
        raise InputError(f"updates must be numbers of windows; found an array of {updates.shape}.")
    numbers = [one_number(x, "Each of updates") for x in updates]
    if not np.isfinite(numbers).all():
        raise InputError(f"Each of updates must be a number of windows; found {brief(updates)}.")
    return deque(int(number) for number in numbers)


def estimates_of(
    online: OnlineIdentifier, samples: TimedSamples, updates: Iterable[int]
) -> Iterator[Estimate]:
    """Give the estimate at each number of windows, and take in all samples on the way.

    Args:
        online: A run that has just begun.
        samples: All of them.
        updates: Numbers of windows, increasing; those beyond the end count as the end.
    """
    for _ in _moments(online, samples, updates):
        yield online.update()


def last_estimate(
    online: OnlineIdentifier, samples: TimedSamples, updates: Sequence[int]
) -> Estimate:
    """Return the last of the estimates of which `estimates_of` gives every one.

    Args:
        online: A run that has just begun.
        samples: All of them.
        updates: Numbers of windows, increasing, at least one.
    """
    for number, _ in enumerate(_moments(online, samples, updates), start=1):
        if number == len(updates):
            break
        online.settle()
    return online.update()


def _moments(
    online: OnlineIdentifier, samples: TimedSamples, updates: Iterable[int]
) -> Iterator[None]:
    """Take in all samples, and stop at each number of windows."""
    samples = online.rows.fitted(samples)
    due = _counts(updates)
    for start in range(0, len(samples), CHUNK):
        for window in online.cut(samples.part(start, start + CHUNK)):
            while due and due[0] <= online.windows:
                due.popleft()
                yield
            online.take(window)
    for _ in due:
        yield


def identify(
    recording: Samples,
    robot: ArmModel,
    uncertainty: Uncertainty | None = None,
    estimator: str = "lmi",
    intervals: str = "hull",
    window: float = 0.1,
    shape: Shape | None = None,
    level: float = 0.95,
    knowledge: Knowledge = NOTHING,
    constraints: Constraints | None = None,
    scales: Sequence[float] = (),
    enough: Enough = ENOUGH,
) -> Estimate:
    """Return what a recording says of the payload.

    Args:
        recording: Joint positions, velocities and torques.
        robot: The arm, without the payload.
        uncertainty: What is assumed about sensors, links and payload. None: everything is known
            exactly, so that real data will be INCONSISTENT.
        estimator: Name of the point estimator, such as "lmi" or "entropic".
        intervals: Name of the interval method: "hull", "hull_lp" or "least_squares_image".
        window: Length of the windows over which torques are integrated [s].
        shape: What is known of the payload's shape, in the payload frame.
        level: Probability with which confidence intervals and those from the arm's history hold.
        knowledge: What else is stated of the payload, of the catalogue.
        constraints: The same as constraints of CVXPY: a function that takes phi, a variable of
            shape (10,) in the payload frame, SI units, and returns a list of convex constraints.
        scales: Further lengths of windows whose rows the intervals use [s].
        enough: How near mass and centre of mass must be known for the verdict GOOD.

    Raises:
        RecordingError: The recording does not fit the robot, or holds no torques.
        UnknownNameError: There is no such estimator or interval method.
        InputError: What is stated is not convex, or contradicts itself or the prior.
    """
    require_type(knowledge, Knowledge, "knowledge", "a Knowledge, or left out")
    if constraints is not None:
        knowledge = knowledge.with_more(stated(constraints))
    assumed = Uncertainty() if uncertainty is None else uncertainty
    lengths = tuple(real_numbers(scales, "scales").ravel().tolist())
    settings = Settings(
        assumed, estimator, intervals, window, shape, level, knowledge, lengths, enough
    )
    require_type(robot, ArmModel, "robot", "an arm's model, such as RobotModel.from_urdf(...)")
    online = OnlineIdentifier(robot, settings)
    require_type(recording, Samples, "recording", "a Recording, or Samples")
    if len(recording) and not recording.tau.any():
        raise RecordingError(
            f"Every one of the {len(recording)} torques is zero. Simulators and position-only "
            "drivers often do not publish effort; record a topic that carries it."
        )
    online.add(recording)
    return online.with_confidence(online.update())
