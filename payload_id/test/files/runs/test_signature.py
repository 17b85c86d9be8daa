"""Keys that sign certificates: what is none is refused, what is trusted is found."""

import resource

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from payload_id.core.errors import ConfigurationError
from payload_id.files.runs.public_key import trusted_keys
from payload_id.files.runs.signing_key import (
    PASSPHRASE,
    PUBLIC_NAME,
    SigningKey,
    new_key_pair,
)


@pytest.fixture(autouse=True)
def no_passphrase(monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Return the cell's key and another one."""
    folder = tmp_path_factory.mktemp("keys")
    return tuple(new_key_pair(folder / name) for name in ("cell", "other"))


def test_what_is_no_key_of_ed25519_is_refused(tmp_path, keys):
    key = generate_private_key(SECP256R1())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head, tail = "-----BEGIN PUBLIC KEY-----\nAAAA\n", "-----END PUBLIC KEY-----"
    cell = keys[0].path
    for read, contents in (
        (SigningKey.load, (private, cell.read_bytes().replace(b"M", b"N"))),
        (lambda path: trusted_keys([path]), (public, b"no key", (head + tail).encode())),
    ):
        for content in contents:
            (tmp_path / "x.pem").touch(0o600)
            (tmp_path / "x.pem").write_bytes(content)
            with pytest.raises(ConfigurationError, match=r"x\.pem"):
                read(tmp_path / "x.pem")
        with pytest.raises(ConfigurationError, match=r"none\.pem"):
            read(tmp_path / "none.pem")
    for read, path in ((SigningKey.load, cell.with_name(PUBLIC_NAME)), (trusted_keys, [cell])):
        with pytest.raises(ConfigurationError, match="private key"):
            read(path)


def test_trusted_keys_come_from_files_of_several_and_from_folders(tmp_path, keys):
    publics = [key.path.with_name(PUBLIC_NAME).read_bytes() for key in keys]
    with pytest.raises(ConfigurationError, match="no public key in"):
        trusted_keys([tmp_path])
    (tmp_path / "both.pem").write_bytes(b"# our cells\n" + b"\n".join(publics))
    expected = tuple(key.public for key in keys)
    assert trusted_keys([tmp_path / "both.pem"]) == expected
    assert trusted_keys([key.path.parent for key in keys]) == expected  # private keys beside them
    assert trusted_keys([tmp_path, tmp_path / "both.pem"]) == expected
    assert trusted_keys([]) == ()


def test_a_full_disk_leaves_no_half_of_a_key(tmp_path):
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room in (0, 50):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))  # bytes of a file, then EFBIG
        try:
            with pytest.raises(ConfigurationError, match="No key can be written"):
                new_key_pair(tmp_path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
        assert not list(tmp_path.iterdir())
    assert SigningKey.load(new_key_pair(tmp_path).path)
