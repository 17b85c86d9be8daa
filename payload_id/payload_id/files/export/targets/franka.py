"""Franka: set_load, in metres, inertia about the centre of mass, column by column."""

from __future__ import annotations

from typing import ClassVar

from .target import ALL, Export, Target, numbers, remarks, yaml_text


class Franka(Target):
    """Request of franka_msgs/srv/SetLoad; the end effector is configured apart from it."""

    name: ClassVar[str] = "franka"
    text: ClassVar[str] = "Franka, set_load"
    needs: ClassVar[int] = ALL
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = True

    def content(self, export: Export) -> str:
        """Return the request."""
        lines = remarks(export, self)
        lines.append("mass in kg, center_of_mass in m; load_inertia in kg m2 about that centre,")
        lines.append("column by column.")
        return yaml_text(
            lines,
            {
                "mass": export.load.mass,
                "center_of_mass": numbers(export.load.com),
                "load_inertia": numbers(export.load.inertia.ravel(order="F")),
            },
        )
