"""No alarm while the stated bounds hold, and no bound above what is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Joints, Run, arm, draw_payload, perturbed_links, record
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.bounds.cutting_planes import CuttingPlanes
from payload_id.core.contact import ContactWatch, FeasibleSet
from payload_id.core.contact.certificate import search
from payload_id.core.errors import InputError, SolverError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

STATED = Uncertainty(
    torque_relative=0.01,
    torque_absolute=0.1,
    torque_gain=0.02,
    torque_offset=0.3,
    link_relative=0.03,
    friction_coulomb=0.3,
    friction_viscous=0.2,
    rotor_inertia=0.02,
    stiction_velocity=0.01,
)
WINDOW = 0.1
EVERY_NAME = pytest.mark.parametrize("name", ("gen3", "branched", "gantry"))


@dataclass(frozen=True, eq=False)
class Case:
    """An arm at the edge of its bounds, with a payload that was learnt."""

    links: np.ndarray
    joints: Joints
    phi: np.ndarray
    online: OnlineIdentifier
    estimate: Estimate

    @property
    def model(self):
        return self.online.rows.model

    @property
    def knowledge(self) -> FeasibleSet:
        return FeasibleSet.of(*self.online.established())

    def run(self, seed: int, seconds: float = 1.0) -> Run:
        return record(self.model, seed, self.phi, seconds, 250.0, self.links, joints=self.joints)

    def watch(self, window: float = WINDOW) -> ContactWatch:
        watch = ContactWatch(self.online.rows, window)
        watch.know(self.knowledge, self.estimate.phi)
        return watch

    def window(self, samples: Samples):
        """Return the rows of the first window of samples."""
        end = int(np.searchsorted(samples.stamp, WINDOW - 1e-6)) + 1
        return self.online.rows.window(samples.part(0, end))

    def pushed(self, run: Run, force, point, since: float = 0.0) -> tuple[Samples, np.ndarray]:
        """Return what is measured with a force at a point, both in the payload frame, and J'f."""
        wrench, true = np.concatenate([force, np.cross(point, force)]), run.true
        torque = body_motion(self.model, true.q, true.dq).axis[:, -1] @ wrench
        torque *= (true.stamp > since)[:, None]
        tau = true.tau - (1.0 + self.joints.gain) * torque
        return replace(run, true=replace(true, tau=tau)).measured(STATED, "uniform").samples, torque


@lru_cache
def case(name: str) -> Case:
    model, rng = arm(name), np.random.default_rng(4)
    links = perturbed_links(model, rng, STATED.link_relative)
    joints = Joints.draw(rng, STATED, model.n, extreme=True)
    phi = draw_payload(rng)
    online = OnlineIdentifier(model, Settings(STATED))
    run = record(model, 11, phi, 4.0, 250.0, links, joints=joints)
    online.add(run.measured(STATED, "vertices", 1).samples)
    return Case(links, joints, phi, online, online.update())


def mean_over(each, stamp, torque):
    """Return the mean of torques over a window, and the slip of the trapezoid rule here."""
    inside = (stamp >= each.start - 1e-9) & (stamp <= each.end + 1e-9)
    span = stamp[inside]
    mean = np.trapezoid(torque[inside], span, axis=0) / (span[-1] - span[0])
    return mean, 1e-3 * np.abs(mean).max()


# Without a contact


@pytest.mark.slow
@EVERY_NAME
def test_there_is_no_false_alarm_and_what_the_payload_does_is_inside_its_bounds(name):
    known = case(name)
    assert known.estimate.contains(known.phi).all()
    for noise, window in (("uniform", 0.03), ("vertices", WINDOW), ("correlated", WINDOW)):
        run = known.run(21)
        bare = record(known.model, 21, 0 * known.phi, 1.0, 250.0, known.links, joints=known.joints)
        borne = (run.true.tau - bare.true.tau) / (1.0 + known.joints.gain)
        judged = known.watch(window).add(run.measured(STATED, noise, 3, window == WINDOW).samples)
        assert len(judged) >= 9
        for each in judged:
            assert not each.certain
            assert each.least_force == each.least_torque == 0.0
            assert each.external.contains(np.zeros(known.model.n))
            assert each.wrench_range.contains(each.wrench)
            mean, slip = mean_over(each, run.true.stamp, borne)
            assert (each.torque_range.lower - slip <= mean).all()
            assert (mean <= each.torque_range.upper + slip).all()


# With a contact


@EVERY_NAME
def test_bounds_on_a_contact_hold(name):
    known = case(name)
    for size in (3.0, 60.0, 300.0):
        rng = np.random.default_rng(round(size))
        force, point = rng.normal(size=3), rng.uniform(-0.2, 0.2, 3)
        force *= size / np.linalg.norm(force)
        samples, torque = known.pushed(known.run(31), force, point, since=0.5)
        judged = [each for each in known.watch().add(samples) if each.start >= 0.5]
        for each in judged:  # the force begins with a jump, which rows do not cover
            mean, slip = mean_over(each, samples.stamp, torque)
            assert (each.external.lower - slip <= mean).all()
            assert (mean <= each.external.upper + slip).all()
            assert each.least_force <= size * (1.0 + 1e-9)
            assert each.least_torque <= np.abs(mean).max() + slip
        assert size < 300.0 or any(each.certain for each in judged)


def test_a_solver_that_errs_raises_no_alarm(monkeypatch):
    known, real = case("gen3"), CuttingPlanes.minimise
    block = known.window(known.run(61).measured(STATED, "uniform").samples)

    def endless(program, cost):
        raise SolverError("linear program", "gave up")

    def random(program, cost):
        found = real(program, cost)
        dual = np.random.default_rng(5).normal(size=len(found.dual))
        return replace(found, dual=dual, value=2.0)

    for broken in (endless, random):
        monkeypatch.setattr(CuttingPlanes, "minimise", broken)
        assert search(known.knowledge, block).proof is None


def test_without_a_payload_nothing_is_said():
    known = case("gen3")
    watch, samples = ContactWatch(known.online.rows, WINDOW), known.run(71).true
    assert watch.add(samples) == []
    with pytest.raises(InputError, match="know"):
        watch.judge(samples.part(0, 26))
    with pytest.raises(InputError, match="without rows"):
        FeasibleSet.of(*OnlineIdentifier(known.model, Settings(STATED)).established())
