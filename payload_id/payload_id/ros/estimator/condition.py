"""The estimator's condition, as its diagnostics tell it."""

from __future__ import annotations

from ...core.identification.status import Status
from ..common.diagnostics import Condition, Level
from ..common.topics import RUNNING, SAMPLER, SILENT
from ..runs.run_control import RunControl
from .block_subscription import BlockSubscription
from .sources.live_run import LiveRun

LEVELS = {
    Status.GOOD: Level.OK,
    Status.TOO_WIDE: Level.OK,
    Status.SMALL_LOAD: Level.WARN,
    Status.NOT_IDENTIFIABLE: Level.WARN,
    Status.NO_DATA: Level.WARN,
    Status.WAITING: Level.OK,
    Status.INCONSISTENT: Level.ERROR,
    Status.SOLVER_FAILED: Level.ERROR,
}


# Of an arm that takes up and puts down what it likes: none is a fault.
HANDS_FREE = {
    Status.SMALL_LOAD: Level.OK,
    Status.NOT_IDENTIFIABLE: Level.OK,
    Status.NO_DATA: Level.OK,
    Status.INCONSISTENT: Level.WARN,
}


def level_of(status: Status, run: LiveRun) -> Level:
    """Return how grave a verdict is."""
    own = HANDS_FREE if run.settings.identification.hands_free else LEVELS
    return own.get(status, LEVELS[status])


def condition_of(control: RunControl[LiveRun], blocks: BlockSubscription) -> Condition:
    """Judge a run.

    Args:
        control: Makes the estimates.
        blocks: Whose blocks it takes, and what is known of them.
    """
    silence, samplers = blocks.silence() if control.running else "", blocks.rivalry()
    estimate = control.report.estimate
    level, sentence = level_of(estimate.status, control.run), estimate.message
    if silence:
        level, sentence = Level.ERROR, silence
    elif samplers and level is Level.OK:
        level, sentence = Level.WARN, f"{samplers} {sentence}"
    figures = {**_figures(control), SAMPLER: blocks.sampler, SILENT: silence}
    return Condition(level, sentence, figures)


def _figures(control: RunControl[LiveRun]) -> dict[str, object]:
    """Return the figures of the diagnostics."""
    report = control.report
    return {
        "status": report.estimate.status.value,
        RUNNING: control.running,
        "tared": control.run.tared,
        "samples": report.estimate.samples,
        **{
            f"left out with {cause}": count
            for cause, count in report.estimate.false_samples.items()
        },
        "windows": report.estimate.windows,
        "solve time [s]": report.solve_seconds,
        "samples waiting": control.queue.size,
        "samples lost in this run": control.run.lost,
        "errors": control.doing.failures,
    }
