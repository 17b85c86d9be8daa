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
        collected: What the rows of the pieces before the next one add up to.
        planned: The pieces so far, each with what was collected before it; whether the newest are
            followed is not known yet.
    """

    predictor: Predictor
    known: Array
    collected: Collected
    planned: tuple[tuple[Trajectory, Collected], ...] = ()

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

    def take_in_last(self, start: MotionState, handover: float) -> None:
        """Add the rows of what is followed until the state where the next piece begins.

        That is the newest piece until its handover [s]; or one that is followed to its end, where
        what should have taken over came too late or was refused.
        """
        ends = ((i, end) for i in range(len(self.planned), 0, -1) for end in (handover, np.inf))
        for number, end in ends:
            motion, collected = self.planned[number - 1]
            until = min(end, motion.duration)
            if _passes(motion, until, start):
                self.planned = self.planned[:number]
                self.collected = collected.plus(self.rows(motion, until))
                return

    def add(self, motion: Trajectory) -> None:
        """Note the next piece."""
        self.planned = (*self.planned, (motion, self.collected))

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
