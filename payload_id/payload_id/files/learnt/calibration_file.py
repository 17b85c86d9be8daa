"""Calibrations on disk: a NumPy archive beside the robot file that names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...core.arm.calibration import ArmEquations, Calibration
from ...core.arm.effort_scale import scales_from_dict, scales_to_dict
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ..configuration.array_archive import check_at_least, check_shapes
from .learnt_archive import LearntKind
from .robot_extension import write_extension

# Format 3 has the scales of efforts and a checksum.
UNBOUNDED = ("lower", "upper")  # where nothing is kept
KIND = LearntKind("calibration", 3, "payload-id calibrate", UNBOUNDED)
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
    n = len(joints)
    size = 15 * n + 10
    ends = {f"{size}": ("lower", "upper", "estimate"), "m": [f"row_{x}" for x in ROWS if x != "C"]}
    shapes = {name: shape for shape, names in ends.items() for name in names}
    factors = {"factors": f"f {size + 1} {size + 1}", "counts": "f", "row_C": f"m {size}"}
    check_shapes(arrays, shapes | factors)
    check_at_least(arrays, {"counts": 0.0, "row_d": 0.0, "row_joint": 0.0})
    check_at_least({"joints": n - 1 - arrays["row_joint"]}, {"joints": 0.0})
    if len(arrays["counts"]) not in (n, n + 1):
        raise ValueError(f"counts has {len(arrays['counts'])} entries for {n} joints")
    if not (arrays["lower"] <= arrays["upper"]).all():  # NaN neither
        raise ValueError("lower is above upper, or no number")
    if not (arrays["row_start"] < arrays["row_end"]).all():
        raise ValueError("row_end is not behind row_start")
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
