"""The topics on which the estimator says what the payload does, and whether there is a contact."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Wrench, WrenchStamped
from payload_id_msgs.msg import Contact, PayloadEffort
from rclpy.node import Node
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from ...core.arrays import Array
from ...core.contact import Judgement
from ..common.colours import Colour
from ..common.conversions import time_message, vector
from ..common.markers import in_frame, text
from ..common.timeouts import LOG
from ..common.topics import LATCHED

DEPTH = 100
ABOVE = (0.0, 0.0, 0.2)  # where the payload frame's line of text is [m]


class ContactPublisher:
    """Publishes what the payload does in each window, and on change whether there is a contact.

    Topics: `~/payload_effort`, `~/payload_wrench`; `~/contact`, `~/contact_markers`.
    """

    def __init__(self, node: Node, joints: Sequence[str], payload_frame: str) -> None:
        """Create the publishers.

        Args:
            node: The node.
            joints: Their names.
            payload_frame: In which wrenches are expressed.
        """
        self._joints, self._frame, self._log = tuple(joints), payload_frame, node.get_logger()
        self._effort = node.create_publisher(PayloadEffort, "~/payload_effort", DEPTH)
        self._wrench = node.create_publisher(WrenchStamped, "~/payload_wrench", DEPTH)
        self._contact = node.create_publisher(Contact, "~/contact", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/contact_markers", LATCHED)
        self._certain: bool | None = None

    def publish(self, judgement: Judgement, stamp_ns: int) -> None:
        """Publish a judgement; called in the thread that watches."""
        header = Header(stamp=time_message(stamp_ns), frame_id=self._frame)
        wrench = _wrench(judgement.wrench)
        self._effort.publish(self._effort_message(judgement, header, wrench))
        self._wrench.publish(WrenchStamped(header=header, wrench=wrench))
        if judgement.certain is self._certain:
            return
        self._certain = judgement.certain
        message = self._contact_message(judgement, header)
        self._contact.publish(message)
        said = f"contact, at least {judgement.least_force:.3g} N"
        shown = [text(said, ABOVE, Colour.VERMILION)] if judgement.certain else []
        self._markers.publish(in_frame(shown, self._frame, stamp_ns, frame_locked=True))
        if judgement.certain:
            self._log.warning(message.message, throttle_duration_sec=LOG)

    def _effort_message(
        self, judgement: Judgement, header: Header, wrench: Wrench
    ) -> PayloadEffort:
        return PayloadEffort(
            header=header,
            window=judgement.end - judgement.start,
            joints=list(self._joints),
            torque=judgement.torque.tolist(),
            torque_lower=judgement.torque_range.lower.tolist(),
            torque_upper=judgement.torque_range.upper.tolist(),
            wrench=wrench,
            wrench_lower=judgement.wrench_range.lower,
            wrench_upper=judgement.wrench_range.upper,
            external_lower=judgement.external.lower.tolist(),
            external_upper=judgement.external.upper.tolist(),
        )

    def _contact_message(self, judgement: Judgement, header: Header) -> Contact:
        return Contact(
            header=header,
            certain=judgement.certain,
            window=judgement.end - judgement.start,
            joints=list(judgement.telling(self._joints)),
            least_torque=judgement.least_torque,
            least_force=judgement.least_force,
            message=judgement.sentence(self._joints),
        )


def _wrench(values: Array) -> Wrench:
    """Return force and torque as a message."""
    return Wrench(force=vector(values[:3]), torque=vector(values[3:]))
