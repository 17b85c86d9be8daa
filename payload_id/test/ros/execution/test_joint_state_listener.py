"""Joint states as they are taken, through a driver that begins anew and a node that stood still."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from harness import Observer
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.execution.joint_state_listener import JointStateListener
from promises.nodes import next_domain

DOMAIN = next_domain()

ROBOT = RobotFile.load("kinova_gen3")


def joint_states(seconds, position, velocity):
    message = JointState(name=list(ROBOT.joints), position=position, velocity=velocity)
    message.effort = [0.0] * ROBOT.n
    message.header.stamp.sec = int(seconds)
    message.header.stamp.nanosec = round(seconds % 1 * 1e9)
    return message


def take(observer, listener, count):
    """Take so many joint states that can be used."""
    found = []
    observer.wait(
        lambda: found.append(len(listener.take(every=True).stamp)) or sum(found) == count, "them"
    )


@pytest.fixture
def heard():
    """Return an observer, a listener, and publishers that it hears."""
    observer = Observer(DOMAIN)
    listener = JointStateListener(observer.node, ROBOT, 0.2, "reliable")
    publishers = [observer.publisher(JointState, listener.topic) for _ in range(2)]
    observer.wait(lambda: all(x.get_subscription_count() > 0 for x in publishers), "the listener")
    yield observer, listener, publishers
    observer.close()


def test_what_was_before_a_driver_began_anew_is_forgotten_once_it_is_heard(heard):
    observer, listener, (publisher, _) = heard

    def publish(seconds, position=0.0, velocity=0.0):
        publisher.publish(joint_states(seconds, [position] * ROBOT.n, [velocity] * ROBOT.n))

    def taken(count):
        take(observer, listener, count)

    publish(1000.0, velocity=0.5)
    publish(1000.01, velocity=0.5)
    taken(2)
    publish(100.0, position=np.nan)  # of no use: what was before is known still
    observer.wait(lambda: listener.take(every=True) and listener.dropped, "it")
    assert "cannot be used: the last one counts as not finite" in listener.unusable
    assert listener.known and listener.now_ns >= 1_000_010_000_000
    for value in (1e300, -np.inf, 9e8):  # neither is a velocity beyond any, nor its stamp
        before = listener.dropped
        publish(1e6, velocity=value)
        observer.wait(lambda b=before: listener.take(every=True) and listener.dropped != b, "it")
        assert listener.now_ns < 1_100_000_000_000
    assert (
        f"{ROBOT.joints[0]} has 9e+08 rad/s" in listener.unusable
        and "degrees?" in listener.unusable
    )
    for k in range(6):  # some of them, old and new, may wait together
        publish(1001.0 + 0.01 * k if k < 3 else 100.0 + 0.01 * k, velocity=0.5 if k < 3 else 0.0)
    taken(6)
    assert listener.unusable == ""
    assert listener.speed.max() == 0.0 and listener.now_ns < 200_000_000_000


def test_where_this_process_stood_still_what_waited_speaks_neither_of_clock_nor_driver(heard):
    observer, listener, (publisher, _) = heard
    publisher.publish(joint_states(time.time(), [0.2] * ROBOT.n, [0.0] * ROBOT.n))
    observer.wait(lambda: len(listener.take(every=True).stamp), "it")
    time.sleep(0.4)
    assert listener.take(every=True).age < 0.2  # of listening
    publisher.publish(joint_states(time.time() - 0.3, [0.2] * ROBOT.n, [0.0] * ROBOT.n))
    observer.wait(lambda: len(listener.take(every=True).stamp), "it")
    assert listener.clock_fault == "" and abs(1e-9 * listener.now_ns - time.time()) < 0.1


def test_a_stamp_off_the_clock_is_told_whatever_waits_behind_it(heard):
    observer, listener, publishers = heard
    looks = []
    for publisher, ahead in zip(publishers, (3600.0, 0.0), strict=True):
        publisher.publish(joint_states(time.time() + ahead, [0.2] * ROBOT.n, [0.0] * ROBOT.n))
    time.sleep(0.05)  # both wait
    observer.wait(
        lambda: looks.append(listener.take(every=True)) or sum(len(x.stamp) for x in looks) == 2,
        "both",
    )
    assert any("ahead of the clock" in look.clock for look in looks) and not listener.clock_fault


def test_an_arm_that_stands_at_the_seam_of_a_turn_stands_still(heard):
    """Noise of positions makes a driver report one side and the other."""
    observer, listener, (publisher, _) = heard
    endless = np.array(ROBOT.continuous)
    for k in range(6):
        side = np.where(endless, np.pi - 1e-5, 0.3) * (-1.0) ** (k * endless)
        publisher.publish(joint_states(1000.0 + 0.02 * k, side.tolist(), []))
    take(observer, listener, 6)
    assert listener.speed.max() < 0.02


@pytest.mark.parametrize("noise", [0.0, 1e-3])
@pytest.mark.parametrize(("speed", "moves"), [(0.3, True), (0.04, True), (0.0, False)])
def test_positions_that_move_count_where_a_driver_fills_in_velocities(heard, speed, moves, noise):
    rng = np.random.default_rng(1)
    observer, listener, (publisher, _) = heard
    for k in range(20):
        pose = (0.2 + 0.01 * k * speed + noise * rng.normal(size=ROBOT.n)).tolist()
        publisher.publish(joint_states(1000.0 + 0.01 * k, pose, [0.0] * ROBOT.n))
    take(observer, listener, 20)
    assert listener.speed.min() == (pytest.approx(speed, abs=0.02) if moves else 0.0)
    assert (listener.speed > 0.02).all() == moves


def test_another_publisher_is_noticed_whatever_it_sends(heard):
    _, listener, _ = heard
    assert f"{listener.topic} has more than one publisher" in listener.conflict
    alone = JointStateListener(heard[0].node, ROBOT, 60.0, "reliable", "/of_nobody")
    assert not alone.conflict
