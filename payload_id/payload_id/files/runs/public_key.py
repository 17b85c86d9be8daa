"""Public keys: whose signatures are trusted, read from PEM files that the owner keeps."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_public_key,
)

from ...core.errors import ConfigurationError, in_words
from ..configuration.input_path import input_path

BLOCK = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)
PUBLIC = b"PUBLIC KEY"  # what stands in a block's first line
GROUP, GROUPS = 8, 4  # hexadecimal digits of a fingerprint: 128 bits


@dataclass(frozen=True)
class PublicKey:
    """An ed25519 public key; keys of the same 32 bytes are equal.

    Attributes:
        raw: The key, 32 bytes.
        place: File that it was read from; empty: not from one of its own.
    """

    raw: bytes
    place: str = field(default="", compare=False)

    @property
    def fingerprint(self) -> str:
        """What people compare: the first digits of the key's sha256, hexadecimal, in groups."""
        digits = hashlib.sha256(self.raw).hexdigest()
        return " ".join(digits[GROUP * k : GROUP * (k + 1)] for k in range(GROUPS))

    @property
    def pem(self) -> bytes:
        """The key as a PEM file has it."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def signed(self, message: bytes, value: bytes) -> bool:
        """Tell whether a signature is this key's of a message.

        Args:
            message: What was signed.
            value: The signature, 64 bytes.
        """
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(value, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    @property
    def label(self) -> str:
        """Fingerprint and the name of its file, for tables."""
        return f"{self.fingerprint} ({Path(self.place).name})" if self.place else self.fingerprint

    def __str__(self) -> str:
        return f"{self.fingerprint} ({self.place})" if self.place else self.fingerprint


def trusted_keys(paths: Iterable[Path | str]) -> tuple[PublicKey, ...]:
    """Return the public keys in files and folders.

    Args:
        paths: PEM files with one or more public keys, or folders whose `*.pem` hold them; private
            keys that lie in such a folder are passed over.

    Raises:
        ConfigurationError: A file or folder cannot be read or holds no public key, or one is not of
            ed25519.
    """
    found: list[PublicKey] = []
    for path in (input_path(given, "public key") for given in paths):
        files = sorted(path.glob("*.pem")) if path.is_dir() else [path]
        keys = [key for file in files for key in _keys_of(file, path.is_dir())]
        if not keys:
            raise ConfigurationError(
                f"There is no public key in {path}; what is needed is a PEM file as "
                "'payload-id certificate new-key' makes it, or a folder of such files (*.pem)."
            )
        found += keys
    return tuple(dict.fromkeys(found))


def _keys_of(path: Path, among_others: bool) -> list[PublicKey]:
    """Return the public keys of one PEM file."""
    try:
        blocks = list(BLOCK.finditer(path.read_bytes()))
    except OSError as error:
        raise ConfigurationError(
            f"The public key {path} cannot be read: {in_words(error)}."
        ) from error
    if not among_others and any(b"PRIVATE KEY" in block[1] for block in blocks):
        raise ConfigurationError(
            f"{path} holds a private key; who verifies needs the public one, which "
            "'payload-id certificate new-key' put beside it. Keep the private key where only "
            "its owner reads."
        )
    return [_key(block[0], path) for block in blocks if block[1] == PUBLIC]


def _key(pem: bytes, path: Path) -> PublicKey:
    """Return the key of one PEM block."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm, InternalError) as error:
        raise ConfigurationError(
            f"{path} holds no readable public key: it is damaged, or of a kind unknown here."
        ) from error
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigurationError(
            f"{path} holds a key of {type(key).__name__.removesuffix('PublicKey')}; certificates "
            "are signed with ed25519. 'payload-id certificate new-key' makes a pair."
        )
    return PublicKey(key.public_bytes(Encoding.Raw, PublicFormat.Raw), str(path))
