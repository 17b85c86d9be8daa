"""`payload-id new-robot`: draft a robot file from a URDF, and a columns file from a table."""

from __future__ import annotations

import importlib
import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import yaml
from rich.markup import escape

from ...core.arm.arm_model import NO_MASSES
from ...core.arm.description import ROUNDED, with_masses_times
from ...core.arm.mass_doubts import mass_doubts
from ...core.errors import ConfigurationError, InputError, PayloadIdError, in_words
from ...core.safety.clearance.arm_geometry import AllowedContact
from ...files.configuration.atomic_write import check_place, save
from ...files.recordings.recording import Recording
from ...files.robots.arm_geometry import description_geometry
from ...files.robots.contacts import always_near
from ...files.robots.description.urdf import is_xacro, read_urdf
from ...files.robots.link_travel import following_masses
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel, shipped_as
from ...files.scaffold.arm_in_urdf import ArmFound, find_arm
from ...files.scaffold.column_draft import columns_text, find_columns
from ...files.scaffold.columns_found import ColumnsFound
from ...files.scaffold.robot_draft import Scales, robot_text
from ...files.scaffold.torque_constants import fitted_constants
from ..common.options import argument, file, none_given, option, value
from ..common.presentation import console

MORE = "Seldom needed"
SAY = (
    "Nothing is identified from torques until that is said: correct the URDF, or move this draft "
    "away and draft again with --mass-factor, by which masses and inertias are multiplied (1: they "
    "are right as they stand). A force-torque sensor needs no masses."
)
ROUGH = (
    "Some link's moments of inertia miss what holds of every body (the largest is above the sum "
    "of the others): link_relative in the robot file allows for it."
)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a robot file is drafted from."""

    urdf: Annotated[
        Path,
        argument(
            parser=Path,
            metavar="URDF",
            help="robot description, URDF or xacro, or a name such as panda_description where the "
            "package robot_descriptions is installed",
        ),
    ]
    table: Annotated[
        Path | None, file("a table whose first line names its columns", metavar="CSV")
    ] = None
    bare: Annotated[
        Path | None,
        file(
            "a table of the arm without payload, of the same columns: bounds are measured in it",
            metavar="CSV",
        ),
    ] = None
    payload_frame: Annotated[str, option("link that carries the payload", metavar="LINK")] = ""
    xacro: Annotated[
        list[str],
        option("argument of a xacro file; may be repeated", metavar="NAME=VALUE", panel=MORE),
    ] = none_given()
    mass_factor: Annotated[
        float | None,
        value(
            "factor on the description's masses and inertias, where they are doubted; 1: they are "
            "right",
            panel=MORE,
        ),
    ] = None
    out: Annotated[Path | None, file("robot file to write (default: here, named like URDF)")] = None


def new_robot(draft: Draft) -> int:
    """Draft the robot file of an own arm from its URDF, and a columns file from a table."""
    if draft.bare and not draft.table:
        raise InputError("--bare is read by the columns of --table: give both.")
    stated = None if draft.out is None else check_place(draft.out, "robot file")
    draft = replace(draft, urdf=_file_of(draft.urdf))
    urdf, source = _description(draft)
    found = find_arm(urdf, draft.payload_frame)
    factor: float | None = draft.mass_factor
    heavier = urdf if factor is None else with_masses_times(urdf, factor)
    model = RobotModel.from_xml(heavier, found.payload_frame, found.names)
    doubts = [] if factor is not None else list(mass_doubts(model))
    scales = Scales.of(model, found, bool(doubts))
    name = draft.urdf.name.split(".")[0] or found.name
    out = stated or Path(f"{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}.yaml")
    beside = out.with_name(f"{out.stem}_columns.yaml")
    expanded = out.with_suffix(".urdf") if source is None else source
    measured = out.with_name(f"{out.stem}_measured.yaml")
    written = [out, *([beside] if draft.table else []), *([] if source else [expanded])]
    _refuse([*written, *([measured, measured.with_suffix(".npz")] if draft.bare else [])])
    columns = None
    if draft.table:
        columns = find_columns(draft.table, found.joints, scales.torque)
        unfit = columns.missing or doubts
        if draft.bare and columns.effort_unit == "A" and not unfit:
            columns = _with_constants(columns, model, draft.bare)
    if source is None:
        save(expanded, urdf, "robot description")
    near, without = _near_bodies(urdf, model, found, draft.urdf.parent)
    text = robot_text(found, scales, expanded, factor, out.parent, columns, near)
    save(out, text, "robot file")
    RobotFile.load(out.resolve())
    if columns is not None:
        save(beside, columns_text(columns, found.names), "columns file")
    notes = [*doubts, *([SAY] if doubts else []), following_masses(heavier, model), without]
    _report(found, scales, notes, shipped_as(model), out, beside, columns)
    return _measure(draft.bare, out, beside, measured) if draft.bare else 0


def _near_bodies(
    urdf: str, model: RobotModel, found: ArmFound, folder: Path
) -> tuple[list[AllowedContact], str]:
    """Return bodies that are near in every pose; and why no motion can be planned, if it cannot."""
    try:
        geometry = description_geometry(urdf, model, folder)
    except PayloadIdError as error:  # meshes are missing, say
        return [], f"Recordings can be identified; no motion can be planned yet: {error}"
    return always_near(model, geometry, *found.travel), ""


def _with_constants(columns: ColumnsFound, model: RobotModel, bare: Path) -> ColumnsFound:
    """Return the columns with the torque constants that a bare run shows."""
    entries = yaml.safe_load(columns_text(replace(columns, effort_unit=""), model.joints))
    samples = Recording.from_csv(bare, entries)
    constants, errors = fitted_constants(model, samples)
    if np.isnan(constants).any():
        return columns
    return replace(
        columns,
        torque_constants=tuple(constants.tolist()),
        constant_errors=tuple(errors.tolist()),
    )


def _measure(bare: Path, robot: Path, columns: Path, out: Path) -> int:
    """Measure bounds in a bare run, as `calibrate bounds` does; return the exit code."""
    from ..calibrate.command import Bounds, bounds

    return bounds(Bounds(recordings=[bare], robot=str(robot), columns=columns, out=out))


def _file_of(urdf: Path) -> Path:
    """Return the file of a description, which the package robot_descriptions may name.

    Raises:
        InputError: The package is not installed, has no such description, or cannot fetch it.
    """
    name = str(urdf)
    if urdf.exists() or not (name.endswith("_description") and name.isidentifier()):
        return urdf
    missing = f"There is no file {name}, and no description of that name"
    try:
        module = importlib.import_module(f"robot_descriptions.{name}")
    except ImportError as error:
        raise InputError(
            f"{missing}: {error}. Install the package robot_descriptions into the environment of "
            "payload-id, or give a file."
        ) from error
    except Exception as error:  # of git, which fetches it at first
        raise InputError(f"{name} cannot be fetched: {in_words(error)}. Give a file.") from error
    path = getattr(module, "URDF_PATH", None) or getattr(module, "XACRO_PATH", None)
    if path is None:
        raise InputError(f"{missing} as URDF: that of robot_descriptions is of another format.")
    return Path(path)


def _description(draft: Draft) -> tuple[str, Path | None]:
    """Return the URDF text and its file; None where it had to be expanded."""
    values = dict(entry.split("=", 1) for entry in draft.xacro if "=" in entry)
    if len(values) < len(draft.xacro):
        raise InputError(f"--xacro takes NAME=VALUE; found {' '.join(draft.xacro)}.")
    path: Path = draft.urdf
    return read_urdf(path, values), None if is_xacro(path) else path


def _refuse(paths: list[Path]) -> None:
    """Raise where a file is there already.

    Raises:
        ConfigurationError: Names it.
    """
    for path in paths:
        if check_place(path, "file").exists():
            raise ConfigurationError(
                f"{path} is there already and is not overwritten: move it away, or name another "
                "file with --out."
            )


def _report(
    found: ArmFound,
    scales: Scales,
    notes: Sequence[str],
    shipped: Sequence[str],
    out: Path,
    beside: Path,
    columns: ColumnsFound | None,
) -> None:
    """Say what was written, what has to be checked, and what comes next."""
    terminal = console()
    terminal.print(f"[bold]{out}[/bold]: {len(found.joints)} joints, {scales.mass:.3g} kg move")
    terminal.print(f"  joints         {', '.join(found.names)}")
    if found.others:
        terminal.print(f"  left out       {', '.join(found.others)}")
    terminal.print(f"  payload frame  {found.payload_frame} (of {', '.join(found.frames)})")
    notes = [*notes, *([] if scales.mass else [NO_MASSES])]
    notes = [*notes, *([ROUGH] if scales.inertia_error > ROUNDED else [])]
    for note in filter(None, notes):
        terminal.print(f"  {note}", style="yellow")
    if shipped:
        terminal.print(
            "  Shipped for this arm, as far as names and distances of its joints tell: "
            f"{', '.join(shipped)}, with driver, topics, limits and their sources. Begin this file "
            "with 'extends: "
            f"package://payload_id/config/robots/{shipped[0]}.yaml', and keep of it what differs.",
            style="green", soft_wrap=True,
        )  # fmt: skip
    if columns is not None:
        _report_columns(columns, beside)
    terminal.print("[bold]Check[/bold] (each is marked CHECK in the file, with what to look at):")
    for text in (
        "joints, payload frame and gravity: is this how the arm is built and mounted?",
        "effort: torque or current, sign, offsets",
        "uncertainty: cautious guesses; the intervals are as true as these bounds",
    ):
        terminal.print(f"  - {text}")
    name = "RECORDING" if columns is None else shlex.quote(str(columns.path))
    more = f" --columns {shlex.quote(str(beside))}" if columns is not None else ""
    terminal.print(
        f"next: ./payload-id check {name} --robot {shlex.quote(str(out))}{more}", soft_wrap=True
    )


def _report_columns(columns: ColumnsFound, beside: Path) -> None:
    """Say what was found in the table."""
    terminal = console()
    terminal.print(f"[bold]{beside}[/bold]:")
    time = " + ".join(filter(None, (columns.time, columns.nanoseconds)))
    rate = f", {columns.rate:.4g} Hz" if math.isfinite(columns.rate) else ""
    units = ", ".join(dict.fromkeys(columns.position_unit))
    rows = {
        "time": f"{time} [{columns.time_unit}]{rate}" if columns.time else "",
        "position": f"{_short(columns.position)} [{units}]" if columns.position else "",
        "velocity": _short(columns.velocity) or "none: positions are differentiated",
        "effort": f"{_short(columns.effort)} [{columns.effort_unit or 'N m or N'}]"
        if columns.effort
        else "",
    }
    for name, text in rows.items():
        terminal.print(f"  {name:<14} {escape(text) if text else '[red]not found: enter it[/red]'}")
    for remark in columns.remarks:
        terminal.print(f"  {escape(remark)}", style="yellow")
    if columns.missing:
        terminal.print(
            f"  Enter {', '.join(columns.missing)} in {beside}: its first lines list the columns.",
            style="yellow",
        )


def _short(names: tuple[str, ...]) -> str:
    """Return the first and the last of some columns."""
    return f"{names[0]} ... {names[-1]}" if len(names) > 1 else "".join(names)
