"""uFactory xArm: set_tcp_load, in kilograms and millimetres, without inertia."""

from __future__ import annotations

from typing import ClassVar

from .target import MASS_AND_COM, Export, Target, numbers, remarks, yaml_text

MILLIMETRES = 1000.0  # in a metre


class XArm(Target):
    """Request of xarm_msgs/srv/SetTcpLoad; everything on the flange counts."""

    name: ClassVar[str] = "xarm"
    text: ClassVar[str] = "uFactory xArm, set_tcp_load"
    needs: ClassVar[int] = MASS_AND_COM
    whole: ClassVar[bool] = True
    commands: ClassVar[bool] = True

    def content(self, export: Export) -> str:
        """Return the request."""
        lines = remarks(export, self, MILLIMETRES, "mm")
        lines.append("weight in kg, center_of_gravity in mm. The arm then waits for set_state 0.")
        return yaml_text(
            lines,
            {
                "weight": export.load.mass,
                "center_of_gravity": numbers(export.load.com * MILLIMETRES),
            },
        )
