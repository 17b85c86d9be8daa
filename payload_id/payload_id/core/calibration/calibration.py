"""What a bare-arm run has taught about an arm, in the form that later runs use.

It keeps a box of psi and the rows that made it: the box alone forgets that, say, a link that is
heavier goes with a sensor whose gain is lower. Both contain the truth whenever the bounds stated
for the bare-arm run held and psi has not changed since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arm_model import ArmModel
from ..errors import InputError, UnknownNameError
from ..inertial import PARAMETERS, Array
from ..rows.block import RowBlock
from ..rows.momentum import MomentumRows
from ..rows.nuisance import JOINT_GROUPS, Nuisance, nuisance_of
from ..statistics import Statistics
from ..uncertainty import Uncertainty
from .equations import ArmEquations, box_of, factor_of

ROUNDING = 1e-12  # relative; boxes grow by so much when they are moved
# Uncertainty's bounds that a calibration tightens where they enter a row's own bound.
TIGHTENED = ("friction_coulomb", "friction_viscous", "rotor_inertia")


@dataclass(frozen=True, eq=False)
class Calibration:
    """The box of psi of one arm, and the rows behind it.

    Attributes:
        digest: `ArmModel.digest` of the arm, tool included.
        joints: Names of its joints.
        lower: Smallest value of each candidate; -inf where nothing is kept, shape (15 n + 10,).
        upper: Largest value; inf where nothing is kept, shape (15 n + 10,).
        estimate: Point estimate of each candidate, shape (15 n + 10,).
        uncertainty: What was assumed, `Uncertainty.to_dict()`.
        equations: Rows that matter.
        factors: R factor of all weighted rows [C t] of each joint, shape
            (n, 15 n + 11, 15 n + 11).
        counts: Number of rows that each of them stands for, shape (n,).
        about: What else the user should know: recordings, version, residuals.
    """

    digest: str
    joints: tuple[str, ...]
    lower: Array
    upper: Array
    estimate: Array
    uncertainty: Mapping[str, Any]
    equations: ArmEquations
    factors: Array
    counts: Array
    about: Mapping[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calibration) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def identity(self) -> str:
        """Hash of everything that enters later runs."""
        e = self.equations
        arrays = (
            self.lower, self.upper, self.estimate, e.C, e.t, e.d, e.joint, self.factors, self.counts
        )  # fmt: skip
        data = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        text = repr((self.digest, self.joints, dict(self.uncertainty)))
        return hashlib.sha256(text.encode() + data).hexdigest()

    def check(self, model: ArmModel) -> None:
        """Raise unless the arm is the one that was calibrated.

        Raises:
            InputError: Joints, links, tool or payload frame differ.
        """
        if self.joints != model.joints:
            raise InputError(
                f"The calibration is of an arm with the joints {', '.join(self.joints)}; this one "
                f"has {', '.join(model.joints)}. Calibrate this arm, or remove 'calibration' from "
                "its robot file."
            )
        if self.digest != model.digest:
            raise InputError(
                "The calibration is of another robot description, tool, payload frame or gravity "
                f"(digest {self.digest[:12]}, this arm's is {model.digest[:12]}). Calibrate again "
                "with this robot file, or remove 'calibration' from it."
            )

    def nuisance(self, model: ArmModel, uncertainty: Uncertainty) -> Nuisance:
        """Return the boxes of psi: what is stated and what the calibration leaves, both true.

        Raises:
            InputError: The stated bounds are wider than those of the calibration, or contradict it.
        """
        stated = box_of(nuisance_of(model, uncertainty), uncertainty)
        self._check_stated(model, stated)
        low, high = stated.centre - stated.half_width, stated.centre + stated.half_width
        lower, upper = np.maximum(low, self.lower), np.minimum(high, self.upper)
        known = stated.half_width == 0.0
        slip = ROUNDING * (np.abs(lower) + np.abs(upper))
        if (lower > upper + slip)[~known].any():
            name = candidate_names(model.joints)[int(np.argmax((lower - upper) * ~known))]
            raise InputError(
                f"The stated bounds exclude what the calibration found for {name}. State the "
                "bounds that the calibration was made with, or calibrate again."
            )
        centre = np.where(known, stated.centre, (lower + upper) / 2)
        half_width = np.where(known, 0.0, np.maximum(upper - lower, 0.0) / 2 + slip)
        own = slice(15 * self.n)  # the tool's part is in `tightened`
        names = tuple(name for name in stated.names if not name.startswith("tool."))
        return Nuisance(names, centre[own], half_width[own], stated.uncertain[own])

    def _check_stated(self, model: ArmModel, stated: Nuisance) -> None:
        """Raise where bounds are stated that are wider than the calibration's own."""
        before = Uncertainty.from_dict(dict(self.uncertainty))
        assumed = box_of(nuisance_of(model, before), before)
        kept = np.isfinite(self.lower)
        edge = ROUNDING * (np.abs(assumed.centre) + assumed.half_width)
        below = stated.centre - stated.half_width < assumed.centre - assumed.half_width - edge
        above = stated.centre + stated.half_width > assumed.centre + assumed.half_width + edge
        wider = kept & (below | above)
        if wider.any():
            name = candidate_names(model.joints)[int(np.argmax(wider))]
            raise InputError(
                f"The bounds stated for {name} are wider than those that the calibration was made "
                "with, so that its result need not hold. Calibrate again with the wider bounds, or "
                "state the calibration's."
            )

    def tightened(self, uncertainty: Uncertainty) -> Uncertainty:
        """Return the uncertainty with what the calibration leaves of friction and tool errors."""
        changes: dict[str, Any] = {}
        for name in TIGHTENED:
            upper = self.upper[group_slice(name, self.n)] * (1 + ROUNDING)
            bound = np.minimum(uncertainty.per_joint(name, self.n), np.maximum(upper, 0.0))
            changes[name] = tuple(float(x) for x in bound)
        if uncertainty.tool:
            largest = np.maximum(np.abs(self.lower), np.abs(self.upper))[15 * self.n :]
            tool = np.minimum(uncertainty.tool, largest * (1 + ROUNDING))
            changes["tool"] = tuple(float(x) for x in tool)
        return replace(uncertainty, **changes)

    def tare(self, maker: MomentumRows) -> tuple[RowBlock, Statistics]:
        """Return the kept rows and the statistics of all rows, in the coordinates of a run.

        Args:
            maker: Of the run's rows, for an arm with this calibration.
        """
        nuisance = box_of(maker.nuisance, maker.uncertainty)
        half = nuisance.half_width[nuisance.uncertain]
        stacked = self.factors.reshape(-1, self.factors.shape[-1])
        C, t = stacked[:, :-1], stacked[:, -1]
        count = len(t)
        none, now = np.zeros((count, 10)), np.zeros(count)
        factor_rows = RowBlock(
            A=none,
            A_error=none,
            B=C[:, nuisance.uncertain] * half,
            b=t - C @ nuisance.centre,
            d=np.ones(count),
            joint=np.repeat(np.arange(self.n), self.factors.shape[1]),
            start=now,
            end=now,
        )
        statistics = Statistics.empty(nuisance.p).add(factor_rows, np.zeros(10))
        # The factors stand for more rows than they have, each with an error of its bound.
        errors = np.zeros((self.n, 11))
        errors[:, 10] = self.counts
        statistics = replace(
            statistics,
            rows=int(self.counts.sum()),
            counts=self.counts.astype(float),
            errors=errors,
        )
        return self.equations.block(nuisance), statistics

    def without(self, groups: Sequence[str]) -> Calibration:
        """Return the calibration with parameters forgotten that differ from run to run.

        The rows stay valid for the others: what a forgotten parameter can do within its box goes
        into the rows' bounds.

        Args:
            groups: Some of `JOINT_GROUPS`, such as "torque_offset".

        Raises:
            UnknownNameError: There is no such group.
        """
        gone = np.zeros(len(self.lower), dtype=bool)
        for group in groups:
            gone[group_slice(group, self.n)] = True
        gone &= np.isfinite(self.lower)  # what is forgotten already has no coefficients
        if not gone.any():
            return self
        low, high = self.lower[gone], self.upper[gone]
        centre, half = (low + high) / 2, (high - low) / 2
        e = self.equations
        C = np.where(gone, 0.0, e.C)
        d = e.d + np.abs(e.C[:, gone]) @ half
        d = d + ROUNDING * (np.abs(e.C[:, gone]) @ (np.abs(centre) + half) + np.abs(e.t))
        return replace(
            self,
            lower=np.where(gone, -np.inf, self.lower),
            upper=np.where(gone, np.inf, self.upper),
            equations=replace(e, C=C, t=e.t - e.C[:, gone] @ centre, d=d),
            factors=np.array([_eliminated(factor, gone) for factor in self.factors]),
        )


def _eliminated(factor: Array, gone: Array) -> Array:
    """Return the R factor of what rows say after some parameters have been fitted freely."""
    kept = np.append(~gone, True)
    count = int(gone.sum())
    left = factor_of(np.hstack([factor[:, ~kept], factor[:, kept]]))[count:, count:]
    full = np.zeros((len(left), len(kept)))
    full[:, kept] = left
    return factor_of(full)


def group_slice(group: str, n: int) -> slice:
    """Return where the candidates hold one group of joint parameters.

    Raises:
        UnknownNameError: There is no such group.
    """
    if group not in JOINT_GROUPS:
        raise UnknownNameError("group of joint parameters", group, JOINT_GROUPS)
    first = 10 * n + n * JOINT_GROUPS.index(group)
    return slice(first, first + n)


def candidate_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Return the names of all 15 n + 10 candidates."""
    links = [f"{joint}.{parameter}" for joint in joints for parameter in PARAMETERS]
    own = [f"{joint}.{group}" for group in JOINT_GROUPS for joint in joints]
    return (*links, *own, *(f"tool.{parameter}" for parameter in PARAMETERS))
