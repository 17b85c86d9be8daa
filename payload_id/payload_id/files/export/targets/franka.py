"""Franka: set_load, in metres, inertia about the centre of mass, column by column."""

from __future__ import annotations

from typing import Any, ClassVar

from .target import ALL, ArmTarget, Export, numbers, remarks, yaml_text


class Franka(ArmTarget):
    """Request of franka_msgs/srv/SetLoad; the end effector is configured apart from it."""

    name: ClassVar[str] = "franka"
    text: ClassVar[str] = "Franka, set_load"
    needs: ClassVar[int] = ALL
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = True

    def request(self, export: Export) -> dict[str, Any]:
        """Return the fields; the inertia column by column."""
        return {
            "mass": export.load.mass,
            "center_of_mass": numbers(export.load.com),
            "load_inertia": numbers(export.load.inertia.ravel(order="F")),
        }

    def content(self, export: Export) -> str:
        """Return the request."""
        lines = remarks(export, self)
        lines.append("mass in kg, center_of_mass in m; load_inertia in kg m2 about that centre,")
        lines.append("column by column.")
        return yaml_text(lines, self.request(export))
