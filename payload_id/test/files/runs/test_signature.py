"""Signatures of certificates: whatever is changed is told, whatever means the same is not."""

import copy
import json
import resource

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from certificates import saved_certificate
from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.certificate.certificate import digest_of
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.runs.public_key import trusted_keys
from payload_id.files.runs.signature import SignatureState, judged, signature_of
from payload_id.files.runs.signing_key import (
    PASSPHRASE,
    PUBLIC_NAME,
    SigningKey,
    new_key_pair,
)

OWN, FOREIGN, CHANGED, UNSIGNED, NOT_JUDGED = SignatureState
DELETED = object()


@pytest.fixture(autouse=True)
def no_passphrase(monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Return the cell's key and another one."""
    folder = tmp_path_factory.mktemp("keys")
    return tuple(new_key_pair(folder / name) for name in ("cell", "other"))


@pytest.fixture(scope="module")
def file(keys, tmp_path_factory):
    """Return a certificate that the cell has signed."""
    return saved_certificate(tmp_path_factory.mktemp("signed") / "motion.json", keys[0])


@pytest.fixture
def content(file):
    return json.loads(file.read_text())


def state_of(file, *trusted):
    return judged(load_certificate(file).signature, [key.public for key in trusted]).state


def state(content, *trusted):
    return judged(signature_of(content), [key.public for key in trusted]).state


def written(path, content, **how):
    path.write_text(json.dumps(content, **how))
    return path


def places(value, path=()):
    """Yield the paths of everything in a JSON value; of a list, those of its first two entries."""
    yield path
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else list(enumerate(value))[:2]
        for key, entry in entries:
            yield from places(entry, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def other_values(value):
    """Return values that are not this one, near ones and such as Python takes for equal."""
    others = [None, False, True, 0, [], str(value)]
    if isinstance(value, str):
        others += [f"{value} ", value[1:], value.swapcase()]
    elif isinstance(value, int | float):
        others += [np.nextafter(value, np.inf), -value, value + 1, float(value), int(value)]
    return [DELETED, *(x for x in others if json.dumps(x) != json.dumps(value))]


def changed(content, path, value):
    """Return a content with another value in a place, or with nothing there."""
    content = copy.deepcopy(content)
    if value is DELETED:
        del at(content, path[:-1])[path[-1]]
    else:
        at(content, path[:-1])[path[-1]] = value
    return content


def changes(content):
    """Return every place below the top with each other value that it is given."""
    every = list(places(content))[1:]
    return [(path, value) for path in every for value in other_values(at(content, path))]


@pytest.mark.slow
def test_every_changed_value_anywhere_is_told(content, keys, tmp_path):
    """Or not readable, also where the file's own digest is made to fit."""
    every = changes(content)
    assert len(every) > 1000 and state(content, keys[0]) is OWN
    readable = 0
    for k in np.random.default_rng(0).permutation(len(every))[:700]:
        path, value = every[k]
        other = changed(content, path, value)
        found = state(other, keys[0])
        assert found in ((UNSIGNED,) if "signature" not in other else (CHANGED, FOREIGN)), path
        if k % 10 or "signature" not in other:
            continue
        rest = {x: other[x] for x in other if x not in ("digest", "signature")}
        other["digest"] = digest_of(rest)
        try:
            assert state_of(written(tmp_path / "changed.json", other), keys[0]) is not OWN
            readable += 1
        except ConfigurationError:
            pass
    assert readable > 5


def test_keys_count_as_they_are_trusted_and_only_an_own_signature_holds(file, content, keys):
    cell, other = keys
    signature = signature_of(content)
    for trusted, wanted, holds in (
        ((), NOT_JUDGED, None), ((cell,), OWN, True), ((other, cell), OWN, True),
        ((other,), FOREIGN, False),
    ):  # fmt: skip
        assert state_of(file, *trusted) is wanted
        verdict = judged(signature, [key.public for key in trusted])
        assert verdict.state is wanted and verdict.holds is holds
        unsigned = judged(None, [key.public for key in trusted])
        assert unsigned.state is UNSIGNED and unsigned.holds is (False if trusted else None)
    content["cell"] = "none, nobody looked"
    assert judged(signature_of(content), []).holds is False


IMPOSSIBLE = (
    {}, {"algorithm": "none"}, {"algorithm": None}, {"algorithm": ["ed25519"]}, {"public_key": ""},
    {"public_key": 7}, {"public_key": "00" * 31}, {"public_key": "00" * 32}, {"value": "00" * 65},
    {"value": "00" * 64}, {"value": "zz" * 64}, {"value": None},
)  # fmt: skip


def test_an_impossible_signature_is_a_changed_file_or_a_foreign_key(content, keys):
    sound = content["signature"]
    others = [sound | change for change in IMPOSSIBLE[1:]] + [None, "signed", [], {}]
    for name in ("value", "public_key"):  # each has one spelling
        old = sound[name]
        others += [sound | {name: x} for x in (old.upper(), f"{old}\n", f" {old}", f"0x{old}")]
    for other in others:
        content["signature"] = other
        verdict = judged(signature_of(content), [keys[0].public])
        assert verdict.state in (CHANGED, FOREIGN) and verdict.holds is False, other


def test_a_private_key_that_others_can_use_is_refused(tmp_path):
    path = new_key_pair(tmp_path).path
    for mode in (0o644, 0o640, 0o660, 0o604, 0o620, 0o610):
        path.chmod(mode)
        with pytest.raises(ConfigurationError, match=f"mode {mode:03o}"):
            SigningKey.load(path)
    path.chmod(0o400)
    SigningKey.load(path)


def test_an_encrypted_key_needs_its_passphrase(tmp_path, monkeypatch):
    monkeypatch.setenv(PASSPHRASE, "correct horse")
    key = new_key_pair(tmp_path)
    assert key.encrypted and SigningKey.load(key.path).public == key.public
    for wrong in ("wrong horse", ""):
        monkeypatch.setenv(PASSPHRASE, wrong)
        with pytest.raises(ConfigurationError, match=PASSPHRASE):
            SigningKey.load(key.path)


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
