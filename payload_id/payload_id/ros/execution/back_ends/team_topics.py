"""Motion of an Omnid by its team's topics: set-points in a stream, as nobody there takes a motion.

Joints are the platform's x, y and z [m], and, if there are six, the base's x, y [m] and heading
[rad]. The platform is told where to be and the base how fast to go, every `PERIOD`. The base stops
by itself `WATCHDOG` after the last message, the platform stays where it was told to be: that is all
that holds the robot if this node dies. Further forces of the platform are set to zero with every
set-point: what somebody else has set there stays no longer.

Set-points never leap: they go on by the robot's time, but no farther at once than `LEAP` of the
motion; what a clock leaps by, or a busy machine falls behind, makes the motion late. After a pause
of `WATCHDOG` nothing goes on: the robot is held where it was told to be last.

Topics: ngmor/diffusion_policy@eb8ae9f and NU-MSR/unified_teleop (docs/references.md has no paper of
them); neither has a word for refusing or giving up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, Twist, Wrench
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ....core.errors import InputError
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory, sample
from ....core.motion.trajectory import Motion
from ....core.safety.tube.tracking_tube import TrackingTube
from ...common.conversions import time_message
from ...common.steady_timer import steady_timer
from ...common.topic_report import is_unnamed, publisher_names
from ..snapshot import ControllerReport, Found
from ..stop_reason import Reason
from .back_end import BackEnd

PERIOD = 0.02  # [s] between two set-points
WATCHDOG = 0.1  # [s] without one after which the base stops
TOLD = 0.02  # [s] by which set-points are late that is worth telling
LEAP = 0.05  # [s] of a motion that may lie between two set-points
PLATFORM, WITH_BASE = 3, 6  # numbers of joints
OTHERS = 0.5  # [s] between two looks who else publishes
QUALITY = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
KINDS: dict[str, Any] = {
    "delta/desired_position": PointStamped,
    "delta/additional_force": Wrench,
    "cmd_vel": Twist,
}


class TeamTopics(BackEnd):
    """Streams set-points of one motion at a time, or of the place where it was held."""

    def __init__(
        self, node: Node, robot: str, joints: Sequence[str], now_ns: Callable[[], int]
    ) -> None:
        """Send nothing yet.

        Args:
            node: The node, with an executor that serves it.
            robot: Namespace of the robot, such as /omnid1.
            joints: Names of x, y and z of the platform, and of x, y and heading of the base.
            now_ns: The robot's time, by the stamps of its joint states [ns].

        Raises:
            InputError: It has another number of joints.
        """
        if len(joints) not in (PLATFORM, WITH_BASE):
            raise InputError(
                f"A robot by its team's topics has {PLATFORM} joints (x, y, z of the platform), or "
                f"{WITH_BASE} with the base's x, y and heading; found {len(joints)}."
            )
        self._node, self._n, self._now_ns = node, len(joints), now_ns
        names = [name for name in KINDS if len(joints) == WITH_BASE or name != "cmd_vel"]
        self._topics = {name: node.resolve_topic_name(f"{robot}/{name}") for name in names}
        self.target = node.resolve_topic_name(robot)
        self._publishers: dict[str, Publisher[Any]] = {}
        self._motion: JointTrajectory | None = None
        self._start_ns, self._time_ns = 0, 0  # of the motion, and of the newest set-point [ns]
        self._late_ns = 0  # by which set-points are behind the robot's time
        self._place = np.zeros(len(joints))  # the newest set-point
        self._held = False  # whether the newest set-point is sent on and on
        self._sent = float("-inf")  # when the newest set-point was [s]
        self._gap, self._others, self._next_look = 0.0, "", 0.0
        steady_timer(node, PERIOD, self._stream)

    def take(self) -> None:
        """Create the publishers."""
        if not self._publishers:
            for name, topic in self._topics.items():
                self._publishers[name] = self._node.create_publisher(KINDS[name], topic, QUALITY)

    @property
    def is_taken(self) -> bool:
        """Whether every topic has a subscriber that is connected."""
        own = self._publishers.values()
        return bool(own) and all(publisher.get_subscription_count() for publisher in own)

    def release(self) -> None:
        """Stop the stream: the platform stays, the base stops."""
        self._motion, self._held = None, False
        while self._publishers:
            self._node.destroy_publisher(self._publishers.popitem()[1])

    def absence(self) -> str:
        """Say which topic nobody hears; empty if all are heard."""
        deaf = [x for x in self._topics.values() if not self._node.count_subscribers(x)]
        if not deaf:
            return ""
        return f"Nobody subscribes to {', '.join(deaf)}: start the robot's own nodes."

    def _other_publishers(self) -> str:
        """Say who else publishes set-points; empty if nobody does."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look, own = now + OTHERS, self._node.get_fully_qualified_name()
            names = {x for y in self._topics.values() for x in publisher_names(self._node, y)}
            strange = ", ".join(sorted(names - {own}))
            self._others = (
                f"The robot is in use: its team's topics have a publisher in {strange}; only one "
                "node may command it at a time"
                if strange
                else ""
            )
        return self._others

    def is_unnamed(self) -> bool:
        """Whether somebody publishes set-points whose name is not known yet."""
        return is_unnamed(self._node, *self._topics.values())

    def look(self, with_others: bool) -> ControllerReport:
        """Return what is wrong with set-points; who else publishes them commands the robot."""
        others = self._other_publishers()
        return ControllerReport(self._fault(), others, others, lateness=self._lateness())

    def _fault(self) -> Found | None:
        """Return that set-points paused, so that the robot is held where it was told to be."""
        self._look_for_pause()
        if self._gap <= WATCHDOG:
            return None
        return Reason.CONTROLLER_FAULT, (
            f"Set-points for {self.target} were {self._gap:.2f} s apart, more than {WATCHDOG:g} s, "
            "after which a base stops by itself; the platform stays where it was told to be last"
        )

    def hold(self) -> None:
        """Have the platform stay where it was told to be, and the base stand."""
        self._check_taken()
        if self._motion is None and not self._held:
            raise InputError("No motion was sent that could be held.")
        self._held, self._motion = True, None
        self._stream()

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Stream points from now on; topics have no room for tolerances."""
        self._check_taken()
        if self._motion is None:
            self._sent = float("-inf")
        if self._motion is None or self._is_over:
            self._gap, self._late_ns, self._time_ns = 0.0, 0, min(self._now_ns(), start_ns)
        self._motion = JointTrajectory(points.time, points.q, points.dq, points.ddq)
        self._start_ns, self._held = start_ns, False
        self._stream()

    def _lateness(self) -> str:
        """Say by how much set-points are late: none leaps after a pause, or with a clock."""
        late = 1e-9 * self._late_ns
        if abs(late) < TOLD:
            return ""
        return (
            f"set-points themselves are {late:.2f} s late, since the bridge stood still or stamps "
            "leapt"
        )

    def _check_taken(self) -> None:
        if not self._publishers:
            raise InputError("The robot was not taken: nothing can be sent to it.")

    @property
    def _is_over(self) -> bool:
        """Whether the newest set-point is the end of the motion."""
        motion = self._motion
        return motion is None or 1e-9 * (self._time_ns - self._start_ns) >= motion.duration

    def _go_on(self, passed: float) -> None:
        """Go on along the motion by the robot's time.

        Args:
            passed: Since the newest set-point, by this machine's clock [s].
        """
        now_ns, before = self._now_ns() - self._late_ns, self._time_ns
        step, waits = 1e-9 * (now_ns - before), before < self._start_ns
        if -LEAP <= step < 0.0:  # stamps jitter
            return
        if not 0.0 <= step <= (passed + LEAP if waits else LEAP):
            step = min(passed, LEAP)
        reached = before + round(1e9 * step)
        if waits:  # a pause before the beginning costs nothing but time
            reached = min(reached, self._start_ns + round(1e9 * LEAP))
        self._late_ns += now_ns - reached
        self._time_ns = reached

    def _look_for_pause(self) -> float:
        """Hold the robot after a pause in motion; return how old the newest set-point is [s]."""
        passed = time.monotonic() - self._sent if np.isfinite(self._sent) else 0.0
        moves = self._time_ns >= self._start_ns and not self._is_over
        if moves and passed > WATCHDOG:
            self._gap, self._held, self._motion = passed, True, None
        return passed

    def _stream(self) -> None:
        """Send the set-points of now, if there are any."""
        if not self._publishers or (self._motion is None and not self._held):
            return
        passed = self._look_for_pause()
        self._sent = time.monotonic()
        desired = DesiredState.rest(self._place)
        if self._motion is not None:
            self._go_on(passed)
            desired = sample(self._motion, 1e-9 * (self._time_ns - self._start_ns))
        self._place = desired.q
        place = PointStamped()
        place.header.stamp = time_message(self._now_ns())
        place.point.x, place.point.y, place.point.z = desired.q[:PLATFORM].tolist()
        self._publishers["delta/desired_position"].publish(place)
        self._publishers["delta/additional_force"].publish(Wrench())
        if self._n == WITH_BASE:
            self._publishers["cmd_vel"].publish(twist_of(desired))


def twist_of(desired: DesiredState) -> Twist:
    """Return how fast the base goes, in its own frame, for x, y and heading as joints 4 to 6."""
    (vx, vy, turn), heading = desired.dq[PLATFORM:], float(desired.q[-1])
    cosine, sine = np.cos(heading), np.sin(heading)
    twist = Twist()
    twist.linear.x, twist.linear.y = float(cosine * vx + sine * vy), float(cosine * vy - sine * vx)
    twist.angular.z = float(turn)
    return twist
