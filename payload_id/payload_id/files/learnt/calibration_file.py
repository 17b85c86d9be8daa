"""Calibrations on disk: a NumPy archive beside the robot file that names it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.calibration import ArmEquations, Calibration
from ...core.arm.effort_scale import scales_from_dict, scales_to_dict
from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ..configuration.whole_file import saved_file
from .robot_extension import write_extension

FORMAT = 2  # of the archive; 2 has the scales of efforts
ARRAYS = ("lower", "upper", "estimate", "factors", "counts")
ROWS = ("C", "t", "d", "joint", "start", "end")


def save_calibration(path: Path | str, calibration: Calibration) -> Path:
    """Write a calibration; the file is there whole or not at all.

    Args:
        path: Ends in `.npz`.
        calibration: What is written.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    path = Path(path)
    about = {
        "format": FORMAT,
        "digest": calibration.digest,
        "joints": list(calibration.joints),
        "uncertainty": dict(calibration.uncertainty),
        "effort": scales_to_dict(calibration.effort),
        "about": dict(calibration.about),
    }
    arrays = {name: getattr(calibration, name) for name in ARRAYS}
    arrays |= {f"row_{name}": getattr(calibration.equations, name) for name in ROWS}
    with saved_file(path, "calibration") as file:
        np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)
    return path


def load_calibration(path: Path | str) -> Calibration:
    """Read a calibration.

    Raises:
        ConfigurationError: The file is missing, damaged or of another format.
    """
    path = Path(path)
    if not path.is_file():
        raise ConfigurationError(
            f"The calibration {path} does not exist. It lies beside the robot file that "
            "'payload-id calibrate' wrote; move both together, or calibrate again."
        )
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            about = json.loads(str(archive["about"]))
            if about["format"] != FORMAT:
                raise ConfigurationError(
                    f"{path} has format {about['format']}, this version reads {FORMAT}: calibrate "
                    "again, or use the version that wrote it."
                )
            loaded = _from_arrays(about, {name: archive[name] for name in archive.files})
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"{path} is no readable calibration ({error}); it may be cut off. Calibrate again."
        ) from error
    return loaded


def _from_arrays(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Calibration:
    """Put a calibration together; shapes that do not fit raise ValueError."""
    joints = tuple(str(name) for name in about["joints"])
    n, m = len(joints), len(arrays["row_t"])
    size = 15 * n + 10
    wanted: dict[str, tuple[int, ...]]
    wanted = {"lower": (size,), "upper": (size,), "estimate": (size,)}
    wanted |= {"factors": (n, size + 1, size + 1), "counts": (n,), "row_C": (m, size)}
    wanted |= {f"row_{name}": (m,) for name in ROWS if name != "C"}
    for name, shape in wanted.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    return Calibration(
        digest=str(about["digest"]),
        joints=joints,
        uncertainty=Uncertainty.from_dict(about["uncertainty"]).to_dict(),
        equations=ArmEquations(*(arrays[f"row_{name}"] for name in ROWS)),
        effort=scales_from_dict(about["effort"], n),
        about=dict(about["about"]),
        **{name: arrays[name] for name in ARRAYS},
    )


def save_calibrated_robot(
    path: Path | str, robot: Path, calibration: Calibration, remarks: Sequence[str] = ()
) -> Path:
    """Write a robot file that extends another one by a calibration; see `write_extension`."""
    write = partial(save_calibration, calibration=calibration)
    return write_extension(path, robot, "calibration", write, calibration.uncertainty, remarks)
