"""Motion of an Omnid by its team's topics: set-points in a stream, as nobody there takes a motion.

Joints are the platform's x, y and z [m], and, if there are six, the base's x, y [m] and heading
[rad]. The platform is told where to be and the base how fast to go, every `PERIOD`. The base stops
by itself `WATCHDOG` after the last message, the platform stays where it was told to be: that is all
that holds the robot if this node dies. Further forces of the platform are set to zero with every
set-point: what somebody else has set there stays no longer.

Set-points go on by this machine's clock from the motion's beginning, which stamps tell: they do not
leap with a clock. After a pause of `WATCHDOG` nothing goes on: the robot is held where it was told
to be last.

Topics: ngmor/diffusion_policy@eb8ae9f and NU-MSR/unified_teleop (docs/proofs.md has no paper of
them); neither has a word for refusing or giving up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from geometry_msgs.msg import PointStamped, Twist, Wrench
from rclpy.node import Node
from rclpy.publisher import Publisher

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.joint_trajectory import DesiredState, JointTrajectory, sample
from ....core.motion.trajectory import Motion
from ....core.safety.tube.tracking_tube import TrackingTube
from ....core.samples.stamps import seconds_since
from ...common.conversions import time_message
from ...common.steady_timer import steady_timer
from ..snapshot import ControllerReport, Found
from ..stop_reason import Reason
from .back_end import BackEnd, OtherPublishers

PERIOD = 0.02  # [s] between two set-points
WATCHDOG = 0.1  # [s] without one after which the base stops
PLATFORM = 3  # joints of it; a base has as many
KINDS: dict[str, Any] = {
    "delta/desired_position": PointStamped,
    "delta/additional_force": Wrench,
    "cmd_vel": Twist,
}


@dataclass(frozen=True)
class _Stream:
    """What set-points are taken from, by this machine's clock [s].

    Attributes:
        motion: What they follow; None: the last one is sent on and on.
        begins: When time 0 of the motion is.
        epoch: When the motion was sent, and the robot's time then [ns].
        place: The newest set-point; None: there is none yet.
        sent: When that was.
        gap: A pause that was too long; 0: there was none.
    """

    motion: JointTrajectory | None = None
    begins: float = 0.0
    epoch: tuple[float, int] = (0.0, 0)
    place: Array | None = None
    sent: float = 0.0
    gap: float = 0.0

    def at(self, now: float) -> tuple[_Stream, DesiredState | None]:
        """Return the stream at a time, and its set-point; after a pause in motion the last one."""
        motion, gap = self.motion, self.gap
        if motion is not None and self.begins < now and self.sent < self.begins + motion.duration:
            gap = now - self.sent if now - self.sent > WATCHDOG else gap
            motion = None if gap else motion
        if motion is not None:
            desired = sample(motion, now - self.begins)
        elif self.place is not None:
            desired = DesiredState.rest(self.place)
        else:
            return self, None
        return replace(self, motion=motion, place=desired.q, sent=now, gap=gap), desired


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
        if len(joints) not in (PLATFORM, 2 * PLATFORM):
            raise InputError(
                f"A robot by its team's topics has {PLATFORM} joints (x, y, z of the platform), or "
                f"{2 * PLATFORM} with the base's x, y and heading; found {len(joints)}."
            )
        self._node, self._n, self._now_ns = node, len(joints), now_ns
        names = [name for name in KINDS if len(joints) > PLATFORM or name != "cmd_vel"]
        self._topics = {name: node.resolve_topic_name(f"{robot}/{name}") for name in names}
        self.target = node.resolve_topic_name(robot)
        own = (node.get_fully_qualified_name(),)
        self.other_publishers = OtherPublishers(node, list(self._topics.values()), own)
        self._publishers: dict[str, Publisher[Any]] = {}
        self._now = _Stream()
        steady_timer(node, PERIOD, self._stream)

    def take(self) -> None:
        """Create the publishers."""
        if not self._publishers:
            for name, topic in self._topics.items():
                self._publishers[name] = self._node.create_publisher(KINDS[name], topic, 1)

    @property
    def is_taken(self) -> bool:
        """Whether every topic has a subscriber that is connected."""
        own = self._publishers.values()
        return bool(own) and all(publisher.get_subscription_count() for publisher in own)

    def release(self) -> None:
        """Stop the stream: the platform stays, the base stops."""
        self._now = _Stream()
        while self._publishers:
            self._node.destroy_publisher(self._publishers.popitem()[1])

    def absence(self) -> str:
        """Say which topic nobody hears; empty if all are heard."""
        deaf = [x for x in self._topics.values() if not self._node.count_subscribers(x)]
        if not deaf:
            return ""
        return f"Nobody subscribes to {', '.join(deaf)}: start the robot's own nodes."

    def look(self) -> ControllerReport:
        """Return what is wrong with set-points; who else publishes them commands the robot."""
        others = self.other_publishers.look()
        return ControllerReport(self._fault(), others, others)

    def _fault(self) -> Found | None:
        """Return that set-points paused, so that the robot is held where it was told to be."""
        if not self._now.gap:
            return None
        return Reason.CONTROLLER_FAULT, (
            f"Set-points for {self.target} were {self._now.gap:.2f} s apart, more than "
            f"{WATCHDOG:g} s, after which a base stops by itself; the platform stays where it was "
            "told to be last"
        )

    def hold(self) -> None:
        """Have the platform stay where it was told to be, and the base stand."""
        self._check_taken()
        self._now = replace(self._now, motion=None)
        self._stream()

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Stream points from now on; topics have no room for tolerances."""
        self._check_taken()
        now, before = time.monotonic(), self._now
        if before.motion is None or now - before.begins >= before.motion.duration:
            before = replace(before, epoch=(now, self._now_ns()), sent=now, gap=0.0)
        since, then_ns = before.epoch
        motion = JointTrajectory(points.time, points.q, points.dq, points.ddq)
        begins = since + seconds_since(start_ns, then_ns)
        self._now = replace(before, motion=motion, begins=begins)
        self._stream()

    def _check_taken(self) -> None:
        if not self._publishers:
            raise InputError("The robot was not taken: nothing can be sent to it.")

    def _stream(self) -> None:
        """Send the set-point of now, if there is one."""
        self._now, desired = self._now.at(time.monotonic())
        if desired is None:
            return
        place = PointStamped()
        place.header.stamp = time_message(self._now_ns())
        place.point.x, place.point.y, place.point.z = desired.q[:PLATFORM].tolist()
        self._publishers["delta/desired_position"].publish(place)
        self._publishers["delta/additional_force"].publish(Wrench())
        if self._n > PLATFORM:
            self._publishers["cmd_vel"].publish(twist_of(desired))


def twist_of(desired: DesiredState) -> Twist:
    """Return how fast the base goes, in its own frame, for x, y and heading as joints 4 to 6."""
    (vx, vy, turn), heading = desired.dq[PLATFORM:], float(desired.q[-1])
    cosine, sine = np.cos(heading), np.sin(heading)
    twist = Twist()
    twist.linear.x, twist.linear.y = float(cosine * vx + sine * vy), float(cosine * vy - sine * vx)
    twist.angular.z = float(turn)
    return twist
