"""An arm's history on disk: a NumPy archive beside the robot file that names it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.arm_history import ArmHistory
from ...core.arm.effort_scale import scales_from_dict, scales_to_dict
from ...core.arrays import Array, plain_values
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ..configuration.array_archive import check_shapes
from .learnt_archive import LearntKind
from .robot_extension import write_extension

TEXTS = ("digest", "joints", "names", "uncertainty", "window", "rows", "inflation",
         "load_noise", "notes", "about")  # fmt: skip
PER_JOINT = ("lower", "upper", "speed", "mean_speed", "noise")
ARRAYS = ("factor", "scores", "masses", "seconds", *PER_JOINT)
UNKNOWN = ("scores", "masses")  # hold NaN where a payload was not known
# Format 2 has mean speeds, scales of efforts and a checksum.
KIND = LearntKind("history", 2, "payload-id calibrate --history", UNKNOWN)


def save_history(path: Path | str, history: ArmHistory) -> Path:
    """Write a history; see `LearntKind.save`."""
    texts = plain_values({name: getattr(history, name) for name in TEXTS})
    texts |= {"effort": scales_to_dict(history.effort)}
    return KIND.save(Path(path), history, texts, {name: getattr(history, name) for name in ARRAYS})


def load_history(path: Path | str) -> ArmHistory:
    """Read a history; see `LearntKind.load`."""
    return KIND.load(Path(path), _from_parts)


def _from_parts(about: Mapping[str, Any], arrays: Mapping[str, Array]) -> ArmHistory:
    """Put a history together; what cannot be one raises ValueError or TypeError."""
    joints, names, notes = (_texts(about, name) for name in ("joints", "names", "notes"))
    n, size = len(joints), len(names) + 11
    shapes = {"factor": f"{size} {size}", "scores": "runs 10", "masses": "runs", "seconds": "runs"}
    runs = check_shapes(arrays, shapes | {name: f"runs {n}" for name in PER_JOINT})["runs"]
    for name in ARRAYS:
        if arrays[name].dtype != np.float64 or np.isinf(arrays[name]).any():
            raise ValueError(f"{name} holds {arrays[name].dtype} or infinities, not real numbers")
    if not runs or (arrays["seconds"] <= 0.0).any():
        raise ValueError("it has no run, or one of no length")
    digest, more, stated = about["digest"], about["about"], about["uncertainty"]
    if not (isinstance(digest, str) and isinstance(more, dict) and isinstance(stated, dict)):
        raise ValueError("'digest', 'about' or 'uncertainty' is of another kind")
    return ArmHistory(
        digest=digest,
        joints=joints,
        names=names,
        notes=notes,
        uncertainty=Uncertainty.from_dict(stated).to_dict(),
        effort=scales_from_dict(about["effort"], n),
        window=_number(about, "window", above=True),
        rows=_number(about, "rows", above=True),
        inflation=_number(about, "inflation", above=True),
        load_noise=_number(about, "load_noise", above=False),
        about=more,
        **{name: arrays[name] for name in ARRAYS},
    )


def _texts(about: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a list of texts."""
    found = about[name]
    if not (isinstance(found, list) and all(isinstance(text, str) for text in found)):
        raise ValueError(f"{name} is no list of texts")
    return tuple(found)


def _number(about: Mapping[str, Any], name: str, above: bool) -> float:
    """Return a finite number above 0, or of 0 or above."""
    found = about[name]
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        raise ValueError(f"{name} is {found!r}, not a finite number")
    if found < 0.0 or (above and found == 0.0):
        raise ValueError(f"{name} is {found:g}, not {'above 0' if above else '0 or above'}")
    return float(found)


def save_robot_with_history(
    path: Path | str, robot: Path, history: ArmHistory, remarks: Sequence[str] = ()
) -> Path:
    """Write a robot file that extends another one by a history; see `write_extension`."""
    write = partial(save_history, history=history)
    return write_extension(path, robot, "history", write, history.uncertainty, remarks)
