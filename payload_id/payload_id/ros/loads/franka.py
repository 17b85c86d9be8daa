"""Franka: franka_msgs/srv/SetLoad, inertia about the centre of mass column by column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .load_writer import LoadWriter, Values, vector


class FrankaLoad(LoadWriter):
    """franka_robot_state_broadcaster publishes which load the arm has."""

    name: ClassVar[str] = "franka"
    effects: ClassVar[str] = (
        "The end effector stays configured apart from it. Gravity compensation and external "
        "torques rest on this load at once; the measured joint torques (tau_J) still hold it."
    )
    state_type: ClassVar[str] = "franka_msgs/msg/FrankaRobotState"

    def fill(self, request: Any, values: Values) -> None:
        """Put values into a request."""
        request.mass = float(values["mass"])
        request.center_of_mass = [float(x) for x in values["center_of_mass"]]
        request.load_inertia = [float(x) for x in values["load_inertia"]]

    def refusal(self, response: Any) -> str:
        """Return the driver's words."""
        return "" if response.success else f"{response.error!r}"

    def state(self, message: Any, joints: Sequence[str]) -> dict[str, Any] | None:
        """Return the load in the arm's state; its inertia is symmetric, so rows are columns."""
        load = message.inertia_load.inertia
        rows = (
            (load.ixx, load.ixy, load.ixz),
            (load.ixy, load.iyy, load.iyz),
            (load.ixz, load.iyz, load.izz),
        )
        return {
            "mass": float(load.m),
            "center_of_mass": list(vector(load.com).values()),
            "load_inertia": [float(x) for row in rows for x in row],
        }
