"""A wrench or its orientation that is read otherwise than it was written is called that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.diagnosis.wrench.mounting import diagnose
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


def with_numbers(samples: WrenchSamples, order: list[int], signs: list[int]) -> WrenchSamples:
    """Return samples whose quaternions' numbers (x, y, z, w) are read in another order."""
    numbers = Rotation.from_matrix(samples.rotation).as_quat() * signs
    return replace(samples, rotation=Rotation.from_quat(numbers[:, order]).as_matrix())


def in_world(samples: WrenchSamples) -> WrenchSamples:
    """Return samples whose wrench is in the axes of the world."""
    halves = samples.wrench.reshape(-1, 2, 3)
    turned = np.einsum("kij,khj->khi", samples.rotation, halves)
    return samples.with_wrench(turned.reshape(-1, 6))


def unturned(samples: WrenchSamples) -> WrenchSamples:
    """Return samples with the first orientation throughout."""
    return replace(samples, rotation=np.repeat(samples.rotation[:1], len(samples), axis=0))


def in_frame(turn: list[float]):
    """Return a change to samples whose wrench is in a frame that is turned [degrees]."""
    Q = Rotation.from_rotvec(turn, degrees=True).as_matrix()

    def change(samples: WrenchSamples) -> WrenchSamples:
        halves = samples.wrench.reshape(-1, 2, 3) @ Q
        return samples.with_wrench(halves.reshape(-1, 6))

    return change


ORIENTATIONS = {
    "inverse": (
        lambda s: replace(s, rotation=s.rotation.transpose(0, 2, 1)), "inverse of what it should"
    ),
    "scalar first": (lambda s: with_numbers(s, [3, 0, 1, 2], [1] * 4), "with the scalar first"),
    "both": (
        lambda s: with_numbers(s, [3, 0, 1, 2], [-1, -1, -1, 1]), "(w, x, y, z), and inverted"
    ),
    "world": (in_world, "in the axes of the world"),
    "still": (unturned, "the same in all samples"),
    "turned": (in_frame([0.0, 0.0, 45.0]), "turned by 45 degrees about (0.0, 0.0, 1.0)"),
    "askew": (in_frame([-18.0, 0.0, 24.0]), "turned by 30 degrees about (-0.6, 0.0, 0.8)"),
    "exchanged": (
        lambda s: s.with_wrench(np.roll(s.wrench, 3, axis=1)), "Force and torque are exchanged"
    ),
    "gravity": (lambda s: replace(s, gravity=(9.81, 0.0, 0.0)), "has the direction (0.0"),
}  # fmt: skip


@pytest.mark.parametrize("speed", [0.3, 1.0])
@pytest.mark.parametrize("fault", ORIENTATIONS)
def test_an_orientation_that_is_read_otherwise_is_named(fault, speed) -> None:
    change, words = ORIENTATIONS[fault]
    said = diagnose(change(simulated(bias=BIAS, noise=0.02, speed=speed, seconds=8.0))) or ""
    assert words in said.replace("(-0.0", "(0.0")
    if "mass" in said:
        assert "payload of 1.3" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda w: w * [1, 1, 1, 1e3, 1e3, 1e3],
        lambda w: np.roll(w, 40, axis=0),
        lambda w: np.clip(w, -4.0, 4.0),
    ],
    ids=["torques in N mm", "late", "saturated"],
)
def test_what_goes_wrong_nearly_always_is_no_contact(change) -> None:
    samples = simulated(noise=0.02, seconds=5.0)
    false = samples.with_wrench(change(samples.wrench))
    estimate = identify_wrench(false, USUAL, largest_offset=0.0)
    assert estimate.status is Status.INCONSISTENT
    assert "seldom a contact" in estimate.message and "units" in estimate.message
    assert "acts on the sensor" not in estimate.message
