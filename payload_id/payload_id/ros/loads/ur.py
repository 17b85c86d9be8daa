"""Universal Robots: ur_msgs/srv/SetPayload in each of its three forms, and what the arm has.

It first had mass and centre of mass; since 2026 inertia and a transition time, too; in the
development version the load is a geometry_msgs/Inertia and the time a Duration.
"""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from typing import Any, ClassVar

from ...core.errors import ConfigurationError
from ...files.export.targets.arms import TRANSITION
from ..common.conversions import duration_message
from .load_writer import INERTIA, LoadWriter, Values

COMPONENT = "payload"  # of the driver's state interfaces, behind tf_prefix


class UniversalRobotsLoad(LoadWriter):
    """joint_state_broadcaster publishes which load the arm has on /dynamic_joint_states."""

    name: ClassVar[str] = "ur"
    effects: ClassVar[str] = (
        "The arm's free drive, its safety limits and its external wrench rest on this load at "
        "once, and it forgets it at the next installation or program that sets another one. Since "
        "2026 the driver reports torques from which gravity, this load's included, is taken out: "
        "identify anew only without it (--undo), or with the motor currents "
        "(use_currents_as_efforts)."
    )
    hides: ClassVar[tuple[str, ...]] = ("torque",)
    state_type: ClassVar[str] = "control_msgs/msg/DynamicJointState"

    def fill(self, request: Any, values: Values) -> None:
        """Put values into a request of any form.

        Raises:
            ConfigurationError: There is an inertia, and the driver's message has no field for it.
        """
        with_inertia = "ixx" in values
        if hasattr(request, "payload"):
            load, mass, com = request.payload, "m", "com"
        else:
            load, mass, com = request, "mass", "center_of_gravity"
        if with_inertia and not hasattr(load, "ixx"):
            raise ConfigurationError(
                "The ur_msgs that are here have no fields for the inertia, which came in 2026: "
                "leave it out (--no-inertia), so that the arm takes it as none, or update them."
            )
        setattr(load, mass, float(values["mass"]))
        for axis in "xyz":
            setattr(getattr(load, com), axis, float(values["center_of_gravity"][axis]))
        for name in INERTIA if with_inertia else ():
            setattr(load, name, float(values[name]))
        if hasattr(request, "transition_time"):
            seconds = float(values.get("transition_time", TRANSITION))
            plain = isinstance(request.transition_time, float)
            request.transition_time = seconds if plain else duration_message(seconds)

    def refusal(self, response: Any) -> str:
        """Say that it was not taken; the driver gives no reason."""
        return "" if response.success else "success: false; its log says why"

    def state(self, message: Any, joints: Sequence[str]) -> dict[str, Any] | None:
        """Return the load among the states of everything; older drivers do not have it."""
        said = _load_of(message, joints)
        if said is None:
            return None
        found: dict[str, Any] = {"mass": said["mass"]}
        if all(f"cog.{axis}" in said for axis in "xyz"):
            found["center_of_gravity"] = {axis: said[f"cog.{axis}"] for axis in "xyz"}
        if all(f"inertia.{x}" in said for x in INERTIA):
            found |= {x: said[f"inertia.{x}"] for x in INERTIA}
        return found


def _load_of(message: Any, joints: Sequence[str]) -> dict[str, float] | None:
    """Return what is said of the load of the arm with some joints; None: nothing for sure.

    Of several arms, this one's has the prefix that its joints have, the longest of them.
    """
    prefix = os.path.commonprefix(list(joints))
    loads = [
        (len(name), dict(zip(entry.interface_names, entry.values, strict=False)))
        for name, entry in zip(message.joint_names, message.interface_values, strict=False)
        if name.endswith(COMPONENT) and prefix.startswith(name.removesuffix(COMPONENT))
    ]
    told = [(length, said) for length, said in loads if "mass" in said]
    longest = max((length for length, _ in told), default=0)
    ours = [said for length, said in told if length == longest]
    # Two arms of one name: whose it is cannot be told.
    return ours[0] if ours and all(said == ours[0] for said in ours) else None
