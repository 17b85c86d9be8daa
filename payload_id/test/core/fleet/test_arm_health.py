"""How an arm was on the day of a run: what was put into a simulated joint is found again."""

from dataclasses import replace

import numpy as np
import pytest

from arms import Joints, arm, perturbed_links, record
from payload_id import Uncertainty
from payload_id.core.fleet import KINDS, ArmHealth
from payload_id.core.fleet.arm_health import opened

STATED = Uncertainty(torque_absolute=0.05, link_relative=0.02)  # nothing of offsets or friction


def run_with(name, seed, bare=False, **errors):
    """Return an arm and noisy samples with constant joint errors, zero where not given."""
    model, rng = arm(name), np.random.default_rng(seed)
    zero = np.zeros(model.n)
    joints = Joints(
        *(errors.get(x, zero) for x in ("coulomb", "viscous", "rotor", "offset", "gain"))
    )
    links = perturbed_links(model, rng, 0.5 * STATED.link_relative)
    phi = np.zeros(10) if bare else None
    made = record(model, seed, phi, 4.0, links=links, joints=joints)
    noise = rng.uniform(-0.05, 0.05, made.samples.tau.shape)
    return model, replace(made.samples, tau=made.samples.tau + noise)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed", "bare"), [("ur10", 1, False), ("gen3", 2, True)])
def test_offsets_are_found_that_nobody_stated(name, seed, bare):
    n = arm(name).n
    offset = np.random.default_rng(seed).uniform(-1.0, 1.0, n)
    model, samples = run_with(name, seed, bare, offset=offset)
    found = ArmHealth.of(samples, model, STATED, 0.1, bare)
    known = found.known["torque_offset"]
    assert known.sum() >= n - 2
    error = np.abs(found.value["torque_offset"] - offset)[known]
    assert (error < 0.15).all(), error
    assert np.median(error / found.deviation["torque_offset"][known]) < 4.0


@pytest.mark.slow
def test_a_change_of_one_joint_is_seen_in_that_joint_alone():
    before = run_with("ur10", 3)
    offset = np.array([0.0, 0.0, 0.5, 0.0, 0.0, 0.0])
    after = run_with("ur10", 3, offset=offset)
    values = [ArmHealth.of(samples, model, STATED, 0.1).value["torque_offset"]
              for model, samples in (before, after)]  # fmt: skip
    assert values[1] - values[0] == pytest.approx(offset, abs=0.05)


@pytest.mark.slow
def test_friction_is_found():
    coulomb, viscous = np.full(6, 0.8), np.full(6, 0.5)
    model, samples = run_with("ur10", 4, coulomb=coulomb, viscous=viscous)
    found = ArmHealth.of(samples, model, STATED, 0.1)
    known = found.known["friction_coulomb"] & found.known["friction_viscous"]
    assert known.sum() >= 4
    assert found.value["friction_coulomb"][known] == pytest.approx(0.8, abs=0.25)


def test_opened_boxes_hold_the_stated_ones():
    wide = Uncertainty(torque_offset=50.0, torque_gain=0.5)
    tau = np.array([[1.0, -40.0, 0.0]])
    for stated in (STATED, wide):
        found = opened(stated, tau)
        for kind in KINDS:
            now, before = found.per_joint(kind, 3), stated.per_joint(kind, 3)
            assert (now >= before).all() and (now > 0.0).all()
