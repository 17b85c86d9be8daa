"""An arm's history on disk: a NumPy archive beside the robot file that names it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ...core.arm.arm_history import ArmHistory
from ...core.errors import ConfigurationError
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ..configuration.whole_file import saved_file
from .robot_extension import write_extension

FORMAT = 1  # of the archive; raised when older programs could not read a newer one
TEXTS = ("digest", "joints", "names", "window", "rows", "inflation",
         "load_noise", "notes", "about")  # fmt: skip
ARRAYS = ("factor", "scores", "masses", "seconds", "lower", "upper", "speed", "noise")


def save_history(path: Path | str, history: ArmHistory) -> Path:
    """Write a history; the file is there whole or not at all.

    Args:
        path: Ends in `.npz`.
        history: What is written.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    path = Path(path)
    about = {name: getattr(history, name) for name in TEXTS}
    about |= {"format": FORMAT, "uncertainty": dict(history.uncertainty)}
    arrays = {name: getattr(history, name) for name in ARRAYS}
    with saved_file(path, "history") as file:
        np.savez_compressed(file, text=np.array(json.dumps(about)), **arrays)
    return path


def load_history(path: Path | str) -> ArmHistory:
    """Read a history.

    Raises:
        ConfigurationError: The file is missing, damaged or of a newer format.
    """
    path = Path(path)
    if not path.is_file():
        raise ConfigurationError(
            f"The history {path} does not exist. It lies beside the robot file that 'payload-id "
            "calibrate --history' wrote; move both together, or make it again."
        )
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            about = json.loads(str(archive["text"]))
            arrays = {name: archive[name] for name in ARRAYS}
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']}; this version reads {FORMAT}")
        joints, names, notes = (tuple(about[name]) for name in ("joints", "names", "notes"))
        single = ("digest", "window", "rows", "inflation", "load_noise", "about")
        plain = {name: about[name] for name in single}
        stated = Uncertainty.from_dict(about["uncertainty"]).to_dict()
        history = ArmHistory(
            joints=joints, names=names, notes=notes, uncertainty=stated, **plain, **arrays
        )
        _check_shapes(history)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ConfigurationError(
            f"{path} is no readable history ({error}); it may be cut off. Make it again."
        ) from error
    return history


def _check_shapes(history: ArmHistory) -> None:
    """Raise ValueError where shapes do not fit."""
    n, p, runs = len(history.joints), len(history.names), len(history.scores)
    wanted: dict[str, tuple[int, ...]] = {
        "factor": (p + 11, p + 11), "scores": (runs, 10), "masses": (runs,), "seconds": (runs,),
    } | {name: (runs, n) for name in ("lower", "upper", "speed", "noise")}  # fmt: skip
    for name, shape in wanted.items():
        if getattr(history, name).shape != shape:
            raise ValueError(f"{name} has shape {getattr(history, name).shape}, not {shape}")


def save_robot_with_history(
    path: Path | str, robot: Path, history: ArmHistory, remarks: Sequence[str] = ()
) -> Path:
    """Write a robot file that extends another one by a history; see `write_extension`."""
    write = partial(save_history, history=history)
    return write_extension(path, robot, "history", write, history.uncertainty, remarks)
