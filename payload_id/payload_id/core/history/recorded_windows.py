"""The windows of a whole recording, as `WindowCutter` cuts those of a stream."""

from __future__ import annotations

from ..diagnosis import WindowBuffer, false_reading, why_no_window
from ..errors import RecordingError
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.torques_seen import TorquesSeen
from ..rows.quadrature import LEAST_SAMPLES
from ..rows.windows import WindowCutter
from ..samples.joint_samples import Samples


def recorded_windows(
    rows: MomentumRows, samples: Samples, length: float, name: str
) -> list[Samples]:
    """Return the windows that a recording fills, false positions left out; at least one.

    Args:
        rows: Makes the rows of the arm.
        samples: The recording.
        length: Of a window [s].
        name: What messages call the recording.

    Raises:
        RecordingError: It does not fit the arm, holds no torques, or fills no window.
    """
    samples = rows.fitted(samples)
    if len(samples) and not samples.tau.any():
        raise RecordingError(
            f"Every one of the {len(samples)} torques of {name} is zero; record a topic that "
            "carries effort."
        )
    cutter = WindowCutter(length)
    windows: list[Samples] = cutter.add(rows.gate(cutter.pause).let_through(samples))
    if not windows:
        raise RecordingError(
            f"The {len(samples)} samples of {name} fill no window of {length:g} s without gaps, of "
            f"at least {LEAST_SAMPLES} samples. {why_no_window(rows, samples, cutter.pause)}"
        )
    return windows


def believed_windows(
    rows: MomentumRows, samples: Samples, length: float, name: str
) -> list[tuple[Samples, TorquesSeen]]:
    """Return the windows that a recording fills, each with what its torques have shown so far.

    Args:
        rows: Makes the rows of the arm.
        samples: The recording.
        length: Of a window [s].
        name: What messages call the recording.

    Raises:
        RecordingError: As `recorded_windows`; or what its sensors read cannot be.
    """
    windows = recorded_windows(rows, samples, length, name)
    after_each = TorquesSeen.none(rows.model.n).after_each(windows)  # remembers the newest times
    if false := false_reading(after_each[-1], WindowBuffer.of(windows), rows):
        raise RecordingError(f"{name} cannot be used: {false.sentence}")
    return list(zip(windows, after_each, strict=True))
