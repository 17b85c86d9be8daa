"""Lists of recordings with known payloads, as YAML: `payload-id calibrate bounds --runs FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import comment
from ...core.history import KnownLoad
from ..configuration.atomic_write import save
from ..configuration.yaml_file import yaml_text

LIST = "runs.yaml"  # in the folder of a session


@dataclass(frozen=True)
class KnownRecording:
    """A recording and what is known of its payload.

    Attributes:
        path: Of the recording.
        load: The payload.
    """

    path: Path
    load: KnownLoad


def read_known_runs(path: Path) -> tuple[KnownRecording, ...]:
    """Read a list of recordings with known payloads.

    Raises:
        ConfigurationError: The file cannot be read, or says something impossible.
    """
    from ..configuration.read_model import read_model  # here: pydantic takes long to import
    from .known_runs_keys import KnownRunsKeys

    keys, _ = read_model(path, KnownRunsKeys, "list of runs")
    runs = []
    for name, known in keys.runs.items():
        load = KnownLoad.none()
        if known.mass is not None:
            load = KnownLoad.of_mass(known.mass)
        elif known.payload is not None:
            load = KnownLoad.exactly(np.array(known.payload))
        runs.append(KnownRecording(path.parent / name, load))
    return tuple(runs)


def write_known_runs(path: Path, runs: Sequence[KnownRecording], remarks: Sequence[str]) -> Path:
    """Write a list that `read_known_runs` reads; it is there whole or not at all.

    Args:
        path: The file.
        runs: Recordings below the file's folder, at least one, in their order.
        remarks: Lines of comment at its head.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    entries = {run.path.relative_to(path.parent).as_posix(): _entry(run.load) for run in runs}
    return save(path, yaml_text({"runs": entries}, comment(remarks)), "list of runs")


def _entry(load: KnownLoad) -> dict[str, Any]:
    """Return what the list says of a load."""
    if not load.known.all():
        return {"mass": float(load.phi[0])}
    return {"payload": load.phi.tolist()} if load.phi.any() else {}
