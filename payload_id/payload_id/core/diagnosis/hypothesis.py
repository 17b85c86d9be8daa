"""What may be false: the protocol of a hypothesis, and the three ways in which one is asked.

1. `relaxations`: what of the rows would be otherwise (columns, rows left out, another prior).
2. `readings`: what would have been measured, or of which arm, so that rows are made again.
3. `errors`: as columns, how large an error could be before the data show it (`sensitivity.py`).

The engine (`diagnose.py`) refits under each and ranks them; `check` judges readings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from .evidence import Evidence, Fit, Relaxation
from .identified_mass import IdentifiedMass

NOTHING = np.zeros(0)
Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Relaxed:
    """One case of a hypothesis, about the rows.

    Attributes:
        relaxation: What of the rows is otherwise.
        words: Says what is wrong and what to do, from the fit; "{joint}" stands for the joint.
        free: How many numbers it leaves free.
        joint: The joint that it is about; None if it is about none.
        spans: Times that it is about, begin and end of each [s]; empty if it is about none.
    """

    relaxation: Relaxation
    words: Callable[[Fit], str]
    free: int
    joint: int | None = None
    spans: Spans = ()


@dataclass(frozen=True)
class Reading:
    """One case of a hypothesis, about samples or the arm.

    Attributes:
        words: Say what is wrong, and what to do, from the numbers v; "{joint}" stands for the
            joint.
        samples: Returns what would have been measured, of one stretch and v; None: as it was.
        source: Returns what makes rows of the arm that it is, from v; None: as stated.
        value: The numbers v to begin with, shape (k,).
        reach: How far one step of the search may go, shape (k,).
        free: How many numbers it leaves free.
        joint: The joint that it is about; None if it is about none.
        lower: Least numbers, shape (k,); None where they may be any.
        by_joint: Whether numbers come n at a time, each of which changes the rows of its joint, and
            these are linear in it.
        margin: What is lost of a stretch at either end [s].
    """

    words: Callable[[Array], tuple[str, str]]
    samples: Callable[[Any, Array], Any] | None = None
    source: Callable[[Any, Array], Any] | None = None
    value: Array = field(default_factory=lambda: NOTHING)
    reach: Array = field(default_factory=lambda: NOTHING)
    free: int = 0
    joint: int | None = None
    lower: Array | None = None
    by_joint: bool = False
    margin: float = 0.0

    def of_samples(self, samples: Any, value: Array) -> Any:
        """Return what would have been measured."""
        return samples if self.samples is None else self.samples(samples, value)

    def of_source(self, source: Any, value: Array) -> Any:
        """Return what makes rows of the arm that it is."""
        return source if self.source is None else self.source(source, value)


def told(what: str, remedy: str) -> Callable[[Array], tuple[str, str]]:
    """Return words that are the same whatever the numbers."""
    return lambda _: (what, remedy)


def said(sentence: str) -> Callable[[Fit], str]:
    """Return words that are the same whatever the fit."""
    return lambda _: sentence


AS_READ = Reading(told("", ""))


class Recorded(NamedTuple):
    """What readings are of.

    Attributes:
        source: Makes rows of the arm, or of the sensor, as stated: a `RowSource`.
        stretches: Samples without gaps, of the kind that it takes.
        window: Length of a window [s].
        lengths: Further lengths of windows [s].
    """

    source: Any
    stretches: Sequence[Any]
    window: float
    lengths: tuple[float, ...] = ()


class Error(NamedTuple):
    """One error that is assumed not to be there.

    Attributes:
        more: What it is when positive, in words.
        less: What it is when negative.
        column: What an error of one unit adds to the rows' left side, shape (m,).
        unit: Its unit.
        largest: Size up to which is looked, in the unit.
    """

    more: str
    less: str
    column: Array
    unit: str
    largest: float = 100.0


class Hypothesis:
    """One kind of broken assumption; it answers those of the three questions that it can.

    Attributes:
        name: How it is reported.
        assumption: What is assumed where it is asked how large an error could be; else empty.
    """

    name: str
    assumption: str = ""

    def relaxations(self, evidence: Evidence) -> Iterator[Relaxed]:
        """Give every case that is about the rows."""
        yield from ()

    def readings(self, recorded: Recorded) -> Iterator[Reading]:
        """Give every case that is about samples or the arm."""
        yield from ()

    def errors(self, found: IdentifiedMass) -> Iterator[Error]:
        """Give each error that this hypothesis means."""
        yield from ()


@dataclass(frozen=True)
class Finding:
    """One case and how far it goes.

    Attributes:
        cause: Name of the hypothesis.
        factor: The smallest noise factor if it is true.
        free: How many numbers it leaves free.
        sentence: What is wrong and what to do; "{joint}" stands for the joint's name, "{3}" for
            that of joint number 3.
        joint: The joint that it is about; None if it is about none.
        spans: Times that it is about, begin and end of each [s]; empty if it is about none.
    """

    cause: str
    factor: float
    free: int
    sentence: str
    joint: int | None = None
    spans: Spans = ()

    def named(self, joints: Sequence[str]) -> str:
        """Return the sentence with the names of joints."""
        sentence = self.sentence.replace("{joint}", f"{{{self.joint}}}")
        for number, name in enumerate(joints):
            sentence = sentence.replace(f"{{{number}}}", name)
        return sentence

    def label(self, joints: Sequence[str]) -> str:
        """Return the cause's name and the joint's."""
        return self.cause if self.joint is None else f"{self.cause} ({joints[self.joint]})"
