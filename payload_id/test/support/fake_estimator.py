"""Plays the estimator for a planner: the services of a run, and what a test has it say."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import BeginRun, GetEstimate, Save, Validate
from std_srvs.srv import Trigger

from harness import LATCHED

NAME = "/payload_estimator"


class FakeEstimator:
    """Serves in a test's node.

    Attributes:
        running: Whether a run is in progress.
    """

    def __init__(self, node) -> None:
        self.running = False
        self._payload = node.create_publisher(PayloadEstimate, f"{NAME}/payload", LATCHED)
        self._condition = node.create_publisher(DiagnosticStatus, f"{NAME}/condition", LATCHED)
        self.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
        node.create_timer(0.5, self.tell)
        for name in ("stop", "tare", "hold_out"):
            node.create_service(Trigger, f"{NAME}/{name}", getattr(self, f"_on_{name}"))
        for kind, name in ((BeginRun, "begin"), (GetEstimate, "get_estimate"),
                           (Validate, "validate"), (Save, "save")):  # fmt: skip
            node.create_service(kind, f"{NAME}/{name}", getattr(self, f"_on_{name}"))

    def tell(self):
        """Say how it is."""
        values = {"running": str(self.running), "silent": ""}
        self._condition.publish(
            DiagnosticStatus(values=[KeyValue(key=k, value=v) for k, v in values.items()])
        )

    def publish(self, estimate: PayloadEstimate) -> None:
        """Say an estimate."""
        self.newest = estimate
        self._payload.publish(estimate)

    def _on_begin(self, request, response):
        begun, self.running = not self.running, True
        if begun:
            self.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
        return BeginRun.Response(success=begun, running=True, recording="/a/recording")

    def _on_stop(self, request, response):
        response.success, self.running = self.running, False
        return response

    def _on_tare(self, request, response):
        return Trigger.Response(success=True, message="Tared.")

    def _on_hold_out(self, request, response):
        return Trigger.Response(success=True)

    def _on_get_estimate(self, request, response):
        return GetEstimate.Response(success=True, estimate=self.newest)

    def _on_validate(self, request, response):
        return Validate.Response(success=True, agrees=True, seconds=1.0, message="Nothing.")

    def _on_save(self, request, response):
        return Save.Response(success=True, path="/a/recording")
