"""The topics on which the estimator publishes what it has found."""

from __future__ import annotations

from geometry_msgs.msg import InertiaStamped
from payload_id_msgs.msg import PayloadEstimate
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from ...core.arm.centre_of_mass import gravity_in_payload_frame
from ..common.conversions import Report, estimate_message, inertia_message
from ..common.diagnostics import Level
from ..common.timeouts import LOG
from ..common.topics import LATCHED
from .condition import level_of
from .markers import estimate_markers
from .sources.live_run import LiveRun


class EstimatePublisher:
    """Publishes `~/payload`, `~/payload_inertia` and `~/markers`; logs errors."""

    def __init__(self, node: Node, run: LiveRun) -> None:
        """Create the publishers.

        Args:
            node: The node.
            run: Knows the arm, and in which pose it is.
        """
        self._run, self._log = run, node.get_logger()
        self._payload = node.create_publisher(PayloadEstimate, "~/payload", LATCHED)
        self._inertia = node.create_publisher(InertiaStamped, "~/payload_inertia", LATCHED)
        self._markers = node.create_publisher(MarkerArray, "~/markers", LATCHED)

    def publish(self, report: Report) -> None:
        """Publish a report; called in the thread that identifies."""
        q, estimate = self._run.newest_q, report.estimate
        gravity = None if q is None else gravity_in_payload_frame(self._run.model, q)
        self._payload.publish(estimate_message(report))
        if estimate.mass_identified and estimate.phi[0] > 0.0:
            self._inertia.publish(inertia_message(report))
        self._markers.publish(estimate_markers(report, gravity))
        if level_of(estimate.status, self._run) is Level.ERROR:
            self._log.warning(estimate.message, throttle_duration_sec=LOG)
