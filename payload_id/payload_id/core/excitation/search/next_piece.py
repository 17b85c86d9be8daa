r"""Room for the piece that follows: from the state at the handover one must be able to go on.

The present piece is certified to its end, but what follows it begins anew and takes its whole
duration to come to rest, in which a fast joint goes farther. So the kinematic limits are looked at
for a Bezier piece from the handover, too. Its displacement is k = ALONG T dq0, which makes it
linear in the state, and so in the parameters.
"""

from __future__ import annotations

import numpy as np

from ...motion.bezier import BezierPiece
from ...motion.motion_state import MotionState
from ..candidates.candidates import Family
from ..candidates.sampled_family import SampledFamily

ALONG = 0.25  # of the way at the speed of the handover; 0.4 is the calmest, 0 turns back
INSTANTS = 24  # at which the piece is looked at


def next_piece(family: Family, handover: float) -> SampledFamily:
    """Return plain pieces, as long as the family's, from candidates' states at the handover [s]."""
    T = family.duration
    state = SampledFamily.of(family, np.array([handover]))
    base, slope = state.base[:, 0], state.slope[:, :, 0]  # (3, n), (3, P, n)
    # Each column is a joint that begins with one of position, velocity, acceleration 1, others 0.
    q, dq, ddq = np.eye(3)
    piece = BezierPiece(MotionState(q, dq, ddq), ALONG * T * dq, T)
    motion = piece.at(np.linspace(0.0, T, INSTANTS + 1)[1:])
    whole = np.stack([motion.q, motion.dq, motion.ddq])  # (3, N, 3)
    return SampledFamily(
        handover + motion.time,
        np.einsum("dNs,sn->dNn", whole, base),
        np.einsum("dNs,sPn->dPNn", whole, slope),
    )
