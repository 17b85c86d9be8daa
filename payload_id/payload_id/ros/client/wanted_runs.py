"""Which runs with known weights are wanted, and which of them are there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.errors import InputError
from ...core.history import KnownLoad
from ...files.recordings.known_runs import KnownRecording, read_known_runs


@dataclass(frozen=True)
class Wanted:
    """The runs of a session.

    Attributes:
        masses: Of the payload in each run, in their order; 0: the bare arm [kg].
        changes: Numbers of the runs, from 0, before which somebody puts a weight on.
        duration: Of each motion, at full speed; 0: as the planner's parameter says [s].
        speed_scale: Part of the velocity limits that may be used [-].
        tolerance: By which part the masses may be wrong, for the certificates [-].
        seed: Of the first run's motion; each has another one.
    """

    masses: tuple[float, ...]
    changes: tuple[int, ...] = (0,)
    duration: float = 0.0
    speed_scale: float = 1.0
    tolerance: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        for mass in self.masses:
            KnownLoad.of_mass(mass)
        if not 0.0 <= self.tolerance < 1.0:
            raise InputError(
                "The tolerance of the masses is a part of them, from 0 to below 1; found "
                f"{self.tolerance!r}."
            )

    @classmethod
    def in_groups(cls, weights: Sequence[float], runs: int, **others: float) -> Wanted:
        """Return runs that are divided evenly among weights [kg], in the weights' order.

        A weight that comes twice in a row is put on again, elsewhere.

        Raises:
            InputError: There are fewer runs than weights, or none.
        """
        if not 0 < len(weights) <= runs:
            raise InputError(
                f"Every weight needs a run; found {runs} runs for {len(weights)} weights."
            )
        groups = np.array_split(np.arange(runs), len(weights))
        masses = (float(m) for m, group in zip(weights, groups, strict=True) for _ in group)
        changes = tuple(int(group[0]) for group in groups)
        return cls(tuple(masses), changes, **others)  # type: ignore[arg-type]


def made_before(path: Path, wanted: Wanted) -> tuple[KnownRecording, ...]:
    """Return the runs that an earlier session has listed, which must be the first of those wanted.

    Raises:
        InputError: They are others.
    """
    if not path.is_file():
        return ()
    found = read_known_runs(path)
    masses = tuple(float(run.load.phi[0]) for run in found)
    if masses != wanted.masses[: len(masses)]:
        raise InputError(
            f"{path} lists runs with {_listed(masses)}; wanted are {_listed(wanted.masses)}. Name "
            "the same weights and number of runs, or another folder."
        )
    return found


def require_unchanged(path: Path, runs: Sequence[KnownRecording]) -> None:
    """Raise if somebody else has changed a list meanwhile: two sessions would lose runs in it.

    Args:
        path: The list; it is there once it has a run.
        runs: Those that this session has read or written.

    Raises:
        InputError: It holds others.
    """
    found = read_known_runs(path) if path.is_file() else ()
    if [run.path for run in found] != [run.path for run in runs]:
        raise InputError(
            f"{path} lists {len(found)} runs, and {len(runs)} were there a run ago: another "
            "session writes to the same folder. End one of them, or name another folder; the run "
            "just made is kept there, and not listed."
        )


def weight_name(mass: float) -> str:
    """Return a weight [kg] in words."""
    return f"{mass:g} kg" if mass else "bare"


def _listed(masses: Sequence[float]) -> str:
    """Return masses of runs, in their order, in words."""
    return ", ".join(weight_name(mass) for mass in masses)
