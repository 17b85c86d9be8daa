"""The result itself as YAML: what is not identified is null, not zero."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ....core.body.inertial import PARAMETERS, UNITS
from .target import INERTIA_NAMES, Export, Target, numbers, remarks, yaml_text


class YamlRecord(Target):
    """Mass, centre of mass and inertia with their intervals, for programs of one's own."""

    name: ClassVar[str] = "yaml"
    text: ClassVar[str] = "programs"
    needs: ClassVar[int] = 1
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = False

    def content(self, export: Export) -> str:
        """Return the record."""
        load, result = export.load, export.result
        known = result.identifiable
        upper = load.inertia[np.triu_indices(3)]
        inertia = dict(zip(INERTIA_NAMES, numbers(upper), strict=True))
        return yaml_text(
            [*remarks(export, self), "SI units; inertia about the centre of mass; null: unknown."],
            {
                "status": result.status.value,
                "frame": load.frame,
                "mass": load.mass,
                "mass_interval": _ends(load.mass_range.lower, load.mass_range.upper)[0],
                "center_of_mass": numbers(load.com) if known[:4].all() else None,
                "center_of_mass_interval": _ends(load.com_range.lower, load.com_range.upper),
                "inertia": inertia if known.all() else None,
                "inertia_interval": dict(
                    zip(
                        INERTIA_NAMES,
                        _ends(load.inertia_range.lower, load.inertia_range.upper),
                        strict=True,
                    )
                ),
                "not_identified": [
                    f"{name} [{unit}]"
                    for name, unit, good in zip(PARAMETERS, UNITS, known, strict=True)
                    if not good
                ],
            },
        )


def _ends(lower: np.ndarray, upper: np.ndarray) -> list[list[float | None]]:
    """Return both ends of each interval, null where there is none."""
    return [
        [float(x) if np.isfinite(x) else None for x in ends]
        for ends in zip(lower, upper, strict=True)
    ]
