"""What a target of an export is, and the comments that all begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

import numpy as np
import yaml

from ....core.arrays import Array
from ....core.body.inertial import PARAMETERS
from ....core.errors import printable
from ....core.identification.estimate import Estimate
from ....core.version import VERSION
from ..loads.load import Load
from ..loads.ranges import Range
from ..loads.result_file import Result

MASS_AND_COM = 4  # the first elements of phi, which give mass and centre of mass
ALL = 10
LOWER, UPPER = Context(5, ROUND_FLOOR), Context(5, ROUND_CEILING)  # digits in comments
UNSENT = "Nothing was sent."
FLANGE = "the arm's flange"
MM = 1000.0  # in a metre
XML = "<!--"  # mark of comments that have an end, too
INERTIA_NAMES = tuple(name.lower() for name in PARAMETERS[4:])


@dataclass(frozen=True, eq=False)
class Export:
    """What is written.

    Attributes:
        result: What was found.
        load: The load in the target's frame, with the tool where the target wants that.
        service: Service that takes it, empty where none is known.
        type: Its type.
        world: Root of the robot description; None where that is not known.
        gravity: In the root's frame, shape (3,) [m/s2]; None where that is not known.
        rated_mass: Largest mass of the payload that the vendor rates [kg]; None: not known.
        with_inertia: Whether the inertia is written where the target can do without.
    """

    result: Result
    load: Load
    service: str = ""
    type: str = ""
    world: str | None = None
    gravity: Array | None = None
    rated_mass: float | None = None
    with_inertia: bool = True


@dataclass(frozen=True)
class Target:
    """Somebody who takes a load.

    Attributes:
        name: As it is called on the command line.
        text: What it is for, in a few words.
        needs: How many of the first parameters must be identified.
        whole: Whether it wants everything on its frame's body, the description's tool included.
        written: What it reads: a text, or fields and values that YAML holds, in its own units, axes
            and order.
        notes: What that means: frame, units, restart.
        commands: Whether it configures an arm, so that the rated load must be known.
        at: Whose frame it takes a load in.
        mark: With which its comments begin.
        head: What stands before them.
        millimetres: Whether it has lengths in these.
    """

    name: str
    text: str
    needs: int
    whole: bool
    written: Callable[[Export], Any]
    notes: tuple[str, ...]
    commands: bool = False
    at: str = FLANGE
    mark: str = "#"
    head: str = ""
    millimetres: bool = False

    def content(self, export: Export) -> str:
        """Return the text as the target reads it, behind comments in its own language."""
        lines = [*remarks(export, self), *(x.format(export.load.frame) for x in self.notes)]
        body = self.written(export)
        if not isinstance(body, str):
            body = yaml.safe_dump(body, sort_keys=False, default_flow_style=None, width=100)
        said = "".join(f"{self.mark} {line}\n" for line in lines)
        if self.mark == XML:
            inside = "\n  ".join(lines)
            while "--" in inside:  # two dashes may not follow each other
                inside = inside.replace("--", "- -")
            said = f"<!--\n  {inside}\n-->\n"
        return f"{self.head}{said}{body}"


def remarks(export: Export, target: Target) -> list[str]:
    """Return what is said of a load in comments: where it is from, frame, intervals."""
    load, result = export.load, export.result
    scale, unit = (MM, "mm") if target.millimetres else (1.0, "m")
    lines = [
        f"Load for {target.text}: {result.source}, "
        f"{result.estimate.status.value}; payload_id {VERSION}.",
        f"Frame: {load.frame}{_from(load, result.estimate)}",
    ]
    if export.service:
        lines.append(f"To be sent to {export.service} ({export.type}). {UNSENT}")
    lines += _of_tool(load)
    if result.of_wrench:
        lines.append("By a force-torque sensor: all that hangs on it, tool and payload together.")
    lines.append(f"Mass: {spans(load.mass_range, 1.0)[0]} kg.")
    com = ", ".join(spans(load.com_range, scale))
    lines.append(f"Centre of mass x, y, z: {com} {unit}.")
    if target.needs == ALL and export.with_inertia:
        inertia = zip(INERTIA_NAMES, spans(load.inertia_range, 1.0), strict=True)
        lines.append(
            "Inertia about it: " + ", ".join(f"{name} {span}" for name, span in inertia) + " kg m2."
        )
    lines.append(
        "Rated payload: not known, not compared."
        if export.rated_mass is None
        else f"Rated payload: {export.rated_mass:g} kg; the payload's mass is surely below."
    )
    return [printable(" ".join(line.split())) for line in lines]


def _of_tool(load: Load) -> list[str]:
    """Return what the description has beside the payload: what is added, and what is not."""
    tool, lines = load.tool, list[str]()
    if tool is not None and tool.masses:
        lines.append(
            f"With the description's own {tool.mass:.4g} kg, taken as exact: {_each(tool.masses)}."
        )
    if tool is not None and tool.left_out:
        lines.append(
            f"Without {_each(tool.left_out)} of the description, which may be the arm's own, or "
            "what a sensor has felt: add what the controller does not count otherwise."
        )
    return lines


def _each(masses: Mapping[str, float]) -> str:
    """Return links with their masses."""
    return ", ".join(f"{name} {mass:.4g} kg" for name, mass in masses.items())


def _from(load: Load, found: Estimate) -> str:
    """Return where the payload was identified, if that is elsewhere."""
    return "." if load.frame == found.payload_frame else f" (identified in {found.payload_frame})."


def spans(range_: Range, scale: float) -> list[str]:
    """Return intervals in words, their ends rounded outwards."""
    ends = zip(np.ravel(range_.lower) * scale, np.ravel(range_.upper) * scale, strict=True)
    return [
        f"{LOWER.create_decimal(repr(float(low))):g} to {UPPER.create_decimal(repr(float(high))):g}"
        if np.isfinite([low, high]).all()
        else "without bounds"
        for low, high in ends
    ]


def numbers(values: Array) -> list[float]:
    """Return an array's elements as plain numbers."""
    return [float(x) for x in np.ravel(values)]
