"""Parameters of the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.estimators import ESTIMATORS, estimator_named
from ...core.identification.headline import enough_of
from ...core.identification.settings import INTERVALS, Settings
from ...core.rows.joint_torque.uncertainty import BOUNDS, Uncertainty
from ...files.configuration.input_path import from_home
from ...files.payload.payload_file import KnownOfPayload, read_payload
from ..common.parameters import NodeParameters, declared, parameter, section, table_of
from ..common.shared_parameters import (
    PROCESSOR_SHARE,
    ROBOT_FILE,
    SENSOR_FRAME,
    SOURCE,
    UNCERTAINTY_PARAMETERS,
    uncertainty_of,
)
from .sources.live_run import RunSettings

HAND_WINDOW = 0.05  # [s]: a load that comes within 0.1 s is told after 0.2 s at the most
LEAST_PERIODS = 10.0  # of joint states in such a window: one that is lost must be no gap


@dataclass(frozen=True)
class EstimatorParameters(NodeParameters):
    """Parameters of the estimator; `bounds` replace those of the robot file."""

    files_folder: str = parameter(
        "~/.ros/payload_id/files",
        "Folder of the payload files that may be named while the node runs: whoever may set them "
        "has nothing else read. Those given when the node starts may lie anywhere.",
    )
    payload: str = parameter(
        "",
        "YAML file with what is known of the payload, in the payload frame: mass, centre of mass, "
        "symmetry, materials, a container's cavity, a mesh of its shape; it must be true. Empty: "
        "nothing. While the node runs, a file in files_folder.",
        read_only=False,
        folder="files_folder",
    )
    robot_file: str = declared(ROBOT_FILE)
    source: str = declared(SOURCE)
    sensor_frame: str = declared(SENSOR_FRAME)
    wrench_uncertainty: str = parameter(
        "",
        "For source wrench, YAML file with the bounds of WrenchUncertainty; empty: only the bias "
        "is unknown.",
    )
    begin_run: bool = parameter(
        False, "Whether a run begins as soon as the node is active, without ~/start."
    )
    hands_free: bool = parameter(
        False,
        "Whether the estimator watches what the arm takes up and puts down, without any call: a "
        "run begins as soon as the node is active, with an empty hand. For source torque.",
    )
    feedforward: str = parameter(
        "",
        "With hands_free, what ~/payload_feedforward carries of the payload's weight: estimate, "
        "or only what is sure; empty: the topic is not there.",
        choices=("", "estimate", "sure"),
    )
    buffer: float = parameter(
        60.0,
        "Time of data that may wait while a solver runs; what exceeds it is lost and counted.",
        "s",
        1.0,
        600.0,
    )
    contact_window: float = parameter(
        0.1,
        "Length of the windows in which contact is looked for once a payload is known; 0: no "
        "watch. Shorter ones tell sooner, and only of larger forces. For source torque.",
        "s",
        0.0,
        10.0,
    )
    runs_folder: str = parameter(
        "~/.ros/payload_id",
        "Folder in which ~/save makes a new one where there is no recording to add to; elsewhere "
        "it writes nothing but to the folder of a recording.",
    )
    recordings_folder: str = parameter(
        "~",
        "Folder in which the sampler's recordings lie: ~/save adds to one that the sampler names "
        "there, and to none elsewhere.",
    )
    estimator: str = parameter(
        "lmi",
        "Point estimator.",
        choices=tuple(ESTIMATORS),
        read_only=False,
    )
    intervals: str = parameter(
        "hull",
        "Method of the intervals.",
        choices=INTERVALS,
        read_only=False,
    )
    level: float = parameter(
        0.95,
        "Probability with which confidence intervals and those from the arm's history hold.",
        "-",
        0.01,
        0.999,
        read_only=False,
    )
    enough: list[float] = parameter(
        [0.05, 0.05, 0.01],
        "How near the mass must be known for GOOD, as a part of it or in kg, whichever is more, "
        "and the centre of mass in m.",
        "-",
        0.0,
        10.0,
        read_only=False,
        kind="numbers",
    )
    window: float = parameter(
        0.1,
        "Length of the windows over which torques are integrated; with hands_free at most 0.05 s, "
        "or ten periods of the joint states.",
        "s",
        0.005,
        10.0,
        read_only=False,
    )
    scales: list[float] | None = parameter(
        None,
        "For source torque, further lengths of windows, whose rows the intervals use as well; not "
        "set: those for which uncertainty.torque_mean is stated, and 0.5 and 2 s where "
        "uncertainty.velocity_error is.",
        "s",
        0.0001,
        60.0,
        read_only=False,
        kind="numbers",
    )
    update_period: float = parameter(
        0.5,
        "Shortest time, by the data's stamps, between two updates of the estimate.",
        "s",
        0.01,
        60.0,
        read_only=False,
    )
    processor_share: float = declared(PROCESSOR_SHARE)
    bounds: Mapping[str, Any] = section(UNCERTAINTY_PARAMETERS)

    def known(self) -> KnownOfPayload:
        """Return what is known of the payload.

        Raises:
            ConfigurationError: The file cannot be used.
        """
        path = self.payload
        return read_payload(from_home(path, "payload file")) if path else KnownOfPayload()

    def run_settings(self, from_robot_file: Uncertainty, n: int, rate: float) -> RunSettings:
        """Return the settings of the next run.

        Args:
            from_robot_file: The bounds where no parameter replaces them.
            n: Number of joints.
            rate: Of the joint states [Hz].

        Raises:
            InputError: A bound is impossible, or has another number of entries than there are
                joints; the payload file cannot be read, or the estimator needs a shape.
        """
        uncertainty = uncertainty_of(self.bounds, from_robot_file)
        for name, entry in BOUNDS.items():
            if entry.type == "PerJoint":
                uncertainty.per_joint(name, n)
        uncertainty.means(n)
        known = self.known()
        estimator_named(self.estimator, known.shape)
        hands_free = self.hands_free and self.source == "torque"
        longest = max(HAND_WINDOW, LEAST_PERIODS / rate) if hands_free else self.window
        return RunSettings(
            Settings(
                uncertainty,
                self.estimator,
                self.intervals,
                min(self.window, longest),
                known.shape,
                self.level,
                known.knowledge,
                tuple(self.scales or ()),
                enough_of(self.enough),
                hands_free,
            ),
            self.update_period,
        )


ESTIMATOR_TABLE = table_of(EstimatorParameters)
