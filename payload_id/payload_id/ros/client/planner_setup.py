"""What a running planner works with, as its parameters say: arm, bounds, the payload's box."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.parameter import parameter_value_to_python

from ...core.arrays import Array
from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.bags.joint_states_bag import JOINT_STATE
from ...files.robots.robot_file import RobotFile
from ..common.shared_parameters import (
    RELIABILITY,
    ROBOT_FILE,
    UNCERTAINTY_PARAMETERS,
    UNCERTAINTY_PREFIX,
    uncertainty_of,
)
from .waiting import wait_for

TABLE = (ROBOT_FILE, RELIABILITY, *UNCERTAINTY_PARAMETERS)
NAMES = ("payload_box", "payload_box_centre", *(entry.name for entry in TABLE))


@dataclass(frozen=True)
class PlannerSetup:
    """Parameters of a planner, by which its certificates are made.

    Attributes:
        robot: The robot file.
        topic: Of the joint states that the planner hears.
        reliability: Of their subscription; empty: the robot file's.
        uncertainty: Bounds on arm and payload.
        changed: Bounds that the planner's parameters replace, by their names in the robot file.
        box: Opposite corners of the box that contains the payload, shape (2, 3) [m].
    """

    robot: RobotFile
    topic: str
    reliability: str
    uncertainty: Uncertainty
    changed: Mapping[str, float | list[float]]
    box: Array

    @classmethod
    def of(cls, node: Node, planner: str, timeout: float = 60.0) -> PlannerSetup:
        """Ask a planner.

        Args:
            node: A node that an executor in another thread serves.
            planner: Name of the planner's node.
            timeout: Longest time to wait [s].

        Raises:
            NotAnsweredError: It does not answer in time.
            ConfigurationError: It does not know the payload's box, or its robot file is not here.
        """
        topics = list[str]()

        def hears() -> bool:
            topics[:] = _heard(node, planner)
            return bool(topics)

        client = node.create_client(GetParameters, f"{planner}/get_parameters")
        wait_for(client.service_is_ready, timeout, f"the planner {planner}")
        future = client.call_async(GetParameters.Request(names=list(NAMES)))
        wait_for(future.done, timeout, f"the parameters of {planner}")
        wait_for(hears, timeout, f"the joint states that {planner} hears")
        node.destroy_client(client)
        found = [_plain(value) for value in future.result().values]
        return cls._from_values(dict(zip(NAMES, found, strict=True)), planner, topics[0])

    @classmethod
    def _from_values(cls, values: Mapping[str, Any], planner: str, topic: str) -> PlannerSetup:
        """Return what the parameters' values mean."""
        size, centre = values["payload_box"], values["payload_box_centre"]
        if size is None:
            raise ConfigurationError(
                f"The planner {planner} has no payload_box. Start it with a box in the payload "
                "frame that contains every weight (payload_box, payload_box_centre): motions are "
                "certified for any body of the weight's mass in it."
            )
        half = np.array(size) / 2
        robot = RobotFile.load(values[ROBOT_FILE.name])
        changed = {
            name.removeprefix(UNCERTAINTY_PREFIX): value
            for name, value in values.items()
            if name.startswith(UNCERTAINTY_PREFIX) and value is not None
        }
        return cls(
            robot=robot,
            topic=topic,
            reliability=values[RELIABILITY.name],
            uncertainty=uncertainty_of(values, robot.uncertainty),
            changed=changed,
            box=np.array(centre) + np.array([-half, half]),
        )


def _heard(node: Node, name: str) -> list[str]:
    """Return the topics of joint states that a node of a name hears, as the graph says."""
    space, _, own = node.resolve_service_name(name).rpartition("/")
    try:
        found = node.get_subscriber_names_and_types_by_node(own, space or "/")
    except NodeNameNonExistentError:  # discovery has not found it yet
        return []
    return [topic for topic, types in found if JOINT_STATE in types]


def _plain(value: Any) -> Any:
    """Return a parameter's value as Python has it."""
    found = parameter_value_to_python(value)
    return list(found) if hasattr(found, "tolist") else found
