"""The estimator: blocks of samples in, estimate and intervals out, runs controlled by services."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...core.arm.arm_model import ArmModel
from ...core.identification.status import Status
from ...core.samples.sample_rows import SampleRows
from ...files.robots.robot_file import RobotFile
from ..common.conversions import Report
from ..common.diagnostics import Condition
from ..common.main_loop import run
from ..common.parameters import check_changes, current_values, read_parameters
from ..common.shared_parameters import stated_figures, uncertainty_of
from ..common.timeouts import LOG
from ..lifecycle.managed_node import ManagedNode
from ..runs.run_control import RunControl
from ..runs.run_worker import RunWorker
from .block_subscription import BlockSubscription
from .condition import condition_of
from .contact_publisher import ContactPublisher
from .contact_worker import ContactWorker
from .estimate_publisher import EstimatePublisher
from .hand_worker import HandWorker
from .parameters import ESTIMATOR_TABLE, EstimatorParameters
from .run_keeping import RunKeeping
from .services import EstimatorServices
from .sources import SOURCES
from .sources.live_run import LiveRun, RunSettings


@dataclass(frozen=True)
class Parts:
    """What a configured estimator consists of."""

    settings: EstimatorParameters
    blocks: BlockSubscription
    publisher: EstimatePublisher
    control: RunControl[LiveRun]
    worker: RunWorker
    requests: EstimatorServices


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
        self.robot = robot = RobotFile.load(settings.robot_file)
        run_with = partial(
            SOURCES[settings.source], robot, settings.sensor_frame, settings.wrench_uncertainty
        )
        live = run_with(lambda: self._settings(current_values(self, ESTIMATOR_TABLE)))
        # A run is set up, as ~/start will do: what it refuses is refused now.
        check_changes(self, ESTIMATOR_TABLE, lambda x: run_with(lambda: self._settings(x)))

        estimates = EstimatePublisher(self, live)
        contact = self._contact_worker(settings, live.model)
        hand = None
        if settings.hands_free and settings.source == "torque":
            hand = HandWorker(self, robot, live, settings.feedforward)
            self.resources.callback(hand.close)

        def on_report(report: Report) -> None:
            """Publish a report, and learn from it; called in the thread that identifies."""
            if report.estimate.status is Status.WAITING:
                keeping.begin()
                if hand is not None and (known := live.established()) is not None:
                    hand.begin(known)
            estimates.publish(report)
            if contact is not None:
                contact.learn(report.estimate, live.established)

        def on_samples(rows: SampleRows, missing: int, published_ns: int) -> None:
            """Hand samples to the threads."""
            worker.let_in(published_ns)
            control.write(rows, missing)
            if hand is not None and not control.running:
                hand.end()
            for watch in (contact, hand):
                if watch is not None and not self.inactivity:
                    watch.write(rows)

        capacity = int(settings.buffer * robot.joint_states.rate)
        control = RunControl(live, capacity, on_report, settings.processor_share)
        worker = RunWorker(control)
        self.resources.callback(worker.close)
        blocks = BlockSubscription(
            self, live, on_samples, lambda state: keeping.note(state.recording)
        )
        keeping = RunKeeping(settings, robot, live, blocks.topic, self.get_logger())
        live.on_ended = keeping.keep_payload
        requests = EstimatorServices(self, control, worker, keeping, blocks)
        self._parts = Parts(settings, blocks, estimates, control, worker, requests)
        self.get_logger().info(
            f"Estimating the payload of '{robot.name}' at {robot.payload_frame}; samples from "
            f"{blocks.topic}."
        )

    def activate(self) -> None:
        """Say how things are, and begin a run if one is to begin at once."""
        parts = self._parts
        parts.publisher.publish(parts.control.report)
        if parts.settings.begin_run or parts.settings.hands_free:
            parts.worker.request(parts.control.start)

    async def leave(self) -> None:
        """End a run in progress; its data are kept for `~/save`."""
        if self._parts.control.running:
            await self._parts.requests.end_run()

    def _contact_worker(
        self, settings: EstimatorParameters, model: ArmModel
    ) -> ContactWorker | None:
        """Return what watches for contact; None where that is not asked for or not possible."""
        if settings.contact_window == 0.0 or settings.source != "torque":
            return None
        publisher = ContactPublisher(self, model.joints, model.payload_frame)
        worker = ContactWorker(
            settings.contact_window,
            self.robot.joint_states.rate,
            publisher.publish,
            lambda said: self.get_logger().warning(said, throttle_duration_sec=LOG),
        )
        self.resources.callback(worker.close)
        return worker

    def _settings(self, values: Mapping[str, Any]) -> RunSettings:
        """Return the settings that values of the parameters ask for."""
        settings = EstimatorParameters.of(values)
        robot = self.robot
        return settings.run_settings(robot.uncertainty, robot.n, robot.joint_states.rate)

    def condition(self) -> Condition:
        """Judge the run."""
        condition = condition_of(self._parts.control, self._parts.blocks)
        values = current_values(self, ESTIMATOR_TABLE)
        prior = uncertainty_of(values, self.robot.uncertainty).prior
        figures = {**condition.figures, **stated_figures(self.robot, prior)}
        return replace(condition, figures=figures)


def main(args: Sequence[str] | None = None) -> int:
    """Run the estimator until SIGINT or SIGTERM; returns the exit code."""
    return run([EstimatorNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
