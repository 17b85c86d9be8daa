"""Where numbers come from: versions, files with digests, the command that repeats them."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ...core.errors import PayloadIdError
from ...core.version import VERSION
from ..configuration.input_path import file_digest
from ..runs.certificate_file import SavedCertificate, load_certificate
from .kept_run import KeptRun

LIBRARIES = ("numpy", "scipy", "pin", "clarabel", "highspy")


@dataclass(frozen=True)
class KeptFile:
    """One file of the run.

    Attributes:
        name: In the run's folder.
        size: In bytes.
        digest: Its sha256.
    """

    name: str
    size: int
    digest: str


def versions(run: KeptRun) -> dict[str, str]:
    """Return what made the run and what made the report."""
    found = {
        "payload_id, in the run": run.file.software_version or "not said",
        "payload_id, here": VERSION,
        "Python": platform.python_version(),
    }
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not said"
    return found


def files_of(run: KeptRun) -> tuple[KeptFile, ...]:
    """Return the files of the run's folder, not those that were made of it."""
    kept = (".yaml", ".urdf", ".npz", ".mcap", ".db3")
    return tuple(
        KeptFile(path.name, path.stat().st_size, file_digest(path))
        for path in sorted(run.folder.iterdir())
        if path.is_file() and path.suffix in kept
    )


def certificates_of(run: KeptRun) -> tuple[tuple[str, SavedCertificate], ...]:
    """Return the certificates of motions in the run's folder, or in that above a folder `bag`."""
    folders = [run.folder, *([run.folder.parent] if run.folder.name == "bag" else [])]
    found = []
    for path in (path for folder in folders for path in sorted(folder.glob("*.json"))):
        try:
            found.append((path.name, load_certificate(path)))
        except PayloadIdError:  # another file of JSON, such as the truth of a demonstration
            continue
    return tuple(found)
