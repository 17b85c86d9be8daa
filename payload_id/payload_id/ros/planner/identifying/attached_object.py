"""The payload as MoveIt 2 takes what a robot holds: an attached collision object with its mass.

moveit_msgs is no requirement of this package; where it can be imported, the object is published.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from geometry_msgs.msg import Point, Pose, Quaternion
from payload_id_msgs.msg import PayloadEstimate
from rclpy.node import Node
from shape_msgs.msg import SolidPrimitive

from ....core.errors import InputError
from ...execution.payload_intervals import is_usable

TOPIC = "attached_collision_object"  # to which MoveIt's planning scene monitor listens
NAME = "payload"


class AttachedObject:
    """Publishes the payload on request."""

    def __init__(
        self, node: Node, frame: str, box: list[float] | None, centre: list[float]
    ) -> None:
        """Find moveit_msgs, if it is there.

        Args:
            node: The node.
            frame: The payload frame, a link of the robot.
            box: Lengths of the box around the payload [m]; None: not known.
            centre: Its centre in the payload frame [m].
        """
        self._frame, self._box, self._centre = frame, box, centre
        try:
            self._messages: Any = import_module("moveit_msgs.msg")
        except ModuleNotFoundError:
            self._messages = None
            return
        kind = self._messages.AttachedCollisionObject
        self._publisher = node.create_publisher(kind, TOPIC, 1)

    def publish(self, estimate: PayloadEstimate | None) -> str:
        """Attach the payload in MoveIt's planning scene; return a sentence.

        Raises:
            InputError: moveit_msgs is missing, or mass or volume is not known.
        """
        if self._messages is None:
            raise InputError(
                "moveit_msgs cannot be imported here: install it beside MoveIt 2 and start this "
                "node in that workspace. What it would say is in payload_box, and on the "
                "estimator's ~/payload_inertia."
            )
        message = attached_object(self._messages, estimate, self._frame, self._box, self._centre)
        self._publisher.publish(message)
        return f"'{NAME}' of {message.weight:.3g} kg is attached to {self._frame}."


def attached_object(
    messages: Any,
    estimate: PayloadEstimate | None,
    frame: str,
    box: list[float] | None,
    centre: list[float],
) -> Any:
    """Return the payload as a message.

    Args:
        messages: moveit_msgs.msg.
        estimate: The newest; None: there is none.
        frame: The payload frame, a link of the robot.
        box: Lengths of the box around the payload [m]; None: not known.
        centre: Its centre in the payload frame [m].

    Raises:
        InputError: Mass or volume is not known.
    """
    if estimate is None or not is_usable(estimate) or not estimate.phi[0] >= 0.0:
        raise InputError("The payload's mass is not known: identify it first (~/identify).")
    if box is None:
        raise InputError(
            "The payload's volume is not known: state payload_box and payload_box_centre."
        )
    message = messages.AttachedCollisionObject()
    message.link_name, message.weight = frame, float(estimate.phi[0])
    message.object.id, message.object.header.frame_id = NAME, frame
    x, y, z = (float(value) for value in centre)
    message.object.pose = Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(w=1.0))
    sizes = [float(value) for value in box]
    message.object.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=sizes)]
    message.object.primitive_poses = [Pose(orientation=Quaternion(w=1.0))]
    message.object.operation = messages.CollisionObject.ADD
    message.touch_links = [frame]
    return message
