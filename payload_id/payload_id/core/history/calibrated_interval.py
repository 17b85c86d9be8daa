"""Intervals of a new run with a stated probability, from the errors of an arm's earlier runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arm.arm_history import ArmHistory
from ..arrays import Array
from ..body.inertial import PARAMETERS
from ..diagnosis import MotionSeen
from ..rows.joint_torque.momentum import MomentumRows
from ..statistics.own_nuisance import in_one_channel
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics
from ..threads import one_thread
from .comparable import unlike
from .conformal import largest_score, runs_needed
from .error_size import Fitted

ENDS = ("phi", "lower", "upper", "joint_lower", "joint_upper")


@dataclass(frozen=True, eq=False)
class CalibratedInterval:
    """Where the payload's parameters are, with a probability.

    Attributes:
        level: Probability with which each interval holds, if the run is like those of the history.
        phi: Least squares with what the history has shown of the arm, shape (10,).
        lower: Lower ends of the intervals that hold for each parameter, shape (10,); -inf where
            too few runs of the history knew it.
        upper: Upper ends, shape (10,); inf there.
        joint_lower: Lower ends of those that hold for all parameters together, shape (10,).
        joint_upper: Upper ends, shape (10,).
        runs: Number of runs in which each parameter was known, shape (10,).
        unlike: In what the run is unlike those of the history, one sentence each.
    """

    level: float
    phi: Array
    lower: Array
    upper: Array
    joint_lower: Array
    joint_upper: Array
    runs: Array
    unlike: tuple[str, ...] = ()

    def sentence(self, lower: Array, upper: Array) -> str:
        """Say where the mass is, with which probability, and what speaks against it.

        Args:
            lower: Lower ends of the intervals that follow from stated bounds, shape (10,).
            upper: Upper ends, shape (10,).
        """
        runs = int(self.runs[0])
        if not np.isfinite(self.lower[0]):
            return (
                f"The arm's history has {runs} runs with a known mass; intervals that hold with "
                f"{self.level:.0%} need {runs_needed(self.level)}."
            )
        said = [
            f"By {runs} earlier runs of this arm the mass is between {self.lower[0]:.3g} and "
            f"{self.upper[0]:.3g} kg with {self.level:.0%}."
        ]
        apart = (self.lower > upper) | (self.upper < lower)
        if apart.any():
            names = ", ".join(np.array(PARAMETERS)[apart])
            said.append(
                f"This contradicts the stated bounds, which exclude it for {names}: a bound is not "
                "true, or the arm is no longer what its history says."
            )
        if self.unlike:
            said.append(f"This run is unlike those: {'; '.join(self.unlike)}.")
        return " ".join(said)


def made_otherwise(history: ArmHistory, rows: MomentumRows, window: float) -> str:
    """Return how a history's rows were made otherwise than those of a new run; empty if alike.

    Args:
        history: Of an arm.
        rows: Makes the rows of the run.
        window: Length of its windows [s].
    """
    if otherwise := rows.model.unlike(history):
        return otherwise
    if dict(history.uncertainty) != rows.uncertainty.to_dict() or history.names != rows.names:
        return "with other bounds in 'uncertainty'"
    if history.window != window:
        return f"with windows of {history.window:g} s (now {window:g} s)"
    return ""


def largest_scores(history: ArmHistory, level: float) -> Array:
    """Return how many times their expected size errors are at most, with a probability, (10,).

    Args:
        history: Of the arm.
        level: The probability, for each parameter.

    Returns:
        scores: Infinite where too few runs knew the parameter.
    """
    return np.array([largest_score(column, level) for column in np.abs(history.scores).T])


def statistics_of(history: ArmHistory) -> Statistics:
    """Return what a history's runs say of the arm."""
    return in_one_channel(history.factor, history.rows, len(history.joints))


def calibrated_interval(
    history: ArmHistory,
    run: Statistics,
    motion: MotionSeen,
    seconds: float,
    level: float = 0.95,
) -> CalibratedInterval:
    """Return intervals from a run's rows and the arm's history.

    Data beyond the length of the longest run of the history make no interval narrower: what the
    history has shown of errors is of runs no longer than that.

    Args:
        history: Of the arm, with the same nuisance parameters.
        run: Of the new run's rows alone.
        motion: Where the joints were.
        seconds: Time that the rows cover [s].
        level: Probability with which the intervals shall hold.
    """
    with one_thread():
        counted = run.thinned(min(1.0, float(history.seconds.max()) / seconds))
        posterior = Posterior.of(statistics_of(history).joined(counted))
        own, load = Fitted(posterior, counted, posterior.phi).parts(history.inflation)
        deviation = np.hypot(own, history.load_noise * load)
    size = np.abs(history.scores)
    together = largest_score(size.max(axis=1), level)  # NaN where one is not known
    half = largest_scores(history, level) * deviation
    return CalibratedInterval(
        level=level,
        phi=posterior.phi,
        lower=posterior.phi - half,
        upper=posterior.phi + half,
        joint_lower=posterior.phi - together * deviation,
        joint_upper=posterior.phi + together * deviation,
        runs=np.isfinite(size).sum(axis=0),
        unlike=unlike(
            history,
            motion,
            posterior.noise(len(history.joints)),
            float(posterior.phi[0]),
            float(half[0]),
        ),
    )
