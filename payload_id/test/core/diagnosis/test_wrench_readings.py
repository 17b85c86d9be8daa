"""A wrench or its orientation that is read otherwise than it was written is called that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.identification.status import Status
from payload_id.core.identification.wrench.identify import identify_wrench
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import simulated

BIAS = np.array([3, -2, 10, 0.1, -0.2, 0.3])
USUAL = WrenchUncertainty(
    force_error=0.1, torque_error=0.01, time_error=1e-3,
    prior=PayloadPrior(mass_max=3.0, com_max=0.3),
)  # fmt: skip


def scalar_first(samples: WrenchSamples, signs: list[int]) -> WrenchSamples:
    """Return samples whose quaternions' numbers (x, y, z, w) are read with the scalar first."""
    numbers = Rotation.from_matrix(samples.rotation).as_quat() * signs
    read = Rotation.from_quat(numbers[:, [3, 0, 1, 2]]).as_matrix()
    return replace(samples, rotation=read)


def turned(samples: WrenchSamples, R: np.ndarray) -> WrenchSamples:
    """Return samples whose force and torque are turned by R', shape (3, 3) or (N, 3, 3)."""
    return samples.with_wrench((samples.wrench.reshape(-1, 2, 3) @ R).reshape(-1, 6))


def about(*degrees: float) -> np.ndarray:
    """Return the rotation by a vector [deg]."""
    return Rotation.from_rotvec(degrees, degrees=True).as_matrix()


READ_OTHERWISE = {
    "inverse of what it should": lambda s: replace(s, rotation=s.rotation.transpose(0, 2, 1)),
    "with the scalar first": lambda s: scalar_first(s, [1, 1, 1, 1]),
    "and inverted": lambda s: scalar_first(s, [-1, -1, -1, 1]),
    "in the axes of the world": lambda s: turned(s, s.rotation.transpose(0, 2, 1)),
    "(y, x, z) as x, y, z": lambda s: s.with_wrench(s.wrench[:, [1, 0, 2, 3, 4, 5]]),
    "torque has the wrong sign": lambda s: s.with_wrench(s.wrench * np.repeat([1.0, -1.0], 3)),
    "in mN m, not in N m": lambda s: s.with_wrench(s.wrench * np.repeat([1.0, 1e3], 3)),
    "turned by 45 degrees about (0.0, 0.0, 1.0)": lambda s: turned(s, about(0, 0, 45)),
    "turned by 30 degrees about (-0.6, 0.0, 0.8)": lambda s: turned(s, about(-18, 0, 24)),
    "Force and torque are exchanged": lambda s: s.with_wrench(np.roll(s.wrench, 3, axis=1)),
    "Gravity seems to be": lambda s: replace(s, gravity=(9.81, 0.0, 0.0)),
}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "change"), READ_OTHERWISE.items())
def test_a_wrench_or_an_orientation_that_is_read_otherwise_is_named(words, change) -> None:
    samples = simulated(bias=BIAS, noise=0.02, seconds=4.0, rate=100.0)
    estimate = identify_wrench(change(samples), USUAL, largest_offset=0.0)
    assert estimate.status is Status.INCONSISTENT and not estimate.contamination
    assert words in estimate.diagnosis.replace("(-0.0", "(0.0").replace(", -0.0", ", 0.0")


def test_what_goes_wrong_nearly_always_is_no_contact() -> None:
    wrench = simulated(noise=0.02, seconds=3.0, rate=100.0)
    for wrong in (np.roll(wrench.wrench, 20, axis=0), np.clip(wrench.wrench, -4.0, 4.0)):
        estimate = identify_wrench(wrench.with_wrench(wrong), USUAL, largest_offset=0.0)
        assert estimate.status is Status.INCONSISTENT and not estimate.contamination
