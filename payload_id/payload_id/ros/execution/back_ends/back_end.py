"""What moves an arm: the one place where points of a motion leave this package."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from rclpy.node import Node

from ....core.arrays import Array
from ....core.errors import InputError
from ....core.motion.trajectory import Motion
from ....core.safety.torque.parameter_box import ParameterBox
from ....core.safety.tube.tracking_tube import ROBUST, TrackingTube
from ...common.topic_report import is_unnamed, publisher_names
from ..snapshot import ControllerReport

OTHERS = 0.1  # [s] between two looks at the graph, which is slow


class OtherPublishers:
    """Nodes that publish on topics by which an arm is moved, beside those that may."""

    def __init__(self, node: Node, topics: Sequence[str], own: Sequence[str]) -> None:
        """Have looked for none yet.

        Args:
            node: The node.
            topics: Full names of the topics.
            own: Full names of nodes that may publish.
        """
        self._node, self._topics = node, tuple(topics)
        self._own = set(own)
        self._found, self._looked = "", -np.inf  # what was found, and when [s]

    def look(self) -> str:
        """Say who publishes; empty if nobody does."""
        if time.monotonic() - self._looked > OTHERS:
            found = {x for topic in self._topics for x in publisher_names(self._node, topic)}
            strange, topics = ", ".join(sorted(found - self._own)), ", ".join(self._topics)
            said = (
                f"The arm is in use: {topics} has a publisher in {strange}; only one node may "
                "command it at a time"
            )
            self._looked, self._found = time.monotonic(), said if strange else ""
        return self._found

    def is_unnamed(self) -> bool:
        """Whether somebody publishes whose name is not known yet."""
        return is_unnamed(self._node, *self._topics)


class BackEnd(Protocol):
    """One interface of an arm's controller.

    Attributes:
        target: Where points go, such as the full name of a topic.
        other_publishers: Who else may command the arm.
        gives_back: Whether another controller has the arm between motions, and torques that follow
            joint states until it rests; they bring it to where a motion begins before it does.
    """

    gives_back: bool = False

    target: str
    other_publishers: OtherPublishers

    def absence(self) -> str:
        """Say that no controller would follow, and what to do; empty if one is there."""

    def look(self) -> ControllerReport:
        """Return what the controller says, and what others have commanded since the last look."""

    def get_ready(self, tube: TrackingTube, box: ParameterBox, torque_limit: Array) -> None:
        """Get ready for a motion whose certificate was proved for these.

        Args:
            tube: How far from the motion the arm may be.
            box: What is uncertain of arm and payload.
            torque_limit: Of the certificate's limits, shape (n,) [N m or N].

        Raises:
            InputError: Nothing here keeps such a tube.
        """
        if tube.kind == ROBUST:
            raise InputError(
                "The motion was certified for the robust controller, whose torques only the "
                "back_end 'effort' sends; certify it for the arm's own position controller."
            )

    def get_ready_for_more(self, box: ParameterBox, torque_limit: Array, begins_ns: int) -> None:
        """Get ready for a part that takes over from the motion in progress, in the same tube.

        Args:
            box: What is uncertain of arm and payload, by its own certificate.
            torque_limit: Of that certificate's limits, shape (n,) [N m or N].
            begins_ns: Stamp at which it takes over [ns].
        """
        return None

    def leave_at(self, time_ns: int) -> None:
        """Note that a stop leaves the motion at a stamp [ns]: later parts of it do not come."""
        return None

    def take(self) -> None:
        """Take the arm for this node's use; `is_taken` says when that is done."""

    @property
    def is_taken(self) -> bool:
        """Whether a controller would hear this node now."""

    def send(self, points: Motion, start_ns: int, tube: TrackingTube) -> None:
        """Have points followed in place of all that were sent before.

        Args:
            points: They end at rest.
            start_ns: Stamp of their time 0, by the robot's clock [ns].
            tube: How far from them the arm may be.
        """

    def hold(self) -> None:
        """Have the controller hold the arm where it is; what was sent before is forgotten."""

    def release(self) -> None:
        """Give the arm back, so that others may take it."""

    def doubt(self) -> str:
        """Say what is not as it should be, though motion goes on; empty if nothing is."""
        return ""

    def figures(self) -> dict[str, object]:
        """Return what diagnostics show of it."""
        return {}

    def close(self) -> None:
        """End what was begun for it."""
        return None
