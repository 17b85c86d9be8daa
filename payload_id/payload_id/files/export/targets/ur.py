"""Universal Robots: set_payload, in metres, inertia about the centre of mass."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .target import ALL, INERTIA_NAMES, ArmTarget, Export, numbers, remarks, yaml_text

ORDER = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # of the service's fields
TRANSITION = 0.5  # [s] over which the arm takes the load up: 0 lets it jump


class UniversalRobots(ArmTarget):
    """Request of ur_msgs/srv/SetPayload; everything on the tool mount counts."""

    name: ClassVar[str] = "ur"
    text: ClassVar[str] = "Universal Robots, set_payload"
    needs: ClassVar[int] = ALL
    whole: ClassVar[bool] = True
    commands: ClassVar[bool] = True

    def request(self, export: Export) -> dict[str, Any]:
        """Return the fields; without inertia for drivers of before 2026, which have none."""
        x, y, z = numbers(export.load.com)
        request: dict[str, Any] = {
            "mass": export.load.mass,
            "center_of_gravity": {"x": x, "y": y, "z": z},
        }
        if export.with_inertia:
            upper = export.load.inertia[np.triu_indices(3)]
            named = dict(zip(INERTIA_NAMES, numbers(upper), strict=True))
            request |= {name: named[name] for name in ORDER} | {"transition_time": TRANSITION}
        return request

    def content(self, export: Export) -> str:
        """Return the request."""
        lines = [*remarks(export, self), "mass in kg, center_of_gravity in m."]
        if export.with_inertia:
            lines.append("Inertia in kg m2 about the centre of mass; transition_time in s.")
        else:
            lines.append("Without inertia: the arm takes it as none.")
        return yaml_text(lines, self.request(export))
