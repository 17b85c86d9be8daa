"""Stamps: rate, gaps, samples left out."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..samples.joint_samples import Samples
from ..samples.stamps import GAP_STEPS
from .check_result import CheckResult, Verdict

LEAST = 3  # samples that have a rate
OFF = 0.2  # part of the stated rate that is worth a mention
PLAUSIBLE = (1.0, 2e4)  # [Hz]


def timing(samples: Samples, stated_rate: float | None) -> list[CheckResult]:
    """Return what the stamps tell.

    Args:
        samples: Of a recording.
        stated_rate: What the robot file says of it [Hz]; None if nothing is to be compared.
    """
    if len(samples) < LEAST:
        do = "Give a longer recording, or a longer part of it."
        return [
            CheckResult("rate", Verdict.WRONG, f"{len(samples)} samples", f"{LEAST} at least", do)
        ]
    steps = np.diff(samples.stamp)
    return [_rate(samples, stated_rate), _gaps(samples, steps), *_left_out(samples)]


def _rate(samples: Samples, stated: float | None) -> CheckResult:
    """Judge rate and length."""
    rate, seconds = 1.0 / samples.step, float(samples.stamp[-1] - samples.stamp[0])
    found = f"{rate:.4g} Hz, {seconds:.3g} s"
    expected = "some seconds of motion"
    if not PLAUSIBLE[0] <= rate <= PLAUSIBLE[1]:
        do = "The unit of the stamps is wrong: a table's columns file states it."
        return CheckResult("rate", Verdict.WRONG, found, "50 to 2000 Hz", do)
    if stated is not None and abs(rate / stated - 1.0) > OFF:
        do = f"State joint_states.rate: {rate:.4g} in the robot file."
        return CheckResult("rate", Verdict.LOOK, found, f"the robot file's {stated:g} Hz", do)
    return CheckResult("rate", Verdict.GOOD, found, expected)


def _gaps(samples: Samples, steps: Array) -> CheckResult:
    """Judge pauses between samples."""
    gaps = steps > GAP_STEPS * samples.step
    if not gaps.any():
        return CheckResult("gaps", Verdict.GOOD, "none", "none")
    worst = int(np.argmax(steps))
    found = (
        f"{int(gaps.sum())}, the longest {1e3 * steps[worst]:.3g} ms after "
        f"{samples.stamp[worst]:.2f} s"
    )
    do = "No window reaches across a gap. Record on the robot's computer, or with less load."
    return CheckResult("gaps", Verdict.LOOK, found, "none", do)


def _left_out(samples: Samples) -> list[CheckResult]:
    """Tell which rows could not be used."""
    lost = sum(samples.dropped.values())
    if not lost:
        return []
    causes = ", ".join(f"{count} {cause}" for cause, count in samples.dropped.items())
    do = "Mend the recording."
    if set(samples.dropped) == {"unknown_joints"}:
        do = "That is as it should be where they are of other joints, such as a gripper's."
    if "out_of_order" in samples.dropped:
        do = "See that one source alone writes it, and that it holds one run."
    elif "duplicate" in samples.dropped:
        do = "What is said of its stamps above tells why, and what to mend."
    return [CheckResult("left out", Verdict.LOOK, causes, "none", do)]
