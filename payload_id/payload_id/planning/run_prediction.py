"""What the pieces of one run will have taught about the payload, as predicted when planning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Array
from ..core.excitation.prediction.candidate_rows import CandidateRows, Collected
from ..core.excitation.prediction.predictor import Predictor
from ..core.motion.motion_state import MotionState
from ..core.motion.trajectory import Motion, Trajectory
from ..core.safety.torque.parameter_box import ParameterBox


@dataclass
class RunPrediction:
    """What is known of the payload after the pieces so far.

    Attributes:
        predictor: Predicts the rows of motions.
        known: Half widths of the payload's intervals before the run, shape (10,).
        collected: What the rows of the pieces that were followed add up to.
        last: The newest piece and its handover [s]; whether it was followed is not known yet.
        before: The piece that was followed last, and what was collected before it; the arm goes on
            to its end where the newest comes too late, or none is found.
    """

    predictor: Predictor
    known: Array
    collected: Collected
    last: tuple[Trajectory, float] | None = None
    before: tuple[Trajectory, Collected] | None = None

    @classmethod
    def fresh(cls, predicting: Callable[[Array], Predictor], box: ParameterBox) -> RunPrediction:
        """Return the state of a run without data.

        Args:
            predicting: What predicts rows, for an expected payload of shape (10,).
            box: Of the payload's parameters.
        """
        predictor = predicting((box.payload_lower + box.payload_upper) / 2)
        half = np.maximum((box.payload_upper - box.payload_lower) / 2, 1e-9)  # none of them zero
        return cls(predictor, np.asarray(half), Collected.nothing(predictor.p))

    def rows(self, motion: Trajectory, until: float) -> CandidateRows:
        """Return the rows of a motion until a time [s], those of one candidate."""
        return self.predictor.rows(_alone(motion), until)

    def take_in_last(self, start: MotionState) -> None:
        """Add the rows of what was followed until the state where the next piece begins."""
        ways: list[tuple[Trajectory, float, Collected]] = []
        if self.last is not None:
            motion, handover = self.last
            ways += [(motion, time, self.collected) for time in (handover, motion.duration)]
        if self.before is not None:
            motion, collected = self.before
            ways.append((motion, motion.duration, collected))
        self.last = None
        for motion, until, collected in ways:
            if _passes(motion, until, start):
                self.before = motion, collected
                self.collected = collected.plus(self.rows(motion, until))
                return

    def condition_number_after(self, motion: Trajectory, until: float) -> float:
        """Return the condition number of the payload's stacked regressor with a further motion."""
        values = np.linalg.eigvalsh(self.collected.plus(self.rows(motion, until)).plain)
        return float(np.sqrt(values[-1] / values[0])) if values[0] > 0.0 else float("inf")


def _passes(motion: Trajectory, time: float, state: MotionState) -> bool:
    """Tell whether a motion is where a state is at a time [s]."""
    return bool(np.allclose(MotionState.of(motion, time).q, state.q, atol=1e-9))


def _alone(motion: Trajectory) -> Callable[[Array], Motion]:
    """Return a motion as the only candidate, for `Predictor.rows`."""

    def at(instants: Array) -> Motion:
        found = motion.at(instants)
        return replace(found, q=found.q[None], dq=found.dq[None], ddq=found.ddq[None])

    return at
