"""Kinova Gen3: PayloadInformation of the vendor's API, in kilograms and metres, without inertia."""

from __future__ import annotations

from typing import ClassVar

from .target import MASS_AND_COM, Export, Target, numbers, remarks, yaml_text


class Kinova(Target):
    """Fields of ControlConfig.SetPayloadInformation; the tool is configured apart from it."""

    name: ClassVar[str] = "kinova"
    text: ClassVar[str] = "Kinova Gen3, SetPayloadInformation or Web App"
    needs: ClassVar[int] = MASS_AND_COM
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = True

    def content(self, export: Export) -> str:
        """Return the fields."""
        x, y, z = numbers(export.load.com)
        lines = remarks(export, self)
        lines.append(
            "payload_mass in kg, payload_mass_center in m in the arm's tool frame, taken as"
        )
        lines.append(f"{export.load.frame}: true while no tool transform is configured.")
        lines.append("ros2_kortex has no service; Configurations > Robot > Arm > Tool persists.")
        return yaml_text(
            lines,
            {
                "payload_mass": export.load.mass,
                "payload_mass_center": {"x": x, "y": y, "z": z},
            },
        )
