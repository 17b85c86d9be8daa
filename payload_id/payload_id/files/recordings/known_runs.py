"""Lists of recordings with known payloads, as YAML: `payload-id calibrate --runs FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import ConfigurationError, comment
from ...core.history import KnownLoad
from ..configuration.schema import Key
from ..configuration.schema_check import check
from ..configuration.whole_file import saved_file
from ..configuration.yaml_file import read_yaml, yaml_text

LIST = "runs.yaml"  # in the folder of a session
RUN = {
    "mass": Key("number", "mass of the payload, all that is known of it", "kg", None, nullable=True,
                lowest=0.0),
    "payload": Key("numbers", "all ten parameters of the payload, exactly, inertia about the "
                   "payload frame's origin", "SI units", None, nullable=True, length=10),
}  # fmt: skip
SCHEMA = {
    "runs": Key(
        "sections",
        "recordings, relative to this file, in the order in which they were made; with neither "
        "'mass' nor 'payload': of the bare arm",
        keys=RUN,
    )
}


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
    entries = check(read_yaml(path, "list of runs"), SCHEMA, str(path))["runs"]
    runs = []
    for name, known in entries.items():
        mass, payload = known["mass"], known["payload"]
        if mass is not None and payload is not None:
            raise ConfigurationError(
                f"'{name}' in {path} has both 'mass' and 'payload'; give one of them."
            )
        load = KnownLoad.none()
        if mass is not None:
            load = KnownLoad.of_mass(mass)
        elif payload is not None:
            load = KnownLoad.exactly(np.array(payload, dtype=float))
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
    with saved_file(path, "list of runs") as file:
        file.write(yaml_text({"runs": entries}, comment(remarks)).encode())
    return path


def _entry(load: KnownLoad) -> dict[str, Any]:
    """Return what the list says of a load."""
    if not load.known.all():
        return {"mass": float(load.phi[0])}
    return {"payload": load.phi.tolist()} if load.phi.any() else {}
