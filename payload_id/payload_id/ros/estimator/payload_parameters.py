"""Parameters of the estimator that say what is known of the payload."""

from __future__ import annotations

from dataclasses import dataclass

from ...files.configuration.input_path import from_home
from ...files.payload.payload_file import KnownOfPayload, read_payload
from ..common.parameters import NodeParameters, parameter


@dataclass(frozen=True)
class PayloadParameters(NodeParameters):
    """What is known of the payload."""

    files_folder: str = parameter(
        "~/.ros/payload_id/files",
        "Folder of the payload files that may be named while the node runs: whoever may set them "
        "has nothing else read. Those given when the node starts may lie anywhere.",
    )
    payload: str = parameter(
        "",
        "YAML file with what is known of the payload, in the payload frame: mass, centre of mass, "
        "symmetry, materials, a container's cavity, a mesh of its shape; it must be true. Empty: "
        "nothing. While the node runs, a file in files_folder.",
        read_only=False,
        folder="files_folder",
    )

    def known(self) -> KnownOfPayload:
        """Return what is known of the payload.

        Raises:
            ConfigurationError: The file cannot be used.
        """
        path = self.payload
        return read_payload(from_home(path, "payload file")) if path else KnownOfPayload()
