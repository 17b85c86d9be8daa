"""control_toolbox's GravityCompensationWrench: parameters of a filter of wrenches."""

from __future__ import annotations

from typing import ClassVar

from ....core.errors import ConfigurationError
from .target import MASS_AND_COM, Export, Target, numbers, remarks, yaml_text


class GravityFilter(Target):
    """Parameters of control_filters/GravityCompensationWrench; all beyond the sensor counts."""

    name: ClassVar[str] = "gravity_filter"
    text: ClassVar[str] = "control_filters/GravityCompensationWrench"
    needs: ClassVar[int] = MASS_AND_COM
    whole: ClassVar[bool] = True
    commands: ClassVar[bool] = False

    def content(self, export: Export) -> str:
        """Return the parameters.

        Raises:
            ConfigurationError: It is not known where gravity points.
        """
        if export.world is None or export.gravity is None:
            raise ConfigurationError(
                "The filter needs a world frame and gravity in it, which this result does not "
                "have. Give the robot file (--robot), or the run itself instead of its JSON."
            )
        lines = remarks(export, self)
        lines.append(
            "Parameters of the filter, below its 'params'. The load's frame is taken as the"
        )
        lines.append("sensor's (--frame names another). The filter removes no bias of the sensor.")
        return yaml_text(
            lines,
            {
                "world_frame": export.world,
                "sensor_frame": export.load.frame,
                "tool": {
                    "CoG": numbers(export.load.com),
                    "mass": export.load.mass,
                    "gravity_field": numbers(export.gravity),
                },
            },
        )
