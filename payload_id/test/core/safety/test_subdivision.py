"""The engine that proves a motion on slices of time, with a bound that is known in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from payload_id.core.safety.margins.subdivision import Slices, prove


@dataclass(frozen=True)
class Found:
    slices: Slices
    most: np.ndarray
    limit: float

    @property
    def failed(self):
        return self.most > self.limit

    @property
    def loose(self):
        return np.zeros(len(self.most), dtype=bool)


@dataclass
class Parabola:
    """x (1 - x) <= limit, by the slope of each slice; 1/4 is its largest value."""

    limit: float
    depth: int = 8
    report_depth: int = 0
    proved: float = 0.0

    def judge(self, slices):
        x, h = slices.middle, (slices.end - slices.start) / 2
        return Found(slices, x * (1 - x) + h, self.limit)

    def refused(self, found, last):
        x = found.slices.middle[found.failed]
        over = x * (1 - x) > self.limit
        return float(x[over][0]) if over.any() else float(x[0]) if last else None

    def settle(self, found, done):
        self.proved += float((found.slices.end - found.slices.start)[done].sum())

    def halves(self, found, again):
        return found.slices.halves(again)


@pytest.mark.parametrize("count", [1, 3, 10])
def test_what_holds_is_proved_on_all_of_the_motion_and_what_does_not_is_refused(count):
    slices, bound = Slices.between(np.linspace(0.0, 1.0, count + 1)), Parabola(0.26)
    assert prove(bound, slices) is None and bound.proved == pytest.approx(1.0)
    refused = prove(Parabola(0.24), slices)
    assert refused * (1 - refused) > 0.24
    assert prove(Parabola(0.2501), slices) is not None  # true, but beyond the finest slices
