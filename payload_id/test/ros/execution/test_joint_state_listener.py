"""Joint states as the planner takes them, through a driver that begins anew."""

from __future__ import annotations

import time

import numpy as np
import pytest
from sensor_msgs.msg import JointState

from harness import Observer
from payload_id.files.robots.robot_file import RobotFile
from payload_id.ros.common.polled_subscription import PublisherCount
from payload_id.ros.execution.joint_state_listener import ASLEEP, WAKING, JointStateListener
from ros_domain import next_domain

DOMAIN = next_domain()

ROBOT = RobotFile.load("kinova_gen3")


def joint_states(seconds, position, velocity):
    message = JointState(name=list(ROBOT.joints), position=position, velocity=velocity)
    message.effort = [0.0] * ROBOT.n
    message.header.stamp.sec = int(seconds)
    message.header.stamp.nanosec = round(seconds % 1 * 1e9)
    return message


@pytest.fixture
def observer():
    observer = Observer(DOMAIN)
    yield observer
    observer.close()


def test_what_was_before_a_driver_began_anew_is_forgotten_once_it_is_heard(observer):
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")

    def publish(seconds, position=0.0, velocity=0.0):
        publisher.publish(joint_states(seconds, [position] * ROBOT.n, [velocity] * ROBOT.n))

    def taken(count):
        return observer.wait(lambda: listener.take(every=True) and listener.received == count, "it")

    publish(1000.0, velocity=0.5)
    publish(1000.01, velocity=0.5)
    taken(2)
    assert listener.unusable == ""
    publish(100.0, position=np.nan)  # of no use: what was before is known still
    observer.wait(lambda: listener.take(every=True) and listener.dropped, "it")
    assert "cannot be used: the last one counts as not finite" in listener.unusable
    assert listener.known and listener.now_ns >= 1_000_010_000_000
    for value in (1e300, -np.inf, 9e8):  # neither is a velocity beyond any, nor its stamp
        listener.dropped = ""
        publish(1e6, velocity=value)
        observer.wait(lambda: listener.take(every=True) and listener.dropped, "it")
        assert listener.now_ns < 1_100_000_000_000
    assert (
        f"{ROBOT.joints[0]} has 9e+08 rad/s" in listener.unusable
        and "degrees?" in listener.unusable
    )
    for k in range(6):  # some of them, old and new, may wait together
        publish(1001.0 + 0.01 * k if k < 3 else 100.0 + 0.01 * k, velocity=0.5 if k < 3 else 0.0)
    taken(8)
    assert listener.unusable == ""
    assert listener.speed.max() == 0.0 and listener.now_ns < 200_000_000_000


def test_who_slept_knows_what_time_it_is_though_what_waits_is_old(observer):
    """Points of a stop must not begin in the past of the arm."""
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")
    still = [0.0] * ROBOT.n
    publisher.publish(joint_states(1000.0, still, still))
    observer.wait(lambda: listener.take(every=True) and listener.received == 1, "it")
    assert listener.awake > 1e3
    publisher.publish(joint_states(1000.02, still, still))
    time.sleep(0.4)
    observer.wait(lambda: listener.take(every=True) and listener.received == 2, "the old one")
    assert listener.awake < ASLEEP and listener.now_ns >= 1_000_400_000_000
    assert 0.4 <= listener.slept < 1.0
    time.sleep(WAKING)
    assert listener.slept == 0.0
    publisher.publish(joint_states(1000.5, still, still))
    listener.take(every=False)
    observer.wait(lambda: listener.take(every=False) and listener.received == 3, "a new one")
    assert 1_000_500_000_000 <= listener.now_ns < 1_000_900_000_000


def test_an_arm_that_stands_at_the_seam_of_a_turn_stands_still(observer):
    """Noise of positions makes a driver report one side and the other."""
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")
    endless = np.array(ROBOT.continuous)
    assert endless.any() and not endless.all()
    for k in range(6):
        side = np.where(endless, np.pi - 1e-5, 0.3) * (-1.0) ** (k * endless)
        publisher.publish(joint_states(1000.0 + 0.02 * k, side.tolist(), []))
    observer.wait(lambda: listener.take(every=True) and listener.received == 6, "them")
    assert listener.speed.max() < 0.02


@pytest.mark.parametrize(
    ("positions", "step"),
    [
        ([0.0, 0.3, 0.001, 0.3], 0.3),  # two arms
        ([0.0, 0.012, 0.024, 0.036], None),  # one at 1.2 rad/s
        ([0.0, 0.0, 0.03, 0.03], None),  # its states come in pairs
        ([1e-4, 2.0 * np.pi, 1e-4, 2.0 * np.pi - 1e-4], None),  # at the seam of a turn
    ],
)
def test_positions_that_no_arm_has_one_after_the_other_are_told(observer, positions, step):
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")
    assert listener.leap(np.full(ROBOT.n, 2.0)) is None
    joint = int(np.argmax(ROBOT.continuous))
    for k, value in enumerate(positions):
        pose = np.where(np.arange(ROBOT.n) == joint, value, 0.2)
        publisher.publish(joint_states(1000.0 + 0.01 * k, pose.tolist(), []))
    observer.wait(lambda: listener.take(every=True) and listener.received == 4, "them")
    found = listener.leap(np.full(ROBOT.n, 2.0))
    if step is None:
        assert found is None
    else:
        assert found == (joint, pytest.approx(step, abs=0.002), pytest.approx(0.01))


@pytest.mark.parametrize("noise", [0.0, 1e-3])
@pytest.mark.parametrize(("speed", "moves"), [(0.3, True), (0.04, True), (0.0, False)])
def test_positions_that_move_count_where_a_driver_fills_in_velocities(
    observer, speed, moves, noise
):
    rng = np.random.default_rng(1)
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")
    for k in range(20):
        pose = (0.2 + 0.01 * k * speed + noise * rng.normal(size=ROBOT.n)).tolist()
        publisher.publish(joint_states(1000.0 + 0.01 * k, pose, [0.0] * ROBOT.n))
    observer.wait(lambda: listener.take(every=True) and listener.received == 20, "them")
    assert listener.speed.min() == (pytest.approx(speed, abs=0.02) if moves else 0.0)
    assert (listener.speed > 0.02).all() == moves


@pytest.mark.parametrize(
    ("ahead", "joints", "several"),
    [
        (0.0, ROBOT.joints, True),
        (0.1, ROBOT.joints, True),  # all of the arm's own states are old
        (-0.1, ROBOT.joints, True),
        (0.0, ["finger"], False),  # a gripper
    ],
)
def test_another_publisher_of_the_same_joints_is_noticed(observer, ahead, joints, several):
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publishers = [observer.publisher(JointState, listener.topic) for _ in range(2)]
    observer.wait(lambda: all(x.get_subscription_count() > 0 for x in publishers), "the listener")
    for k in range(20):
        pose = [0.2] * ROBOT.n
        publishers[0].publish(joint_states(1000.0 + 0.01 * k, pose, [0.0] * ROBOT.n))
        other = joint_states(1000.0 + ahead + 0.01 * k, pose, [0.0] * ROBOT.n)
        other.name, other.position = list(joints), [0.2] * len(joints)
        other.velocity = [0.0] * len(joints)
        publishers[1].publish(other)
        time.sleep(0.005)
        listener.take(every=False)
    assert listener.has_several_publishers is several


def test_a_publisher_that_begins_anew_is_one():
    one = PublisherCount()
    for k in (1, 2, 3, 7, 8, 1, 2, 3):  # some were lost
        one.see(k, False, 0.0)
    assert not one.are_several(0.0)
    for k in (4, 5, 6):  # its stamps go back, as a clock does that is corrected
        one.see(k, True, 0.0)
    assert not one.are_several(0.0)
    for k in (2, 7, 3, 8):
        one.see(k, False, 0.1)
    assert one.are_several(0.1) and not one.are_several(4.0)


@pytest.mark.parametrize(("own", "other"), [(2.0, 1000.0), (100.0, 1000.0), (1000.0, 10.0)])
@pytest.mark.parametrize("ahead", [0.001, 0.1])
def test_of_two_publishers_both_are_heard_whatever_their_rates(observer, own, other, ahead):
    """Judged ten times a second, as before a motion."""
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publishers = [observer.publisher(JointState, listener.topic) for _ in range(2)]
    observer.wait(lambda: all(x.get_subscription_count() > 0 for x in publishers), "the listener")
    pose, still = [0.2] * ROBOT.n, [0.0] * ROBOT.n
    sent = sorted([(k / own, 0) for k in range(int(2.0 * own))]
                  + [(k / other + 1e-4, 1) for k in range(int(2.0 * other))])  # fmt: skip
    due = 0.1
    for time_of, who in sent:
        while time_of >= due:
            listener.take(every=False)
            due += 0.1
        publishers[who].publish(joint_states(1000.0 + time_of + ahead * who, pose, still))
    observer.wait(lambda: listener.take(every=False) or True, "the rest")
    assert listener.has_several_publishers


@pytest.mark.parametrize("number", [None, 0])
def test_a_middleware_that_does_not_number_messages_leaves_their_stamps(number):
    one = PublisherCount()
    for _ in range(20):
        one.see(number, False, 0.0)
    assert not one.are_several(0.0)
    for k in range(6):
        one.see(number, k % 2 == 1, 0.0)
    assert one.are_several(0.0)


def test_the_arm_is_heard_among_others_on_its_topic(observer):
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")
    publisher.publish(joint_states(1000.0, [0.1] * ROBOT.n, [0.0] * ROBOT.n))
    for finger in range(5):
        publisher.publish(JointState(name=[f"finger_{finger}"], position=[0.0]))
    settled = time.monotonic() + 0.5
    observer.wait(lambda: time.monotonic() > settled, "all of them")  # they wait together
    listener.take(every=False)
    assert listener.known and listener.q.tolist() == [0.1] * ROBOT.n


def test_stamps_that_hardly_go_on_while_time_does_are_no_sign_of_the_arm(observer):
    listener = JointStateListener(observer.node, ROBOT, "", "reliable", 60.0)
    publisher = observer.publisher(JointState, listener.topic)
    observer.wait(lambda: publisher.get_subscription_count() > 0, "the listener")

    def publish(seconds):
        publisher.publish(joint_states(seconds, [0.1] * ROBOT.n, [0.0] * ROBOT.n))
        received = listener.received
        seen = lambda: listener.received > received or listener.dropped  # noqa: E731
        observer.wait(lambda: listener.take(every=True) and seen(), "it")

    publish(1000.0)
    for k in range(1, 20):  # a clock that all but stands: 20 ns a second
        time.sleep(0.05)
        publish(1000.0 + 1e-9 * k)
    assert listener.received == 1 and listener.unheard > 0.9
    assert "has a stamp only" in listener.unusable
    listener.dropped = ""
    publish(1000.5)  # it goes on
    assert listener.received == 2 and listener.unusable == ""
