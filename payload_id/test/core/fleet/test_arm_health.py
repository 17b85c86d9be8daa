"""How an arm was on the day of a run: what was put into a simulated joint is found again."""

from dataclasses import replace

import numpy as np
import pytest

from arms import Joints, arm, perturbed_links, record
from payload_id import Uncertainty
from payload_id.core.fleet import ArmHealth

STATED = Uncertainty(torque_absolute=0.05, link_relative=0.02)  # nothing of offsets or friction


def health(name, seed, bare=False, **errors):
    """Return what is found in noisy samples with constant joint errors, zero where not given."""
    model, rng = arm(name), np.random.default_rng(seed)
    names = ("coulomb", "viscous", "rotor", "offset", "gain")
    joints = Joints(*(errors.get(x, np.zeros(model.n)) for x in names))
    links = perturbed_links(model, rng, 0.5 * STATED.link_relative)
    phi = np.zeros(10) if bare else None
    samples = record(model, seed, phi, 3.0, links=links, joints=joints).samples
    noise = rng.uniform(-0.05, 0.05, samples.tau.shape)
    return ArmHealth.of(replace(samples, tau=samples.tau + noise), model, STATED, 0.1, bare)


@pytest.mark.parametrize(("name", "seed", "bare"), [("ur10", 1, False), ("gen3", 2, True)])
def test_offsets_are_found_that_nobody_stated(name, seed, bare):
    offset = np.random.default_rng(seed).uniform(-1.0, 1.0, arm(name).n)
    found = health(name, seed, bare, offset=offset)
    known = found.known["torque_offset"]
    assert known.sum() >= arm(name).n - 2
    error = np.abs(found.value["torque_offset"] - offset)[known]
    assert (error < 0.15).all(), error
    assert np.median(error / found.deviation["torque_offset"][known]) < 4.0


def test_a_change_of_one_joint_is_seen_in_that_joint_alone():
    offset = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    before, after = (health("ur10", 3, offset=part * offset) for part in (0.0, 1.0))
    change = after.value["torque_offset"] - before.value["torque_offset"]
    assert change == pytest.approx(offset, abs=0.05)


def test_friction_is_found():
    found = health("ur10", 4, coulomb=np.full(6, 0.8), viscous=np.full(6, 0.5))
    known = found.known["friction_coulomb"] & found.known["friction_viscous"]
    assert known.sum() >= 4
    assert found.value["friction_coulomb"][known] == pytest.approx(0.8, abs=0.25)
