"""What is in the hand is told by the rows: picks, releases, and contacts that are neither."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import Motion, arm, joint_torques, of_point_masses, perturbed_links, record
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.control.carried_weight import LARGEST_STEP, CarriedWeight, weight_torque
from payload_id.core.identification.hand_watch import (
    CERTAIN,
    Gaussian,
    HandWatch,
    Seen,
    body_odds,
)
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter

SENSORS = Uncertainty(
    torque_relative=0.005, torque_absolute=0.05, torque_gain=0.01, link_relative=0.05
)
PICK, RELEASE, END, TOLD = 3.03, 5.03, 6.5, 0.3  # [s]
PAYLOAD = of_point_masses(np.full(4, 0.2), 0.1 * np.eye(4, 3))


@lru_cache
def scene(phi=tuple(PAYLOAD), push=0.0):
    """Return samples of an arm with a payload from `PICK` to `RELEASE`, or pushed then [N]."""
    model = arm("panda")
    links = perturbed_links(model, np.random.default_rng(1), 0.05)
    bare = record(model, 2, phi=np.zeros(10), seconds=END, links=links)
    t, q, dq, tau = (getattr(bare.samples, x).copy() for x in ("stamp", "q", "dq", "tau"))
    held = (t >= PICK) & (t < RELEASE)
    ddq = Motion.draw(model, np.random.default_rng(2)).at(t)[2]
    tau[held] = joint_torques(model, links, np.array(phi), q[held], dq[held], ddq[held])
    sideways = np.array([push, 0.0, 0.0])
    tau[held] -= body_motion(model, q[held], dq[held]).axis[:, -2, :, :3] @ sideways
    run = replace(bare, true=replace(bare.samples, tau=tau))
    return run.measured(SENSORS, "uniform", seed=3)


def watched(samples, model, bounds=SENSORS):
    """Return the identification of samples, and estimates with their times."""
    online, found = OnlineIdentifier(model, Settings(bounds, hands_free=True)), []
    for number, window in enumerate(online.cut(samples)):
        online.take(window)
        if number % 8 == 7:
            found.append((float(window.stamp[-1]), online.update()))
    return online, found


def test_a_pick_and_a_release_are_told_and_no_interval_is_of_another_payload():
    """Both within 0.3 s; from then on intervals are of what is in the hand."""
    run = scene()
    online, found = watched(run.samples, run.model)
    assert [event.seen for event in online.events] == [Seen.PICKED, Seen.RELEASED]
    for event, time in zip(online.events, (PICK, RELEASE), strict=True):
        assert time <= event.told <= time + TOLD
    for time, estimate in found:
        truth = PAYLOAD if PICK <= time < RELEASE else np.zeros(10)
        if not (0.0 <= time - PICK < TOLD or 0.0 <= time - RELEASE < TOLD):
            assert estimate.contains(truth).all()
        assert estimate.status is not Status.INCONSISTENT
    of_payload = [x for t, x in found if PICK + 0.5 < t < RELEASE]
    assert of_payload and all(abs(x.since - PICK) < 0.11 for x in of_payload)
    assert of_payload[-1].mass_identified


def test_where_torques_contain_friction_events_come_without_intervals():
    run = scene()
    online, found = watched(run.samples, run.model, replace(SENSORS, friction_coulomb=0.1))
    assert online.events[0].seen is Seen.PICKED
    for _, estimate in found:
        assert estimate.status in (Status.NOT_IDENTIFIABLE, Status.NO_DATA)
        assert estimate.contains(PAYLOAD).all() and not estimate.mass_identified
    assert "friction_coulomb" in found[-1][1].message


@pytest.mark.slow
def test_a_contact_is_no_pick():
    """While something pushes, it is not said what is in the hand; afterwards it is empty again."""
    run = scene(phi=(0.0,) * 10, push=30.0)
    online, found = watched(run.samples, run.model)
    assert not online.events
    during = [x for t, x in found if PICK + 0.5 < t < RELEASE]
    assert {x.status for x in during} == {Status.NOT_IDENTIFIABLE}
    assert found[-1][1].upper[0] < during[-1].upper[0]


def test_what_cannot_be_a_body_is_no_payload():
    """Each body within the reach is likelier than not; a negative mass, or one too far, is none."""
    prior, rng = PayloadPrior(3.0, 0.3), np.random.default_rng(7)
    for _ in range(50):
        points = rng.normal(size=(5, 3))
        points *= 0.3 * rng.random((5, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
        phi, root = of_point_masses(rng.random(5), points), rng.normal(size=(12, 12))
        state = Gaussian(np.concatenate([np.zeros(2), phi]), 1e-4 * root @ root.T)
        assert body_odds(state, prior) >= 0.0
        deviation = np.sqrt(np.diag(state.covariance)[2:])
        too_light, too_far = state.mean.copy(), state.mean.copy()
        too_light[2] = -7.0 * deviation[0]
        too_far[3] = 0.3 * phi[0] + 7.0 * (deviation[1] + 0.3 * deviation[0])
        for mean in (too_light, too_far):
            assert body_odds(Gaussian(mean, state.covariance), prior) < -CERTAIN


@pytest.mark.slow
@pytest.mark.parametrize("push", [0.0, 30.0])
def test_a_gripper_says_when_and_torques_how_much(push):
    """What is held is told before it is lifted; an open gripper holds nothing that pushes."""
    run = scene(phi=(0.0,) * 10, push=push) if push else scene()
    bounds = replace(SENSORS, friction_coulomb=0.1)
    rows, events, masses = MomentumRows.of(run.model, bounds), [], {}
    hand = HandWatch.empty_handed(rows, RowBlock.empty(rows.p))
    for number, window in enumerate(WindowCutter(0.05).add(run.samples)):
        end = float(window.stamp[-1])
        held = not push and PICK - 0.3 <= end < RELEASE
        hand = hand.with_window(number, rows.window(window), held)
        events += [event for event in hand.events if not event.again]
        masses[end] = hand.phi[0]
    if push:
        assert not events
        return
    assert [event.seen for event in events] == [Seen.PICKED, Seen.RELEASED]
    for event, time in zip(events, (PICK - 0.3, RELEASE), strict=True):
        assert time <= event.told <= time + 0.06
    at = max(end for end in masses if end < RELEASE)
    assert abs(masses[at] - PAYLOAD[0]) < 0.05 * PAYLOAD[0]


@pytest.mark.slow
def test_what_happened_does_not_depend_on_pieces_or_updates():
    """A replay tells the same events, to the last bit."""
    run = scene()
    whole, _ = watched(run.samples, run.model)
    pieces = OnlineIdentifier(run.model, Settings(SENSORS, hands_free=True))
    for start in range(0, len(run.samples), 7):
        pieces.add(run.samples.part(start, start + 7))
    assert pieces.events == whole.events
    np.testing.assert_array_equal(pieces.hand.phi, whole.hand.phi)


@pytest.mark.parametrize("name", ["panda", "branched", "gantry"])
def test_the_weight_is_what_inverse_dynamics_say_and_never_jumps(name):
    """At rest the payload adds exactly this torque; it comes by steps of 2 % of the limit."""
    model = arm(name)
    q, still = np.random.default_rng(1).uniform(-1.0, 1.0, model.n), np.zeros((1, model.n))
    both = [
        joint_torques(model, model.link_phi, phi, q[None], still, still)[0]
        for phi in (PAYLOAD, np.zeros(10))
    ]
    wanted = both[0] - both[1]
    np.testing.assert_allclose(weight_torque(model, q, PAYLOAD), wanted, atol=1e-9)
    carried = CarriedWeight(model, np.full(model.n, 100.0))
    before = np.zeros(model.n)
    for _ in range(60):
        now = carried.at(q, PAYLOAD)
        assert np.abs(now - before).max() <= LARGEST_STEP * 100.0 + 1e-12
        before = now
    np.testing.assert_allclose(before, wanted, atol=1e-9)


def test_joints_without_torque_are_watched_where_the_bound_is_a_part_of_it():
    run = scene()
    rows = MomentumRows.of(run.model, Uncertainty(torque_relative=0.02, link_relative=0.05))
    hand = HandWatch.empty_handed(rows, RowBlock.empty(rows.p))
    still = replace(run.samples, tau=np.zeros_like(run.samples.tau))
    for number, window in enumerate(WindowCutter(0.05).add(still)[:12]):
        block = rows.window(window)
        assert (hand.noise(block) > 0.0).all()
        hand = hand.with_window(number, block)
    assert not hand.settled.any()
