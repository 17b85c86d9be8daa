"""The simulated mocobots of a demonstration: they publish joint states as real ones do."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import MultiDOFJointTrajectory

from ...core.mechanism.readings import JointReadings
from ...core.simulation.team.team_motion import Stage, WristReferences
from ...core.simulation.team.team_plant import TeamPlant, TeamState
from ...core.simulation.team.team_sensors import TeamReader
from .team_scene import NAMES, SENSORS, TeamDemo

JOINTS = (
    "before_1", "after_1", "before_2", "after_2", "before_3", "after_3", "x", "y", "z",
    "gimbal_x", "gimbal_y", "gimbal_z",
)  # fmt: skip
QUALITY = QoSProfile(depth=200, reliability=ReliabilityPolicy.RELIABLE)
EPOCH = 1_700_000_000_000_000_000  # stamp of the simulation's begin [ns]


class SimulatedRobots:
    """Runs a simulated team, at real time or as fast as the machine can."""

    def __init__(self, node: Node, demo: TeamDemo) -> None:
        """Create the publishers; nothing moves yet."""
        self._plant = TeamPlant(demo.scene)
        self._reader = TeamReader(demo.scene, SENSORS, np.random.default_rng(demo.seed))
        self._publishers = [
            node.create_publisher(JointState, f"/{name}/joint/joint_states", QUALITY)
            for name in NAMES
        ]

    @property
    def heard(self) -> bool:
        """Whether somebody listens to every robot."""
        return all(x.get_subscription_count() > 0 for x in self._publishers)

    def run(self, stage: Stage) -> Iterator[TeamState]:
        """Move through a stage, no faster than real time; yield the truth ten times a second."""
        plant = self._plant
        plant.follow(stage.motion, stage.human)
        start, begin = plant.time, time.monotonic()
        shown = start
        for state in plant.run(start + stage.seconds, self._reader.due):
            for i, reading in self._reader.read(state):
                self._publishers[i].publish(_message(reading))
            ahead = state.time - start - (time.monotonic() - begin)
            if ahead > 0.002:
                time.sleep(ahead)
            if state.time - shown >= 0.1:
                shown = state.time
                yield state


def references_of(message: MultiDOFJointTrajectory) -> WristReferences:
    """Return where a planned motion wants each wrist, in the order of its joint names."""
    time = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in message.points]
    place = [
        [[x.translation.x, x.translation.y, x.translation.z] for x in point.transforms]
        for point in message.points
    ]
    return WristReferences(np.array(time), np.array(place).swapaxes(0, 1))


def _message(reading: JointReadings) -> JointState:
    """Return one reading as the robot publishes it; x, y, z are left at zero, nobody reads them."""
    message = JointState(name=list(JOINTS))
    stamp = EPOCH + round(float(reading.stamp[0]) * 1e9)
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
    pairs = np.stack([reading.before[0], reading.theta[0]], axis=1).ravel()
    tau = np.repeat(reading.tau[0], 2)
    message.position = [*map(float, pairs), 0.0, 0.0, 0.0, *map(float, reading.gimbal[0])]
    message.velocity = [0.0] * 9
    message.effort = [*map(float, tau), 0.0, 0.0, 0.0]
    return message
