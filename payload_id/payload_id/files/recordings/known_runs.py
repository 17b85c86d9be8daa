"""Lists of recordings with known payloads, as YAML: `payload-id calibrate --runs FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.errors import ConfigurationError
from ...core.history import Load
from ..configuration.schema import Key
from ..configuration.schema_check import check
from ..configuration.yaml_file import read_yaml

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
    load: Load


def read_known_runs(path: Path) -> tuple[KnownRecording, ...]:
    """Read a list of recordings with known payloads.

    Raises:
        ConfigurationError: The file cannot be read, or says something impossible.
    """
    entries = check(read_yaml(path), SCHEMA, str(path))["runs"]
    runs = []
    for name, known in entries.items():
        mass, payload = known["mass"], known["payload"]
        if mass is not None and payload is not None:
            raise ConfigurationError(
                f"'{name}' in {path} has both 'mass' and 'payload'; give one of them."
            )
        load = Load.none()
        if mass is not None:
            load = Load.of_mass(mass)
        elif payload is not None:
            load = Load.exactly(np.array(payload, dtype=float))
        runs.append(KnownRecording(path.parent / name, load))
    return tuple(runs)
