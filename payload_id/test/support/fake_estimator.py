"""Plays the estimator for a planner: the services of a run, and what a test has it say."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import BeginRun, GetEstimate, Save, Validate
from std_srvs.srv import Trigger

from harness import LATCHED

NAME = "/payload_estimator"


class FakeEstimator:
    """Serves in a test's node; what was asked is in `asked`.

    Attributes:
        running: Whether a run is in progress.
        begun: What the next `~/begin` answers, but for `running`.
        validation: What `~/validate` answers.
        saved: What `~/save` answers.
        asked: Names of the services in the order of their calls.
        known_mass: That the newest run was begun with.
        silent: What its condition says of samples.
        killed: Whether it says nothing any more, though its services seem to be there.
    """

    def __init__(self, node) -> None:
        self.running, self.silent, self.asked, self.known_mass = False, "", [], []
        self.killed = False
        self.begun = BeginRun.Response(success=True, recording="/a/recording")
        self.validation = Validate.Response(
            success=True, agrees=True, seconds=1.0, message="Nothing contradicts."
        )
        self.saved = Save.Response(success=True, path="/a/recording")
        self.newest = PayloadEstimate(status=PayloadEstimate.WAITING)
        self._node = node
        self._payload = node.create_publisher(PayloadEstimate, f"{NAME}/payload", LATCHED)
        self._condition = node.create_publisher(DiagnosticStatus, f"{NAME}/condition", LATCHED)
        self.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
        node.create_timer(0.5, self.tell)
        for name in ("stop", "tare", "hold_out"):
            node.create_service(Trigger, f"{NAME}/{name}", getattr(self, f"_on_{name}"))
        for kind, name in ((BeginRun, "begin"), (GetEstimate, "get_estimate"),
                           (Validate, "validate"), (Save, "save")):  # fmt: skip
            node.create_service(kind, f"{NAME}/{name}", getattr(self, f"_on_{name}"))

    def vanish(self) -> None:
        """Be no longer there to say an estimate."""
        self._node.destroy_publisher(self._payload)

    def return_to(self, estimate: PayloadEstimate) -> None:
        """Be there again, and say an estimate."""
        self._payload = self._node.create_publisher(PayloadEstimate, f"{NAME}/payload", LATCHED)
        self.publish(estimate)

    def tell(self):
        """Say how it is."""
        if self.killed:
            return
        values = {"running": str(self.running), "silent": self.silent}
        self._condition.publish(
            DiagnosticStatus(values=[KeyValue(key=k, value=v) for k, v in values.items()])
        )

    def publish(self, estimate: PayloadEstimate) -> None:
        """Say an estimate."""
        self.newest = estimate
        self._payload.publish(estimate)

    def _on_begin(self, request, response):
        self.asked.append("begin")
        response = self.begun
        if self.running:
            return BeginRun.Response(running=True, recording=response.recording, message="It runs.")
        self.known_mass = list(request.known_mass)
        self.running = response.running = response.success
        self.publish(PayloadEstimate(status=PayloadEstimate.WAITING))
        return response

    def _on_stop(self, request, response):
        self.asked.append("stop")
        response.success, self.running = self.running, False
        return response

    def _on_tare(self, request, response):
        self.asked.append("tare")
        return Trigger.Response(success=True, message="Tared.")

    def _on_hold_out(self, request, response):
        self.asked.append("hold_out")
        return Trigger.Response(success=True)

    def _on_get_estimate(self, request, response):
        return GetEstimate.Response(success=True, estimate=self.newest)

    def _on_validate(self, request, response):
        self.asked.append("validate")
        return self.validation

    def _on_save(self, request, response):
        self.asked.append("save")
        return self.saved
