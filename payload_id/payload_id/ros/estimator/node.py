"""The estimator: blocks of samples in, estimate and intervals out, runs controlled by services."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...core.samples.ring_buffer import SampleRows
from ...files.robots.robot_file import RobotFile
from ..common.conversions import Report
from ..common.diagnostics import Condition
from ..common.main_loop import run
from ..common.parameters import check_changes, current_values, read_parameters
from ..common.shared_parameters import stated_figures, uncertainty_of
from ..common.throttled_log import ThrottledLog
from ..lifecycle.managed_node import ManagedNode
from .block_subscription import BlockSubscription
from .condition import condition_of
from .contact_publisher import ContactPublisher
from .contact_worker import ContactWorker
from .estimate_publisher import EstimatePublisher
from .parameters import ESTIMATOR_TABLE, EstimatorParameters
from .run_control import RunControl
from .run_keeping import RunKeeping
from .run_worker import RunWorker
from .services import EstimatorServices
from .sources import SOURCES
from .sources.live_run import RunSettings
from .sources.sample_source import SampleSource


class EstimatorNode(ManagedNode):
    """Identifies the payload while blocks of samples arrive.

    Publishes `~/payload`, `~/payload_inertia`, `~/markers`, what `ContactPublisher` does, and
    /diagnostics; serves `~/start`, `~/stop`, `~/reset`, `~/tare`, `~/get_estimate` and `~/save`.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Make the node; options are arguments of rclpy's Node, such as parameter_overrides."""
        super().__init__("payload_estimator", ESTIMATOR_TABLE, "identification", **options)

    def configure(self) -> None:
        """Read parameters and robot file, and start the worker.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or the robot measures no torque.
        """
        settings = EstimatorParameters.of(read_parameters(self, ESTIMATOR_TABLE))
        self.robot = RobotFile.load(settings.robot_file)
        source = SOURCES[settings.source](
            self.robot, settings.sensor_frame, settings.wrench_uncertainty
        )
        live = source.new_run(self._run_settings)
        # A run is set up, as ~/start will do: what it refuses is refused now.
        check_changes(self, ESTIMATOR_TABLE, lambda x: source.new_run(lambda: self._settings(x)))
        capacity = int(settings.buffer * self.robot.joint_states.rate)

        self._log = ThrottledLog(self)
        self._estimates = EstimatePublisher(self, source.model, live, self._log)
        self._live = live
        self._contact = self._contact_worker(settings, source)
        self._control = RunControl(live, source.columns, capacity, self._on_report)
        self._worker = RunWorker(self._control)
        self.resources.callback(self._worker.close)
        self._blocks = BlockSubscription(
            self, source, self._on_samples, self._log, lambda state: keeping.note(state.recording)
        )
        keeping = RunKeeping(settings, self.robot, source, self._blocks.topic, self._log)
        self._requests = EstimatorServices(self, self._control, self._worker, keeping, self._blocks)
        self._begins_run = settings.begin_run
        self.get_logger().info(
            f"Estimating the payload of '{self.robot.name}' at {self.robot.payload_frame}; "
            f"samples from {self._blocks.topic}."
        )

    def activate(self) -> None:
        """Say how things are, and begin a run if one is to begin at once."""
        self._estimates.publish(self._control.report)
        if self._begins_run:
            self._worker.request(self._control.start)

    async def leave(self) -> None:
        """End a run in progress; its data are kept for `~/save`."""
        if self._control.running:
            await self._requests.end_run()

    def _contact_worker(
        self, settings: EstimatorParameters, source: SampleSource
    ) -> ContactWorker | None:
        """Return what watches for contact; None where that is not asked for or not possible."""
        if settings.contact_window == 0.0 or settings.source != "torque":
            return None
        model = source.model
        publisher = ContactPublisher(self, model.joints, model.payload_frame, self._log)
        worker = ContactWorker(
            settings.contact_window,
            source.columns,
            self.robot.joint_states.rate,
            publisher.publish,
            publisher.fail,
        )
        self.resources.callback(worker.close)
        return worker

    def _on_report(self, report: Report) -> None:
        """Publish a report, and learn from it; called in the thread that identifies."""
        self._estimates.publish(report)
        if self._contact is not None:
            self._contact.learn(report.estimate, self._live.established)

    def _on_samples(self, rows: SampleRows, missing: int, published_ns: int) -> None:
        """Hand samples to the threads."""
        self._worker.let_in(published_ns)
        self._control.write(rows, missing)
        if self._contact is not None and not self.inactivity:
            self._contact.write(rows)

    def _run_settings(self) -> RunSettings:
        """Return the settings that the parameters ask for now."""
        return self._settings(current_values(self, ESTIMATOR_TABLE))

    def _settings(self, values: Mapping[str, Any]) -> RunSettings:
        """Return the settings that values of the parameters ask for."""
        settings = EstimatorParameters.of(values)
        return settings.run_settings(self.robot.uncertainty, self.robot.n)

    def condition(self) -> Condition:
        """Judge the run."""
        silence = self._blocks.silence() if self._control.running else ""
        if silence:
            self._log.warn("silence", silence)
        samplers = self._blocks.rivalry()
        condition = condition_of(self._control, self._blocks, silence, samplers)
        values = current_values(self, ESTIMATOR_TABLE)
        prior = uncertainty_of(values, self.robot.uncertainty).prior
        figures = {**condition.figures, **stated_figures(self.robot, prior)}
        return replace(condition, figures=figures)


def main(args: Sequence[str] | None = None) -> int:
    """Run the estimator until SIGINT or SIGTERM; returns the exit code."""
    return run([EstimatorNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
