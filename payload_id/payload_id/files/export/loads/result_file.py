"""The result of a run or a replay, as it is exported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....core.arm.description import usable
from ....core.arrays import Array
from ....core.errors import ConfigurationError
from ....core.identification.estimate import Estimate
from ...configuration.input_path import input_path
from ...configuration.json_file import read_json
from ...runs.run_file import FILE_NAME, RunFile, run_in


@dataclass(frozen=True, eq=False)
class Result:
    """What a run or a replay has found.

    Attributes:
        source: Where it was read, for the reader.
        estimate: What was found.
        urdf: The robot description that it rests on; None where the file has none.
        robot: Robot file that it was made with, empty where that is not said.
        gravity: In the base frame, shape (3,) [m/s2]; None where that is not said.
        of_wrench: Whether a force-torque sensor measured it, which feels all that hangs on it.
        robot_digest: Of the arm that it was identified with (`ArmModel.digest`); empty: not said.
    """

    source: str
    estimate: Estimate
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
    if folder := run_in(path):
        run = RunFile.load(folder)
        if run.result is None:
            raise ConfigurationError(
                f"The run in {folder} was saved without a result. Identify again: ./payload-id "
                f"identify {folder} --json > result.json, and give that."
            )
        return Result(
            source=folder.name,
            estimate=run.result,
            of_wrench=run.wrench is not None,
            urdf=usable(run.urdf) if run.urdf else None,
            robot=run.robot,
            gravity=np.array(run.gravity),
        )
    if path.is_dir():
        raise ConfigurationError(
            f"The folder {path} holds no run ({FILE_NAME}). Give the folder of a run that "
            "was saved, or a file that 'identify --json' wrote."
        )
    from ...configuration.read_model import read_model  # here: pydantic takes long to import
    from .result_keys import ResultKeys

    found = read_json(path, "result")
    if not isinstance(found, Mapping):
        raise ConfigurationError(f"{path.name} holds no result: a section of keys is wanted.")
    keys, _ = read_model(found, ResultKeys, path.name)
    return Result(
        path.name, keys.estimate, of_wrench="force_error" in keys.uncertainty,
        robot_digest=keys.robot_digest,
    )  # fmt: skip
