"""Watching an arm whose payload is known: one judgement for each window of samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..bounds.interval import Interval
from ..errors import InputError
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.row_block import RowBlock
from ..rows.windows import WindowCutter
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .certificate import ContactProof, proofs_by_joint, search
from .feasible_set import FeasibleSet
from .judgement import Judgement
from .least_force import least_force, least_torque
from .payload_wrench import wrench_coefficients


class ContactWatch:
    """Samples in, judgements out; it says nothing before it knows a payload.

    A point of K that explained the last windows mostly explains the next one, too; then there is
    nothing to prove. Where it does not, a linear program over all joints looks for another or for a
    proof. Bounds on a joint's external torque that leave out 0 are a proof as well.
    """

    def __init__(self, rows: MomentumRows, window: float) -> None:
        """Prepare.

        Args:
            rows: Makes the rows: of the arm and the bounds of the identification.
            window: Length of a window [s]; it need not be that of the identification.
        """
        self._rows = rows
        self._cutter = WindowCutter(window)
        self._gate = rows.gate(self._cutter.pause)
        self._knowledge: FeasibleSet | None = None

    @property
    def knows(self) -> bool:
        """Whether a payload is known."""
        return self._knowledge is not None

    def know(self, knowledge: FeasibleSet, phi: Array) -> None:
        """Take up what an identification has found.

        Args:
            knowledge: Of the payload and of the arm.
            phi: Point estimate of the payload, shape (10,).
        """
        self._knowledge, self._phi = knowledge, phi
        self._point: Array | None = None
        self._remembered: tuple[int, ...] = ()

    def add(self, samples: Samples) -> list[Judgement]:
        """Take in samples newer than all before; judge every window that they fill.

        Raises:
            RecordingError: The samples do not fit, such as another number of joints than the arm.
        """
        return [] if not self.knows else [self.judge(window) for window in self.cut(samples)]

    def cut(self, samples: Samples) -> list[Samples]:
        """Return the windows that samples fill, to be given to `judge`."""
        samples = self._rows.fitted(samples)
        return self._cutter.add(self._gate.let_through(samples))

    def judge(self, window: Samples) -> Judgement:
        """Judge one window.

        Raises:
            InputError: No payload is known yet.
        """
        knowledge = self._knowledge
        if knowledge is None:
            raise InputError("No payload is known; call know(...) before a window is judged.")
        with one_thread():
            block = self._rows.window(window)
            W, error = wrench_coefficients(self._rows, window)
        duration = float(window.stamp[-1] - window.stamp[0])
        external = knowledge.external(block)
        proofs = self._proofs(knowledge, block, external)
        torque = knowledge.range_of(block.A, np.zeros_like(block.B))
        wrench = knowledge.range_of(W, np.zeros((len(W), block.B.shape[1])))
        return Judgement(
            start=float(window.stamp[0]),
            end=float(window.stamp[-1]),
            torque=block.A @ self._phi / block.duration,
            torque_range=_mean(
                torque, block.A_error @ knowledge.interval.magnitude, block.duration
            ),
            wrench=W @ self._phi,
            wrench_range=_mean(wrench, error @ knowledge.interval.magnitude, 1.0),
            external=_mean(external, np.zeros(len(block)), block.duration),
            share=_shares(proofs, block.bound(knowledge.interval.magnitude)),
            least_torque=max((least_torque(each, duration) for each in proofs), default=0.0),
            least_force=least_force(self._rows, window, proofs),
        )

    def _proofs(
        self, knowledge: FeasibleSet, block: RowBlock, external: Interval
    ) -> list[ContactProof]:
        """Return what proves that there was something external; nothing if that is not certain."""
        proofs = proofs_by_joint(external)
        if not proofs and self._point is not None and knowledge.explains(block, self._point):
            return []
        found = search(knowledge, block, self._remembered)
        self._remembered = found.rows
        if found.proof is not None:
            return [*proofs, found.proof]
        if found.point is not None:
            self._point = found.point
        return proofs


def _mean(integral: Interval, error: Array, weight: Array | float) -> Interval:
    """Return bounds on a mean from those on an integral with errors beside them."""
    return Interval((integral.lower - error) / weight, (integral.upper + error) / weight)


def _shares(proofs: Sequence[ContactProof], d: Array) -> Array:
    """Return how much each joint says for the proofs, largest 1, shape (n,)."""
    total = np.zeros(len(d))
    for each in proofs:
        size = np.abs(each.multiplier) * d
        total += each.excess * size / size.sum() ** 2
    return total / max(float(total.max(initial=0.0)), 1e-300)
