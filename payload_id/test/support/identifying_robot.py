"""All nodes of a robot that identifies: simulated arm, sampler and estimator, bridge, planner."""

from __future__ import annotations

import threading

from harness import NodeProcess
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from planned_robot import PARAMETERS, PAYLOAD, PlannedRobot, parameters_of


class IdentifyingRobot(PlannedRobot):
    """Simulated arm, sampler and estimator in one process, bridge, planner; somebody enables it."""

    plays = staticmethod(lambda node: None)  # the estimator is there

    def __init__(self, folder, domain, robot="kinova_gen3", **changes) -> None:
        """Start all in a domain of their own; keep the enabling device pressed from then on."""
        changes |= {"robot_file": robot}
        bounds = parameters_of(ESTIMATOR_TABLE, PARAMETERS)
        self.identify = NodeProcess(
            "identify", domain, folder / "identify.log", robot_file=robot,
            bag=folder / "recording", recordings_folder=folder, **bounds,
        )  # fmt: skip
        arm = NodeProcess(
            "simulated_arm", domain, folder / "arm.log", robot_file=robot, payload=PAYLOAD,
            rate=100.0, physics_step=1e-3,
        )  # fmt: skip
        super().__init__(folder, domain, arm, **changes)
        self._ended = threading.Event()
        self._spinning = threading.Thread(target=self._spin, daemon=True)
        self._spinning.start()

    def close(self) -> list[int]:
        self._ended.set()
        self._spinning.join()
        return [self.identify.stop(), *super().close()]

    def _spin(self) -> None:
        while not self._ended.is_set():
            self.observer.executor.spin_once(timeout_sec=0.05)
