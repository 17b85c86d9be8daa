"""uFactory xArm: set_tcp_load, in kilograms and millimetres, without inertia."""

from __future__ import annotations

from typing import Any, ClassVar

from .target import MASS_AND_COM, ArmTarget, Export, numbers, remarks, yaml_text

MILLIMETRES = 1000.0  # in a metre


class XArm(ArmTarget):
    """Request of xarm_msgs/srv/SetTcpLoad; everything on the flange counts."""

    name: ClassVar[str] = "xarm"
    text: ClassVar[str] = "uFactory xArm, set_tcp_load"
    needs: ClassVar[int] = MASS_AND_COM
    whole: ClassVar[bool] = True
    commands: ClassVar[bool] = True

    def request(self, export: Export) -> dict[str, Any]:
        """Return the fields, lengths in millimetres."""
        return {
            "weight": export.load.mass,
            "center_of_gravity": numbers(export.load.com * MILLIMETRES),
        }

    def content(self, export: Export) -> str:
        """Return the request."""
        lines = remarks(export, self, MILLIMETRES, "mm")
        lines.append("weight in kg, center_of_gravity in mm. The arm then waits for set_state 0.")
        return yaml_text(lines, self.request(export))
