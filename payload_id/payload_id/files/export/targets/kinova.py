"""Kinova Gen3: PayloadInformation of the vendor's API, in kilograms and metres, without inertia."""

from __future__ import annotations

from typing import Any, ClassVar

from .target import MASS_AND_COM, ArmTarget, Export, numbers, remarks, yaml_text


class Kinova(ArmTarget):
    """Fields of ControlConfig.SetPayloadInformation; the tool is configured apart from it."""

    name: ClassVar[str] = "kinova"
    text: ClassVar[str] = "Kinova Gen3, SetPayloadInformation or Web App"
    needs: ClassVar[int] = MASS_AND_COM
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = True
    at: ClassVar[str] = "the arm's tool frame, its flange while no tool transform is configured"

    def request(self, export: Export) -> dict[str, Any]:
        """Return the fields of the vendor's API."""
        x, y, z = numbers(export.load.com)
        return {"payload_mass": export.load.mass, "payload_mass_center": {"x": x, "y": y, "z": z}}

    def content(self, export: Export) -> str:
        """Return the fields."""
        lines = remarks(export, self)
        lines.append(
            "payload_mass in kg, payload_mass_center in m in the arm's tool frame, taken as"
        )
        lines.append(f"{export.load.frame}: true while no tool transform is configured.")
        lines.append("ros2_kortex has no service; Configurations > Robot > Arm > Tool persists.")
        return yaml_text(lines, self.request(export))
