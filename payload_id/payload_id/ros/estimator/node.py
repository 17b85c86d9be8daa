"""The estimator: blocks of samples in, estimate and intervals out, runs controlled by services."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped
from payload_id_msgs.msg import PayloadEstimate, SampleBlock, WrenchBlock
from payload_id_msgs.srv import GetEstimate, Save
from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter
from rclpy.task import Future as RosFuture
from std_msgs.msg import String
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from ...core.arm.arm_model import ArmModel
from ...core.arm.centre_of_mass import gravity_in_payload_frame
from ...core.errors import InputError, PayloadIdError
from ...core.rows.wrench.uncertainty import WrenchUncertainty
from ...core.samples.arm_sensor_motion import model_at
from ...core.samples.joint_map import JointMap
from ...core.samples.ring_buffer import SampleRows
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ...files.runs.run_file import RunFile
from ...files.tables.wrench_csv import read_wrench_uncertainty
from ..common.conversions import Report, decoded, estimate_message, inertia_message, rows_of
from ..common.diagnostics import Level, diagnostics_message
from ..common.main_loop import run
from ..common.parameters import current_values, read_parameters
from ..common.topic_report import publisher_names
from ..common.topics import BLOCKS, LATCHED
from ..common.wrench_blocks import COLUMNS, rows_of_wrench
from .block_watch import BlockWatch
from .condition import LEVELS, SILENCE, condition_of, silence_sentence
from .live_run import LiveRun, RunSettings
from .markers import estimate_markers
from .parameters import ESTIMATOR_TABLE, EstimatorParameters, check_estimator, run_settings
from .run_keeping import joint_states_topic, run_file_of, save_folder
from .run_worker import Answer, RunWorker
from .wrench_run import WrenchRun

CHECK_PERIOD = 0.05  # [s] how often answers of the worker are looked for
DIAGNOSTICS_PERIOD = 1.0  # [s]
LOG_PERIOD = 5.0  # [s] between two log lines about the same thing


class EstimatorNode(Node):
    """Identifies the payload while blocks of samples arrive.

    Publishes `~/payload`, `~/payload_inertia`, `~/markers` and /diagnostics; serves `~/start`,
    `~/stop`, `~/reset`, `~/tare`, `~/get_estimate` and `~/save`.

    Attributes:
        robot: The robot file.
        watch: What is known of the blocks received.
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
        self._settings = settings
        self.robot = RobotFile.load(settings.robot_file)
        self._wrench = settings.source == "wrench"
        self._map = JointMap(self.robot.joints) if self._wrench else self.robot.joint_map()
        self._model: ArmModel = RobotModel.from_robot_file(self.robot)
        if self._wrench:
            self._model = model_at(self._model, settings.sensor_frame or self.robot.payload_frame)
        self.watch = BlockWatch()
        self._bag = ""
        self._last_block = time.monotonic()
        self._logged: dict[str, float] = {}
        self._answers: list[tuple[Future[Answer], RosFuture]] = []
        self._open_publishers()
        self._worker = RunWorker(
            self._new_run(),
            COLUMNS if self._wrench else self.robot.n,
            int(settings.buffer * self.robot.joint_states.rate),
            self._publish,
        )
        self._publish(self._worker.report)
        self._subscribe()
        self._serve()
        wall = Clock(clock_type=ClockType.STEADY_TIME)  # runs while simulated time stands still
        self.create_timer(CHECK_PERIOD, self._on_check_due, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._on_diagnostics_due, clock=wall)
        if settings.autostart:
            self._worker.request(self._worker.start)
        self.get_logger().info(
            f"Estimating the payload of '{self.robot.name}' at {self.robot.payload_frame}; "
            f"samples from {self._blocks.topic_name}."
        )

    def _new_run(self) -> LiveRun:
        """Return the identification from what is measured."""
        if not self._wrench:
            return LiveRun(self._model, self._map, self._run_settings)
        file = self._settings.wrench_uncertainty
        uncertainty = read_wrench_uncertainty(file) if file else WrenchUncertainty()
        return WrenchRun(self._model, self._map, self._run_settings, uncertainty)

    def close(self) -> None:
        """End the worker."""
        self._worker.close()

    def _open_publishers(self) -> None:
        """Create all publishers."""
        self._payload = self.create_publisher(PayloadEstimate, "~/payload", LATCHED)
        self._inertia = self.create_publisher(InertiaStamped, "~/payload_inertia", LATCHED)
        self._markers = self.create_publisher(MarkerArray, "~/markers", LATCHED)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)

    def _subscribe(self) -> None:
        """Create all subscriptions."""
        self._blocks = self.create_subscription(
            self._block_type, self._settings.blocks, self._on_block, BLOCKS, raw=True
        )
        self._bag_news = self.create_subscription(
            String, self._settings.bags, self._on_bag, LATCHED
        )

    def _serve(self) -> None:
        """Create all services."""
        worker = self._worker
        # While one of them waits for the worker, everything else is served.
        group = ReentrantCallbackGroup()
        for name, action in (
            ("~/start", worker.start),
            ("~/stop", worker.stop),
            ("~/reset", worker.reset),
            ("~/tare", worker.tare),
        ):
            self.create_service(Trigger, name, self._trigger(action), callback_group=group)
        self.create_service(
            GetEstimate, "~/get_estimate", self._on_get_estimate, callback_group=group
        )
        self.create_service(Save, "~/save", self._on_save, callback_group=group)

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

    def _on_block(self, data: bytes) -> None:
        """Hand a block to the worker."""
        self._last_block = time.monotonic()
        message = decoded(data, self._block_type)
        if message is None:
            self._log(
                "undecodable",
                f"A message on {self._blocks.topic_name} could not be decoded. Build sampler and "
                "estimator from the same message definitions.",
            )
            return
        missing = self.watch.see(message.sequence, message.first_index, len(message.stamp_ns))
        if missing:
            self._log("lost", f"{missing} samples were lost between sampler and estimator.")
        try:
            self._worker.write(self._rows(message), missing)
        except InputError as error:
            self._log("block", str(error))

    @property
    def _block_type(self) -> Any:
        """Type of the blocks."""
        return WrenchBlock if self._wrench else SampleBlock

    def _rows(self, message: Any) -> SampleRows:
        """Return the samples of a block."""
        if self._wrench:
            return rows_of_wrench(message, self._model.payload_frame)
        return rows_of(message, self.robot.joints)

    def _on_bag(self, message: String) -> None:
        """Remember where the sampler records."""
        self._bag = message.data

    def _publish(self, report: Report) -> None:
        """Publish a report; called in the worker's thread."""
        self._payload.publish(estimate_message(report))
        if report.estimate.phi[0] > 0.0:
            self._inertia.publish(inertia_message(report))
        self._markers.publish(estimate_markers(report, self._gravity()))
        if LEVELS[report.estimate.status] is Level.ERROR:
            self._log(report.estimate.status.value, report.estimate.message)

    def _gravity(self) -> Any:
        """Return gravity in the payload frame, if the arm's pose is known."""
        worker = getattr(self, "_worker", None)
        q = None if worker is None else worker.newest_q
        return None if q is None else gravity_in_payload_frame(self._model, q)

    def _ask(self, action: Callable[[], Answer]) -> RosFuture:
        """Hand a request to the worker; the executor goes on serving blocks meanwhile."""
        asked = RosFuture()
        self._answers.append((self._worker.request(action), asked))
        return asked

    def _on_check_due(self) -> None:
        """Pass on the worker's answers."""
        ready = [pair for pair in self._answers if pair[0].done()]
        self._answers = [pair for pair in self._answers if not pair[0].done()]
        for answered, asked in ready:
            asked.set_result(answered.result())

    def _trigger(
        self, action: Callable[[], Answer]
    ) -> Callable[[Trigger.Request, Trigger.Response], Awaitable[Trigger.Response]]:
        """Return the callback of a service without arguments."""

        async def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            result = await self._ask(action)
            response.success, response.message = result.success, result.message
            self.get_logger().info(result.message)
            return response

        return answer

    async def _on_get_estimate(
        self, request: GetEstimate.Request, response: GetEstimate.Response
    ) -> GetEstimate.Response:
        """Answer with the estimate from all samples so far."""
        result = await self._ask(self._worker.estimate)
        response.success, response.message = result.success, result.message
        response.estimate = estimate_message(result.report)
        return response

    async def _on_save(self, request: Save.Request, response: Save.Response) -> Save.Response:
        """Save the run."""
        folder, note = save_folder(request.path, self._bag, self._settings.runs_folder)
        result = await self._ask(lambda: self._worker.save(folder, self._run_file, note))
        response.success, response.message = result.success, result.message
        response.path = str(result.path or "")
        self.get_logger().info(result.message)
        return response

    def _run_file(self) -> RunFile:
        """Return the entries of the run file that do not come from the identification."""
        return run_file_of(self.robot, self._map, self._recorded_topic())

    def _recorded_topic(self) -> str:
        """Return the topic of the samples in the recording; without one, the robot file's."""
        if self._wrench:
            return str(self._blocks.topic_name)
        found = None
        if self._bag:
            try:
                found = joint_states_topic(self._bag)
            except PayloadIdError as error:
                self._log("bag", str(error))
        return found or self.robot.joint_states.topic

    def _on_diagnostics_due(self) -> None:
        """Publish the condition."""
        condition = condition_of(self._worker, self.watch, self._silence())
        stamp = self.get_clock().now().to_msg()
        name = f"{self.get_name()}: identification"
        self._diagnostics.publish(diagnostics_message(condition, name, self.robot.name, stamp))

    def _silence(self) -> str:
        """Return that no samples arrive though a run is in progress; empty while they do."""
        seconds, topic = time.monotonic() - self._last_block, str(self._blocks.topic_name)
        if not self._worker.running or seconds <= SILENCE:
            return ""
        sentence = silence_sentence(topic, ", ".join(publisher_names(self, topic)), seconds)
        self._log("silence", sentence)
        return sentence

    def _log(self, subject: str, sentence: str) -> None:
        """Log a sentence, each subject at most every `LOG_PERIOD`."""
        now = time.monotonic()
        if now - self._logged.get(subject, -LOG_PERIOD) >= LOG_PERIOD:
            self._logged[subject] = now
            self.get_logger().warning(sentence)


def main(args: Sequence[str] | None = None) -> int:
    """Run the estimator until SIGINT or SIGTERM; returns the exit code."""
    return run([EstimatorNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
