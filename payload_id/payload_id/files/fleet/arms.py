"""How each arm of a fleet is: verdicts, noise, and what drifts in its joints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.fleet import KINDS, Trend, trend
from ...core.identification.status import Status
from ...core.number_format import digits, number

OVER = {"began": "time", "temperature": "temperature"}  # columns that something may drift with
DAY = 86400.0  # [s]
UNITS = {
    "torque_offset": "N m",
    "torque_gain": "-",
    "friction_coulomb": "N m",
    "friction_viscous": "N m s/rad",
}


@dataclass(frozen=True)
class Series:
    """What the runs of an arm say of one quantity of one joint.

    Attributes:
        joint: The joint.
        kind: Of `KINDS`.
        when: Time of each run [days since 1970], shape (N,); NaN where unknown.
        temperature: Of each run [degree Celsius], shape (N,); NaN where unknown.
        value: Shape (N,); NaN where a run does not tell.
        deviation: As each run knows it, shape (N,).
        median: Of the values; NaN without any.
        trends: By what it may drift with: "time", "temperature".
        drifts: The same, of those that chance does not explain.
    """

    joint: str
    kind: str
    when: Array
    temperature: Array
    value: Array
    deviation: Array
    median: float
    trends: Mapping[str, Trend]
    drifts: tuple[str, ...]

    @property
    def name(self) -> str:
        """Joint and quantity in words."""
        return f"{self.joint}: {self.kind.replace('_', ' ')}"

    def sentences(self) -> Iterator[str]:
        """Yield what is to be said of its drifts."""
        for over in self.drifts:
            found = self.trends[over]
            span = np.ptp(self.when[np.isfinite(self.when)]) if over == "time" else (
                np.ptp(self.temperature[np.isfinite(self.temperature)]))  # fmt: skip
            length = f"{span:.3g} {'days' if over == 'time' else 'degrees'}"
            yield (
                f"{self.name} drifts with {over}: {found.change:+.2g} {UNITS[self.kind]} "
                f"[{found.lower:+.2g}, {found.upper:+.2g}] over {length}, {found.runs} runs."
            )


@dataclass(frozen=True)
class Arm:
    """One arm of a fleet.

    Attributes:
        name: The arm's.
        runs: Number of rows.
        verdicts: How many of each, "error" among them.
        noise_factor: Median of those of inconsistent runs; NaN without any.
        joints: Names.
        joint_noise: Median noise of each joint in units of its stated bound, shape (n,).
        asked_for: How often each joint is blamed most, of runs that are inconsistent.
        series: Offsets, gains and friction of all joints.
    """

    name: str
    runs: int
    verdicts: Mapping[str, int]
    noise_factor: float
    joints: tuple[str, ...]
    joint_noise: Array
    asked_for: Mapping[str, int]
    series: tuple[Series, ...]

    @property
    def inconsistent(self) -> float:
        """Part of the runs that contradict their stated bounds."""
        return self.verdicts.get(Status.INCONSISTENT.value, 0) / self.runs

    @property
    def noisiest(self) -> str:
        """Joint whose noise is the largest part of its stated bound, and that part."""
        if not np.isfinite(self.joint_noise).any():
            return ""
        k = int(np.nanargmax(self.joint_noise))
        return f"{self.joints[k]} ({self.joint_noise[k]:.0%} of its bound)"

    def median(self, joint: str, kind: str) -> str:
        """Return the median of one quantity of one joint with its digits; a dash without any."""
        found = next(s for s in self.series if (s.joint, s.kind) == (joint, kind))
        if not np.isfinite(found.median):
            return "–"
        return number(found.median, digits(float(np.nanmedian(found.deviation))))

    @property
    def watched(self) -> bool:
        """Whether there are runs enough to tell a drift of anything."""
        return any(each.trends for each in self.series)

    @property
    def drifting(self) -> tuple[Series, ...]:
        """What drifts."""
        return tuple(each for each in self.series if each.drifts)

    @property
    def trouble(self) -> tuple[float, ...]:
        """By which arms are ordered, the largest first."""
        errors = self.verdicts.get("error", 0) / self.runs
        return (float(len(self.drifting)), self.inconsistent, errors)


def arms_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Arm, ...]:
    """Return the arms of a table, those with trouble first.

    Args:
        rows: Of the table, with all columns but the evidence.
    """
    names = sorted({row["robot"] for row in rows})
    mine = {name: [row for row in rows if row["robot"] == name] for name in names}
    tests = sum(len(KINDS) * len(OVER) * len(_joints(each)) for each in mine.values())
    arms = [_arm(name, each, tests) for name, each in mine.items()]
    return tuple(sorted(arms, key=lambda arm: [-x for x in arm.trouble]))


def _arm(name: str, rows: Sequence[Mapping[str, Any]], tests: int) -> Arm:
    """Return one arm."""
    joints = _joints(rows)
    usable = [row for row in rows if row["joint_noise"] and tuple(row["joints"]) == joints]
    noise = np.array([row["joint_noise"] for row in usable]).reshape(len(usable), len(joints))
    asked = Counter(
        max(row["blame"], key=lambda b: b["share"])["joint"] for row in rows if row["blame"]
    )
    factors = [row["noise_factor"] for row in rows if row["noise_factor"] is not None]
    return Arm(
        name=name,
        runs=len(rows),
        verdicts=Counter(row["verdict"] or "error" for row in rows),
        noise_factor=float(np.median(factors)) if factors else float("nan"),
        joints=joints,
        joint_noise=np.median(noise, axis=0) if len(noise) else np.full(len(joints), np.nan),
        asked_for=asked,
        series=tuple(
            _series(usable, kind, k, joint, tests) for kind in KINDS
            for k, joint in enumerate(joints)
        ),
    )  # fmt: skip


def _joints(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the joints that most rows are of."""
    found = Counter(tuple(row["joints"]) for row in rows if row["joints"])
    return found.most_common(1)[0][0] if found else ()


def _series(rows: Sequence[Mapping[str, Any]], kind: str, k: int, joint: str, tests: int) -> Series:
    """Return one quantity of one joint over all runs."""
    began = (row["began"] for row in rows)
    when = numbers(None if x is None else x.timestamp() / DAY for x in began)
    temperature = numbers(row["temperature"] for row in rows)
    value = numbers(row[kind][k] if row[kind] else None for row in rows)
    deviation = numbers(row[f"{kind}_deviation"][k] if row[kind] else None for row in rows)
    trends = {
        name: found
        for name, over in (("time", when), ("temperature", temperature))
        if (found := trend(over, value, deviation)) is not None
    }
    return Series(
        joint, kind, when, temperature, value, deviation,
        float(np.nanmedian(value)) if np.isfinite(value).any() else float("nan"),
        trends, tuple(name for name, found in trends.items() if found.drifts(tests)),
    )  # fmt: skip


def numbers(values: Iterator[float | None]) -> Array:
    """Return numbers, NaN for None."""
    return np.array([np.nan if x is None else x for x in values], dtype=float)
