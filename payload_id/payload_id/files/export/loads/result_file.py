"""The result of a run or a replay, as it is exported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ....core.arm.description import usable
from ....core.arrays import Array
from ....core.body.inertial import LARGEST, PARAMETERS
from ....core.errors import ConfigurationError, ModelError, brief
from ....core.identification.status import Status
from ...configuration.input_path import input_path
from ...configuration.json_file import read_json
from ...runs.run_file import FILE_NAME, RunFile, has_run_file

# What a result takes from an estimate as it is.
SHARED = ("status", "message", "payload_frame", "phi", "lower", "upper", "identifiable")


@dataclass(frozen=True, eq=False)
class Result:
    """What a run or a replay has found.

    Attributes:
        source: Where it was read, for the reader.
        status: The verdict.
        message: Its sentence.
        payload_frame: Link whose frame it is in.
        phi: Point estimate, shape (10,), NaN if there is none.
        lower: Lower ends of the intervals, shape (10,).
        upper: Upper ends, shape (10,).
        identifiable: Which parameters the data bound, shape (10,).
        urdf: The robot description that it rests on; None where the file has none.
        robot: Robot file that it was made with, empty where that is not said.
        gravity: In the base frame, shape (3,) [m/s2]; None where that is not said.
        of_wrench: Whether a force-torque sensor measured it, which feels all that hangs on it.
        robot_digest: Of the arm that it was identified with (`ArmModel.digest`); empty: not said.
    """

    source: str
    status: Status
    message: str
    payload_frame: str
    phi: Array
    lower: Array
    upper: Array
    identifiable: Array
    urdf: str | None = None
    robot: str = ""
    gravity: Array | None = None
    of_wrench: bool = False
    robot_digest: str = ""


def read_result(path: Path) -> Result:
    """Read the folder of a live run, or what 'identify --json' printed.

    Raises:
        ConfigurationError: There is no result, or it is damaged.
        ModelError: The run's robot description cannot be read.
    """
    path = input_path(path, "run")
    for folder in (path, path / "bag"):
        if folder.is_dir() and has_run_file(folder):
            run = RunFile.load(folder)
            if run.result is None:
                raise ConfigurationError(
                    f"The run in {folder} was saved without a result. Replay it: ./payload-id "
                    f"replay {folder} --json > result.json, and export that."
                )
            return Result(
                source=folder.name,
                **{name: getattr(run.result, name) for name in SHARED},
                of_wrench=run.wrench is not None,
                urdf=_description(run.urdf, folder) if run.urdf else None,
                robot=run.robot,
                gravity=np.array(run.gravity),
            )
    if path.is_dir():
        raise ConfigurationError(
            f"The folder {path} holds no run ({FILE_NAME}). Give the folder of a run that "
            "was saved, or a file that 'identify --json' wrote."
        )
    return Result(**_checked(read_json(path, "result"), path.name))


def _description(urdf: str, folder: Path) -> str:
    """Return a run's robot description as Pinocchio reads it.

    Raises:
        ModelError: It cannot be read.
    """
    urdf = usable(urdf)
    try:
        pin.buildModelFromXML(urdf)
    except (ValueError, RuntimeError) as error:
        raise ModelError(f"The robot description in {folder} is no readable URDF.") from error
    return urdf


def _checked(entries: Any, source: str) -> dict[str, Any]:
    """Return the entries of an estimate that are exported."""
    if not isinstance(entries, Mapping):
        raise _wrong(source, "a section of keys and values", entries)
    if entries.get("status") not in list(Status):
        raise _wrong(source, f"'status', one of {', '.join(Status)}", entries.get("status"))
    if entries.get("parameters", list(PARAMETERS)) != list(PARAMETERS):
        raise _wrong(source, f"'parameters' {list(PARAMETERS)}", entries["parameters"])
    bounds = entries.get("uncertainty", {})
    if not isinstance(bounds, Mapping):
        raise _wrong(source, "'uncertainty', keys and values", bounds)
    frame, found = entries.get("payload_frame"), entries.get("identifiable")
    if not isinstance(frame, str) or not frame:
        raise _wrong(source, "'payload_frame', the name of a link", frame)
    if not isinstance(found, list) or len(found) != 10 or not all(type(x) is bool for x in found):
        raise _wrong(source, "'identifiable', ten times true or false", found)
    checked: dict[str, Any] = {
        "source": source,
        "status": Status(entries["status"]),
        "message": str(entries.get("message", "")),
        "payload_frame": frame,
        "identifiable": np.array(found),
        "phi": _ten(entries, "phi", math.nan, source),
        "lower": _ten(entries, "lower", -math.inf, source),
        "upper": _ten(entries, "upper", math.inf, source),
        "of_wrench": "force_error" in bounds,
        "robot_digest": str(entries.get("robot_digest") or ""),
    }
    if not (checked["lower"] <= checked["upper"]).all():
        raise _wrong(source, "'lower' nowhere above 'upper'", entries["lower"])
    return checked


def _ten(entries: Mapping[str, Any], key: str, unknown: float, source: str) -> Array:
    """Return ten numbers, null as what stands for unknown."""
    found = entries.get(key)
    fits = isinstance(found, list) and len(found) == 10
    if not fits or not all(x is None or _is_number(x) for x in found):  # type: ignore[union-attr]
        raise _wrong(source, f"'{key}', ten numbers or null", found)
    return np.array([unknown if x is None else float(x) for x in found or ()])


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number of usual size, or infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isinf(value) or abs(value) <= LARGEST


def _wrong(source: str, wanted: str, found: Any) -> ConfigurationError:
    """Return the error for a result that cannot be read."""
    return ConfigurationError(
        f"{source} holds no result of this package: it must have {wanted}; found {brief(found)}."
    )
