"""The estimator's condition, as its diagnostics tell it."""

from __future__ import annotations

from ...core.identification.status import Status
from ..common.diagnostics import Condition, Level
from .block_watch import BlockWatch
from .run_worker import RunWorker

SILENCE = 1.0  # [s] without samples during a run, after which that is reported

LEVELS = {
    Status.GOOD: Level.OK,
    Status.USABLE: Level.OK,
    Status.SMALL_LOAD: Level.WARN,
    Status.NOT_IDENTIFIABLE: Level.WARN,
    Status.NO_DATA: Level.WARN,
    Status.WAITING: Level.OK,
    Status.INCONSISTENT: Level.ERROR,
    Status.SOLVER_FAILED: Level.ERROR,
}


def condition_of(worker: RunWorker, watch: BlockWatch, silence: str) -> Condition:
    """Judge a run.

    Args:
        worker: Makes the estimates.
        watch: What is known of the blocks received.
        silence: That no samples arrive, one sentence; empty while they do.
    """
    estimate = worker.report.estimate
    level, sentence = LEVELS[estimate.status], estimate.message
    if silence:
        level, sentence = Level.ERROR, silence
    return Condition(level, sentence, _figures(worker, watch))


def silence_sentence(topic: str, publishers: str, seconds: float) -> str:
    """Say that no samples have arrived on a topic for some seconds; publishers may be empty."""
    who = (
        f"It is published by {publishers}: read that node's diagnostics"
        if publishers
        else "Nobody publishes it: start the sampler, or correct samples_topic"
    )
    return f"A run is in progress, but no samples on {topic} for {seconds:.1f} s. {who}."


def _figures(worker: RunWorker, watch: BlockWatch) -> dict[str, object]:
    """Return the figures of the diagnostics."""
    report = worker.report
    return {
        "status": report.estimate.status.value,
        "running": worker.running,
        "samples": report.estimate.samples,
        "windows": report.estimate.windows,
        "solve time [s]": report.solve_seconds,
        "samples waiting": worker.waiting_samples,
        "samples lost in this run": worker.lost,
        "blocks": watch.blocks,
        "blocks lost": watch.lost_blocks,
        "sampler restarts": watch.restarts,
        "errors": worker.failures,
    }
