"""What counts as followed of the pieces of a run."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.excitation.prediction.candidate_rows import Collected
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.planning.run_prediction import RunPrediction

HANDOVER, DURATION = 1.0, 3.0


class TimePredictor:
    """Rows that add up to the time for which a motion is followed."""

    def rows(self, motion, until):
        motion(np.array([until]))
        row = np.full((1, 1, 10), np.sqrt(until))
        return SimpleNamespace(A=row, scaled=row)


def piece(start: MotionState) -> BezierPiece:
    return BezierPiece(start, np.array([0.4]), DURATION)


def followed(prediction: RunPrediction) -> float:
    """Return for how long pieces were followed, as far as is collected [s]."""
    return float(prediction.collected.plain[0, 0])


@pytest.mark.parametrize("late", [False, True])
def test_a_piece_counts_to_where_it_was_left(late):
    """To its end where the next one was planned, but came too late."""
    first = piece(MotionState.at_rest(np.zeros(1)))
    prediction = RunPrediction(TimePredictor(), np.ones(10), Collected.nothing(0))
    prediction.add(first)
    prediction.take_in_last(MotionState.of(first, HANDOVER), HANDOVER)
    assert followed(prediction) == pytest.approx(HANDOVER)
    second = piece(MotionState.of(first, HANDOVER))
    prediction.add(second)
    if late:  # a third was planned in vain, too
        third = MotionState.of(second, HANDOVER)
        prediction.take_in_last(third, HANDOVER)
        prediction.add(piece(third))
    end = MotionState.of(*((first, DURATION) if late else (second, DURATION)))
    prediction.take_in_last(end, HANDOVER)
    assert followed(prediction) == pytest.approx(DURATION if late else HANDOVER + DURATION)
