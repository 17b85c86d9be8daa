"""What runs with known payloads have shown of an arm, and of the errors of its estimates.

The room `history` makes it and says what it means for later runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class ArmHistory:
    """What K runs of an arm with n joints have shown, for rows with p nuisance parameters.

    Attributes:
        digest: `ArmModel.digest` of the arm, tool included.
        joints: Names of its joints.
        names: Of the nuisance parameters, p of them.
        uncertainty: What was assumed, `Uncertainty.to_dict()`.
        window: Length of the windows [s].
        factor: R factor of the rows of all runs in units of their noise, their payloads taken
            away, what is their own estimated along, shape (p + 11, p + 11).
        rows: Number of rows that it stands for.
        inflation: By how much errors are larger than if rows were independent.
        load_noise: Further errors of rows, in parts of what the load makes of them.
        scores: Errors of the runs' estimates, each made with the runs of other sources, over
            their expected size; NaN where a parameter was not known, shape (K, 10).
        masses: Known masses, NaN where unknown, shape (K,) [kg].
        seconds: Of each run, shape (K,) [s].
        lower: Least positions, shape (K, n) [rad or m].
        upper: Largest positions, shape (K, n) [rad or m].
        speed: Largest speeds, shape (K, n) [rad/s or m/s].
        noise: Standard deviation of each joint's rows as what is left of them says, in units of
            their bounds, shape (K, n).
        notes: What a reader should know, such as a drift from run to run.
        about: Where it comes from.
    """

    digest: str
    joints: tuple[str, ...]
    names: tuple[str, ...]
    uncertainty: Mapping[str, Any]
    window: float
    factor: Array
    rows: float
    inflation: float
    load_noise: float
    scores: Array
    masses: Array
    seconds: Array
    lower: Array
    upper: Array
    speed: Array
    noise: Array
    notes: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.scores)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArmHistory) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def identity(self) -> str:
        """Hash of everything that enters later runs."""
        arrays = (self.factor, self.scores, self.seconds)
        data = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
        size = (self.rows, self.inflation, self.load_noise)
        text = repr((self.digest, self.names, dict(self.uncertainty), self.window, size))
        return hashlib.sha256(text.encode() + data).hexdigest()

    def check(
        self, digest: str, names: tuple[str, ...], stated: Mapping[str, Any], window: float
    ) -> None:
        """Raise unless rows of a new run are of this arm, made as those of the history.

        Args:
            digest: `ArmModel.digest` of the new run's arm.
            names: Of its rows' nuisance parameters.
            stated: What is assumed for it, `Uncertainty.to_dict()`.
            window: Length of its windows [s].

        Raises:
            InputError: They are not.
        """
        what = ""
        if digest != self.digest:
            what = "of another arm, tool, payload frame or gravity"
        elif dict(stated) != dict(self.uncertainty) or names != self.names:
            what = "with other bounds in 'uncertainty'"
        elif window != self.window:
            what = f"with windows of {self.window:g} s (now {window:g} s)"
        if what:
            raise InputError(
                f"The arm's history was made {what}, so that its errors say nothing of this run. "
                "Make it again with the present robot file ('payload-id calibrate --history'), or "
                "identify with the robot file and options that it was made with."
            )
