"""Calibrations on disk: a NumPy archive beside the robot file that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...core.arm.calibration import ArmEquations, Calibration
from ...core.arm.effort_scale import scales_from_dict, scales_to_dict
from ...core.rows.joint_torque.uncertainty import Uncertainty
from .learnt_archive import LearntKind
from .robot_extension import write_extension

# Format 3 has the scales of efforts and a checksum.
KIND = LearntKind("calibration", 3, "payload-id calibrate")
ARRAYS = ("lower", "upper", "estimate", "factors", "counts")
ROWS = ("C", "t", "d", "joint", "start", "end")


def save_calibration(path: Path | str, calibration: Calibration) -> Path:
    """Write a calibration; see `LearntKind.save`."""
    texts = {
        "digest": calibration.digest,
        "joints": list(calibration.joints),
        "uncertainty": dict(calibration.uncertainty),
        "effort": scales_to_dict(calibration.effort),
        "about": dict(calibration.about),
    }
    arrays = {name: getattr(calibration, name) for name in ARRAYS}
    arrays |= {f"row_{name}": getattr(calibration.equations, name) for name in ROWS}
    return KIND.save(Path(path), calibration, texts, arrays)


def load_calibration(path: Path | str) -> Calibration:
    """Read a calibration; see `LearntKind.load`."""
    return KIND.load(Path(path), _from_arrays)


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
