"""The estimator: blocks of samples in, estimate and intervals out, runs controlled by services."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from ...core.errors import PayloadIdError
from ...files.robots.robot_file import RobotFile
from ..common.diagnostics import Condition, publish_diagnostics
from ..common.main_loop import run
from ..common.parameters import current_values, read_parameters
from ..common.throttled_log import ThrottledLog
from .block_subscription import BlockSubscription
from .condition import condition_of
from .estimate_publisher import EstimatePublisher
from .parameters import ESTIMATOR_TABLE, EstimatorParameters, check_estimator, run_settings
from .run_control import RunControl
from .run_keeping import RunKeeping
from .run_worker import RunWorker
from .services import EstimatorServices
from .sources import SOURCES
from .sources.live_run import RunSettings


class EstimatorNode(Node):
    """Identifies the payload while blocks of samples arrive.

    Publishes `~/payload`, `~/payload_inertia`, `~/markers` and /diagnostics; serves `~/start`,
    `~/stop`, `~/reset`, `~/tare`, `~/get_estimate` and `~/save`.

    Attributes:
        robot: The robot file.
    """

    def __init__(self, **options: Any) -> None:
        """Read parameters and robot file, and start the worker.

        Args:
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            PayloadIdError: A parameter or a file cannot be used, or the robot measures no torque.
        """
        super().__init__(
            "payload_estimator", automatically_declare_parameters_from_overrides=True, **options
        )
        values = read_parameters(self, ESTIMATOR_TABLE)
        check_estimator(values)
        self.add_on_set_parameters_callback(self._on_parameters)
        settings = EstimatorParameters.of(values)
        self.robot = RobotFile.load(settings.robot_file)
        source = SOURCES[settings.source](
            self.robot, settings.sensor_frame, settings.wrench_uncertainty
        )
        live = source.new_run(self._run_settings)
        capacity = int(settings.buffer * self.robot.joint_states.rate)

        self._log = ThrottledLog(self)
        estimates = EstimatePublisher(self, source.model, live, self._log)
        self._control = RunControl(live, source.columns, capacity, estimates.publish)
        estimates.publish(self._control.report)
        self._worker = RunWorker(self._control)
        self._blocks = BlockSubscription(
            self, source, settings.samples_topic, self._control.write, self._log
        )
        keeping = RunKeeping(self, settings, self.robot, source, self._blocks.topic, self._log)
        EstimatorServices(self, self._control, self._worker, keeping, self._blocks)
        publish_diagnostics(self, "identification", self.robot.name, self._condition)
        if settings.autostart:
            self._worker.request(self._control.start)
        self.get_logger().info(
            f"Estimating the payload of '{self.robot.name}' at {self.robot.payload_frame}; "
            f"samples from {self._blocks.topic}."
        )

    def close(self) -> None:
        """End the worker."""
        self._worker.close()

    def _run_settings(self) -> RunSettings:
        """Return the settings that the parameters ask for now."""
        values = current_values(self, ESTIMATOR_TABLE)
        return run_settings(values, self.robot.uncertainty, self.robot.n)

    def _on_parameters(self, changes: list[RosParameter]) -> SetParametersResult:
        """Refuse an estimator without the shape that it needs, and shapes that cannot be read."""
        news = {change.name: change.value for change in changes}
        if not any(name == "estimator" or name.startswith("shape") for name in news):
            return SetParametersResult(successful=True)
        try:
            check_estimator({**current_values(self, ESTIMATOR_TABLE), **news})
        except PayloadIdError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _condition(self) -> Condition:
        """Judge the run."""
        silence = self._blocks.silence() if self._control.running else ""
        if silence:
            self._log.warn("silence", silence)
        return condition_of(self._control, self._blocks.watch, silence)


def main(args: Sequence[str] | None = None) -> int:
    """Run the estimator until SIGINT or SIGTERM; returns the exit code."""
    return run([EstimatorNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
