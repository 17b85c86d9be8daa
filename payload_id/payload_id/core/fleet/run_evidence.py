"""What a run leaves for later runs of the same payload: small, and enough for a common interval.

A run's interval is proven by few of its rows, those with a multiplier; the others may be dropped,
and every interval stays true. What rows say of the payload and of what stays the arm's (links,
rotors) is a triangular factor, in which all that was the run's own is estimated along.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, BoolArray
from ..body.inertial import PARAMETERS
from ..bounds import Interval
from ..errors import InputError
from ..identification.online import OnlineIdentifier
from ..identification.settings import Settings
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..statistics.own_nuisance import in_one_channel, of_payload_and_arm
from ..statistics.posterior import Posterior
from ..statistics.statistics import Statistics
from ..threads import one_thread

LASTING = (*PARAMETERS, "rotor_inertia")  # nuisance parameters of an arm that runs share


@dataclass(frozen=True)
class RunEvidence:
    """One run of one payload.

    Attributes:
        arm: What runs must have in common to share links and rotors: arm and bounds.
        lasting: Which nuisance parameters they share, shape (p,); the others are the run's own.
        rows: Rows that prove the interval.
        interval: That the run has established.
        prior: Bounds on phi before any data.
        shape: Rows c with c phi >= 0 that follow from the payload's size, shape (K, 10).
        factor: R factor of [B A b], own columns zero, in units of noise, shape (p + 11, p + 11).
        count: Number of rows behind the factor.
    """

    arm: str
    lasting: BoolArray
    rows: RowBlock
    interval: Interval
    prior: Interval
    shape: Array
    factor: Array
    count: float

    @classmethod
    def of(cls, online: OnlineIdentifier) -> RunEvidence:
        """Return what a run says that has been updated with all its data.

        Raises:
            InputError: It is no run of joint torques.
        """
        source = online.rows
        if not isinstance(source, MomentumRows):
            raise InputError("Only runs of joint torques are taken together; found another sensor.")
        problem = online.present()
        prior = Interval(*source.prior.box())
        names = (name.split(".") for name in source.names)
        lasting = np.array([body != "tool" and kind in LASTING for body, kind in names], dtype=bool)
        with one_thread():
            statistics = problem.statistics
            common = of_payload_and_arm(statistics, ~lasting, Posterior.of(statistics))
        return cls(
            arm=arm_key(source, online.settings),
            lasting=lasting,
            rows=problem.proving_rows(),
            interval=problem.payload.interval,
            prior=prior,
            shape=problem.shape,
            factor=common.weighted,
            count=float(common.counts[0]),
        )

    def statistics(self) -> Statistics:
        """Return the factor as statistics of one channel."""
        return in_one_channel(self.factor, self.count, 0)

    def placed(self, first: int, width: int) -> RowBlock:
        """Return the rows with the run's own nuisance parameters in columns of their own.

        Args:
            first: Column of the first of them.
            width: Number of columns in all; those that runs share come first.
        """
        own, shared = np.flatnonzero(~self.lasting), np.flatnonzero(self.lasting)
        B = np.zeros((len(self.rows), width))
        B[:, : len(shared)] = self.rows.B[:, shared]
        B[:, first : first + len(own)] = self.rows.B[:, own]
        rows = self.rows
        return RowBlock(rows.A, rows.A_error, B, rows.b, rows.d, rows.joint, rows.start, rows.end)


def arm_key(source: MomentumRows, settings: Settings) -> str:
    """Return what tells whether links and rotors of two runs are the same unknowns."""
    nuisance = source.of_arm
    boxes = np.concatenate([nuisance.centre[:-10], nuisance.half_width[:-10]]).tobytes()
    return f"{source.model.digest}:{hash_of(boxes)}:{settings.window:g}"


def hash_of(data: bytes) -> str:
    """Return a short name of some bytes."""
    return hashlib.sha256(data).hexdigest()[:16]
