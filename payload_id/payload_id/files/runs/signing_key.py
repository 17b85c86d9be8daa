"""The private key that certificates are signed with: made, kept and read for its owner alone."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InternalError, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from ...core.errors import ConfigurationError, in_words
from ..configuration.input_path import input_path
from .public_key import PublicKey

PASSPHRASE = "PAYLOAD_ID_KEY_PASSPHRASE"  # environment variable
PRIVATE_NAME, PUBLIC_NAME = "signing_key.pem", "public_key.pem"
PRIVATE_MODE, PUBLIC_MODE = 0o600, 0o644
OTHERS = stat.S_IRWXG | stat.S_IRWXO  # what nobody but the owner may do
PRIVATE, ENCRYPTED = b"PRIVATE KEY-----", b"BEGIN ENCRYPTED PRIVATE KEY"


@dataclass(frozen=True)
class SigningKey:
    """An ed25519 private key.

    Attributes:
        path: Its file.
        encrypted: Whether that needs a passphrase.
        key: The key itself; never shown.
    """

    path: Path
    encrypted: bool
    key: Ed25519PrivateKey = field(repr=False, compare=False)

    @property
    def public(self) -> PublicKey:
        """The public key that belongs to it."""
        return PublicKey(self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        return self.key.sign(message)

    @classmethod
    def load(cls, path: Path | str) -> SigningKey:
        """Read a private key; an encrypted one with the passphrase of the environment.

        Args:
            path: PEM file (PKCS8); `~` is the home folder.

        Raises:
            ConfigurationError: The file cannot be read, others than its owner may read or change
                it, it is no ed25519 key, or the passphrase is missing or wrong.
        """
        path = input_path(os.path.expanduser(path), "private key")
        text = _private_text(path)
        encrypted = ENCRYPTED in text
        passphrase = _passphrase() if encrypted else None
        if encrypted and not passphrase:
            raise ConfigurationError(
                f"The private key {path} is encrypted; set the environment variable {PASSPHRASE} "
                "to its passphrase."
            )
        try:
            key = load_pem_private_key(text, passphrase)
        except (ValueError, TypeError, UnsupportedAlgorithm, InternalError) as error:
            hint = f"The passphrase in {PASSPHRASE} may be wrong. " if passphrase else ""
            raise ConfigurationError(
                f"{path} is no readable private key: it is damaged, or of a kind unknown here. "
                f"{hint}{_REMEDY}"
            ) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigurationError(
                f"{path} is a key of {type(key).__name__.removesuffix('PrivateKey')}; certificates "
                f"are signed with ed25519. {_REMEDY}"
            )
        return cls(path, encrypted, key)


_REMEDY = (
    f"'payload-id certificate new-key FOLDER' makes a pair; {PRIVATE_NAME} is the private one."
)


def new_key_pair(folder: Path | str) -> SigningKey:
    """Make a key pair: `signing_key.pem` for its owner alone, `public_key.pem` for everybody.

    The private key is encrypted if the environment has a passphrase.

    Args:
        folder: Where; it is made if it is not there.

    Raises:
        ConfigurationError: There is a key already, or the files cannot be written.
    """
    folder = input_path(os.path.expanduser(folder), "folder of keys")
    passphrase = _passphrase()
    key = SigningKey(folder / PRIVATE_NAME, bool(passphrase), Ed25519PrivateKey.generate())
    secrecy: KeySerializationEncryption = NoEncryption()
    if passphrase:
        secrecy = BestAvailableEncryption(passphrase)
    private = key.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, secrecy)
    try:
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / PUBLIC_NAME).exists():
            raise FileExistsError
        _write_new(key.path, private, PRIVATE_MODE)
        try:
            _write_new(folder / PUBLIC_NAME, key.public.pem, PUBLIC_MODE)
        except BaseException:  # neither without the other
            key.path.unlink()
            raise
    except FileExistsError as error:
        raise ConfigurationError(
            f"There is a key in {folder} already ({PRIVATE_NAME} or {PUBLIC_NAME}), which is not "
            "replaced: what it signed could no longer be told. Name another folder."
        ) from error
    except OSError as error:
        raise ConfigurationError(
            f"No key can be written to {folder}: {in_words(error)}."
        ) from error
    return key


def _passphrase() -> bytes:
    """Return the passphrase of the environment; empty: there is none."""
    return os.fsencode(os.environ.get(PASSPHRASE, ""))


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet, for nobody else from its first instant.

    Raises:
        OSError: It is there, or cannot be written.
    """
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
    except BaseException:  # a full disk, an interrupt: half a key would be taken for one
        path.unlink()
        raise


def _private_text(path: Path) -> bytes:
    """Return the content of a file with a private key that is its owner's alone."""
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read()
    except OSError as error:
        raise ConfigurationError(
            f"The private key {path} cannot be read: {in_words(error)}."
        ) from error
    if PRIVATE not in text:
        raise ConfigurationError(f"{path} holds no private key (PEM). {_REMEDY}")
    if mode & OTHERS:
        raise ConfigurationError(
            f"Others than its owner may read or change the private key {path} (mode {mode:03o}, "
            f"allowed is {PRIVATE_MODE:03o}): run 'chmod 600 {path}', and make a new key if "
            "somebody may have read this one."
        )
    return text
