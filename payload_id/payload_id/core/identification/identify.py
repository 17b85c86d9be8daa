"""Identification of a whole recording at once, or as a live run would have done it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ..arm.arm_model import ArmModel
from ..body.shape import Shape
from ..errors import RecordingError
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.row_source import RowSource
from ..rows.windows import TimedSamples
from ..samples.joint_samples import Samples
from .estimate import Estimate
from .online import OnlineIdentifier
from .settings import Settings
from .tare import Tare

CHUNK = 10_000  # samples added at a time: limits the memory that long recordings need


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
    online = OnlineIdentifier(model, settings)
    if tare is not None:
        online.know(tare)
    due = deque(updates)
    for start in range(0, len(samples), CHUNK):
        for window in online.cut(samples.part(start, start + CHUNK)):
            while due and due[0] <= online.windows:
                due.popleft()
                yield online.update()
            online.take(window)
    for _ in due:
        yield online.update()


def identify(
    recording: Samples,
    robot: ArmModel,
    uncertainty: Uncertainty | None = None,
    estimator: str = "lmi",
    intervals: str = "hull",
    window: float = 0.1,
    shape: Shape | None = None,
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

    Raises:
        RecordingError: The recording does not fit the robot, or holds no torques.
        UnknownNameError: There is no such estimator or interval method.
    """
    settings = Settings(uncertainty or Uncertainty(), estimator, intervals, window, shape)
    online = OnlineIdentifier(robot, settings)
    if len(recording) and not recording.tau.any():
        raise RecordingError(
            f"Every one of the {len(recording)} torques is zero. Simulators and position-only "
            "drivers often do not publish effort; record a topic that carries it."
        )
    for start in range(0, max(len(recording), 1), CHUNK):
        online.add(recording.part(start, start + CHUNK))
    return online.update()
