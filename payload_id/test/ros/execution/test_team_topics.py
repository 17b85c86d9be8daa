"""An Omnid by its team's topics, before a robot that stops its base when nobody speaks."""

from __future__ import annotations

import time

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, Twist, Wrench

from harness import Observer
from payload_id.core.errors import InputError
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.motion.trajectory import Motion
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.ros.execution.back_ends import team_topics
from payload_id.ros.execution.back_ends.team_topics import WATCHDOG, TeamTopics, twist_of
from promises.nodes import next_domain

DOMAIN = next_domain()
JOINTS = ("x", "y", "z", "base_x", "base_y", "base_heading")
START = np.array([0.0, 0.0, 0.3, 1.0, -1.0, 0.4])
WAY = np.array([0.05, -0.02, 0.03, 0.1, 0.2, 0.6])
DURATION = 1.2  # [s]
TUBE = TrackingTube.exact(6)


class Omnid:
    """Follows set-points; its base stops `WATCHDOG` after the last one."""

    def __init__(self, node):
        self.place, self.forces = START[:3].copy(), []
        self.base, self.speed = START[3:].copy(), np.zeros(3)
        self.heard = self.moved = time.monotonic()
        node.create_subscription(PointStamped, "/omnid1/delta/desired_position", self.on_place, 10)
        node.create_subscription(Wrench, "/omnid1/delta/additional_force", self.forces.append, 10)
        node.create_subscription(Twist, "/omnid1/cmd_vel", self.on_speed, 10)

    def on_place(self, message):
        self.place = np.array([message.point.x, message.point.y, message.point.z])

    def on_speed(self, message):
        self.step()
        self.speed = np.array([message.linear.x, message.linear.y, message.angular.z])
        self.heard = time.monotonic()

    def step(self):
        """Move the base, as long as the watchdog lets it."""
        now = time.monotonic()
        seconds = max(0.0, min(now, self.heard + WATCHDOG) - self.moved)
        cosine, sine = np.cos(self.base[2]), np.sin(self.base[2])
        turn = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        self.base = self.base + seconds * (turn @ self.speed)
        self.moved = now


def motion():
    """Return points of a smooth way from rest to rest."""
    t = np.linspace(0.0, DURATION, 40)
    x = t / DURATION
    s = 10 * x**3 - 15 * x**4 + 6 * x**5
    ds = (30 * x**2 - 60 * x**3 + 30 * x**4) / DURATION
    dds = (60 * x - 180 * x**2 + 120 * x**3) / DURATION**2
    return Motion(t, START + np.outer(s, WAY), np.outer(ds, WAY), np.outer(dds, WAY))


@pytest.fixture
def observer():
    one = Observer(DOMAIN)
    yield one
    one.close()


def taken(observer):
    """Return a robot, and a back end that is connected with it."""
    robot = Omnid(observer.node)
    back_end = TeamTopics(observer.node, "/omnid1", JOINTS, time.time_ns)
    with pytest.raises(InputError, match="not taken"):
        back_end.hold()
    back_end.take()
    observer.wait(lambda: back_end.is_taken and not back_end.absence(), "the robot")
    return robot, back_end


@pytest.mark.slow
def test_platform_and_base_follow_a_motion_and_stop_when_nobody_speaks(observer, monkeypatch):
    robot, back_end = taken(observer)
    stranger = observer.node.create_publisher(Wrench, "/omnid1/delta/additional_force", 1)
    observer.wait(lambda: stranger.get_subscription_count() == 1, "the robot")
    push = Wrench()
    push.force.x = 15.0
    back_end.send(motion(), time.time_ns() + 200_000_000, TUBE)
    end = time.monotonic() + DURATION + 0.4
    observer.wait(lambda: time.monotonic() > end, "the motion")
    robot.step()
    assert np.allclose(robot.place, (START + WAY)[:3], atol=1e-9)
    if back_end.look().fault is None:  # set-points were in time, on this machine
        assert np.allclose(robot.base, (START + WAY)[3:], atol=0.03)
    back_end.send(motion(), time.time_ns(), TUBE)
    end = time.monotonic() + 0.5 * DURATION
    observer.wait(lambda: time.monotonic() > end, "half of it")
    stranger.publish(push)
    observer.wait(lambda: any(x.force.x for x in robot.forces), "somebody else's force")
    observer.wait(lambda: not robot.forces[-1].force.x, "zero again")
    back_end.hold()
    observer.wait(lambda: not robot.speed.any(), "a base that is told to stand")
    place, base = robot.place, robot.base
    end = time.monotonic() + 0.3
    observer.wait(lambda: time.monotonic() > end, "a moment")
    robot.step()
    assert np.array_equal(robot.place, place) and np.allclose(robot.base, base)
    back_end.send(motion(), time.time_ns() - 600_000_000, TUBE)
    observer.wait(lambda: robot.speed.any(), "a moving base")
    monkeypatch.setattr(team_topics, "sample", None)  # nothing is sent any more
    back_end.release()
    heard = robot.heard
    time.sleep(2 * WATCHDOG)
    robot.step()
    stopped = robot.base
    time.sleep(0.2)
    robot.step()
    assert robot.heard == heard and np.array_equal(robot.base, stopped)


def test_the_base_goes_by_its_own_axes():
    state = DesiredState.rest(np.array([0, 0, 0.3, 0, 0, np.pi / 2]))
    state.dq[:] = [0, 0, 0, 0.0, 0.2, 0.1]  # along y of the ground, which is ahead
    twist = twist_of(state)
    assert np.allclose([twist.linear.x, twist.linear.y, twist.angular.z], [0.2, 0.0, 0.1])
    with pytest.raises(InputError, match="found 4"):
        TeamTopics(None, "/omnid1", JOINTS[:4], time.time_ns)
