"""Loads as programs take them: the result itself, a link of a description, a filter of wrenches."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ....core.body.inertial import PARAMETERS, UNITS
from ....core.errors import ConfigurationError
from ..loads.ranges import Range
from .target import ALL, INERTIA_NAMES, MASS_AND_COM, XML, Export, Target, numbers


def _record(export: Export) -> dict[str, Any]:
    """Return the result; what is not identified is null, not zero."""
    load, known = export.load, export.result.estimate.identifiable
    upper = numbers(load.inertia[np.triu_indices(3)])
    both = zip(PARAMETERS, UNITS, known, strict=True)
    return {
        "status": export.result.estimate.status.value,
        "frame": load.frame,
        "mass": load.mass,
        "mass_interval": _ends(load.mass_range)[0],
        "center_of_mass": numbers(load.com) if known[:4].all() else None,
        "center_of_mass_interval": _ends(load.com_range),
        "inertia": dict(zip(INERTIA_NAMES, upper, strict=True)) if known.all() else None,
        "inertia_interval": dict(zip(INERTIA_NAMES, _ends(load.inertia_range), strict=True)),
        "not_identified": [f"{name} [{unit}]" for name, unit, good in both if not good],
    }


def _ends(found: Range) -> list[list[float | None]]:
    """Return both ends of each interval, null where there is none."""
    return [
        [float(x) if np.isfinite(x) else None for x in ends]
        for ends in zip(found.lower, found.upper, strict=True)
    ]


def _filter(export: Export) -> dict[str, Any]:
    """Return the parameters of control_filters/GravityCompensationWrench.

    Raises:
        ConfigurationError: It is not known where gravity points.
    """
    load = export.load
    if export.world is None or export.gravity is None:
        raise ConfigurationError(
            "The filter needs a world frame and gravity in it, which this result does not "
            "have. Give the robot file (--robot), or the run itself instead of its JSON."
        )
    gravity = numbers(export.gravity)
    tool = {"CoG": numbers(load.com), "mass": load.mass, "gravity_field": gravity}
    return {"world_frame": export.world, "sensor_frame": load.frame, "tool": tool}


def _urdf(export: Export) -> str:
    """Return a link with inertia and the fixed joint that carries it."""
    return _elements(export, "payload", quoteattr(export.load.frame))


def _xacro(export: Export) -> str:
    """Return the same as a macro with the names of payload and link."""
    body = _elements(export, "${name}", '"${parent}"').replace("\n", "\n    ").rstrip()
    parent = escape(export.load.frame)
    return (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
        f'  <xacro:macro name="payload" params="name:=payload parent:={parent}">\n'
        f"    {body}\n  </xacro:macro>\n</robot>\n"
    )


def _elements(export: Export, name: str, parent: str) -> str:
    """Return the two elements."""
    load = export.load
    place = " ".join(f"{x!r}" for x in numbers(load.com))
    upper = numbers(load.inertia[np.triu_indices(3)])
    inertia = " ".join(f'{k}="{x!r}"' for k, x in zip(INERTIA_NAMES, upper, strict=True))
    return (
        f'<link name="{name}">\n'
        "  <inertial>\n"
        f'    <origin xyz="{place}" rpy="0 0 0"/>\n'
        f'    <mass value="{load.mass!r}"/>\n'
        f"    <inertia {inertia}/>\n"
        "  </inertial>\n"
        "</link>\n"
        f'<joint name="{name}_joint" type="fixed">\n'
        f"  <parent link={parent}/>\n"
        f'  <child link="{name}"/>\n'
        '  <origin xyz="0 0 0" rpy="0 0 0"/>\n'
        "</joint>\n"
    )


PROGRAMS = (
    Target("yaml", "programs", 1, False, _record,
           ("SI units; inertia about the centre of mass; null: unknown.",)),
    Target("urdf", "a robot description (URDF)", ALL, False, _urdf, (), mark=XML),
    Target("xacro", "a robot description (xacro)", ALL, False, _xacro, (), mark=XML,
           head='<?xml version="1.0"?>\n'),
    Target("gravity_filter", "control_filters/GravityCompensationWrench", MASS_AND_COM, True,
           _filter,
           ("Parameters of the filter, below its 'params'. The load's frame is taken as the",
            "sensor's (--frame names another). The filter removes no bias of the sensor.")),
)  # fmt: skip
