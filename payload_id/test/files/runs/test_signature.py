"""Signatures of certificates: whatever is changed is told, whatever means the same is not."""

import json
import resource
from pathlib import Path

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
from payload_id.files.runs.certificate_file import load_certificate, sign_certificate
from payload_id.files.runs.public_key import trusted_keys
from payload_id.files.runs.signature import SignatureState, judged, signature_of, signed
from payload_id.files.runs.signing_key import (
    PASSPHRASE,
    PRIVATE_NAME,
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


def written(path, content, **how):
    path.write_text(json.dumps(content, **how))
    return path


def places(value, path=()):
    """Yield the paths of everything in a JSON value, containers and leaves."""
    yield path
    if not isinstance(value, dict | list):
        return
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
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


def put(content, path, value):
    """Put a value in its place, or take what is there away; return what was there."""
    parent, key = at(content, path[:-1]), path[-1]
    if value is DELETED and isinstance(parent, list):
        return parent.pop(key)
    old = parent[key]
    if value is DELETED:
        del parent[key]
    else:
        parent[key] = value
    return old


def put_back(content, path, value, old):
    """Undo a change."""
    parent, key = at(content, path[:-1]), path[-1]
    if value is DELETED and isinstance(parent, list):
        parent.insert(key, old)
    else:
        parent[key] = old


def changes(content):
    """Yield every place below the top with each other value that it is given."""
    for path in list(places(content))[1:]:
        yield from ((path, value) for value in other_values(at(content, path)))


@pytest.mark.slow
def test_every_changed_value_anywhere_is_told(content, keys):
    before = json.dumps(content, sort_keys=True)
    count = 0
    for path, value in changes(content):
        old = put(content, path, value)
        state = judged(signature_of(content), [keys[0].public]).state
        assert state in ((UNSIGNED,) if "signature" not in content else (CHANGED, FOREIGN)), path
        put_back(content, path, value, old)
        count += 1
    assert count > 2000 and json.dumps(content, sort_keys=True) == before
    assert judged(signature_of(content), [keys[0].public]).state is OWN


def test_changed_files_are_told_or_not_readable_even_if_their_digest_is_made_to_fit(
    content, keys, tmp_path
):
    rng, every = np.random.default_rng(0), list(changes(content))
    for k in rng.choice(len(every), 60, replace=False):
        path, value = every[k]
        if value is DELETED and path[0] in ("digest", "signature"):
            continue
        old = put(content, path, value)
        digest = content["digest"]
        if path[0] != "digest":
            rest = {x: content[x] for x in content if x not in ("digest", "signature")}
            content["digest"] = digest_of(rest)
        try:
            assert state_of(written(tmp_path / "changed.json", content), keys[0]) is not OWN
        except ConfigurationError:
            pass
        content["digest"] = digest
        put_back(content, path, value, old)


def test_what_is_added_or_in_another_order_is_told(content, keys):
    trusted = [keys[0].public]
    for path in [p for p in places(content) if isinstance(at(content, p), dict)]:
        at(content, path)["remark"] = "harmless"
        assert judged(signature_of(content), trusted).state is CHANGED, path
        del at(content, path)["remark"]
    joints = content["joints"]
    joints[0], joints[1] = joints[1], joints[0]
    assert judged(signature_of(content), trusted).state is CHANGED


def test_another_notation_of_the_same_values_is_not_a_change(content, keys, tmp_path):
    def turned(value):
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(x) for x in value] if isinstance(value, list) else value

    path = tmp_path / "same.json"
    for how in ({}, {"indent": 4}, {"separators": (",", ":")}, {"ensure_ascii": False}):
        assert state_of(written(path, turned(content), **how), keys[0]) is OWN
    path.write_text(path.read_text().replace('"clearance"', '"\\u0063learance"'))
    assert state_of(path, keys[0]) is OWN


def test_keys_count_as_they_are_trusted(file, keys, tmp_path):
    cell, other = keys
    assert state_of(file) is NOT_JUDGED
    assert state_of(file, cell) is OWN and state_of(file, other, cell) is OWN
    assert state_of(file, other) is FOREIGN
    unsigned = saved_certificate(tmp_path / "unsigned.json")
    assert load_certificate(unsigned).signature is None
    assert state_of(unsigned) is UNSIGNED and state_of(unsigned, cell) is UNSIGNED


def test_only_an_own_signature_holds_and_a_broken_one_never_does(content, keys):
    cell, other = ([key.public] for key in keys)
    signature = signature_of(content)
    assert judged(signature, cell).holds is True
    assert judged(signature, other).holds is False and judged(None, cell).holds is False
    assert judged(signature, []).holds is None and judged(None, []).holds is None
    content["cell"] = "none, nobody looked"
    assert judged(signature_of(content), []).holds is False


def test_a_signature_of_another_certificate_is_none_of_this_one(content, keys, tmp_path):
    second = json.loads(saved_certificate(tmp_path / "2.json", keys[0], seed=1).read_text())
    assert second["trajectory"] != content["trajectory"]
    content["signature"] = second["signature"]
    assert state_of(written(tmp_path / "mixed.json", content), keys[0]) is CHANGED


def test_another_key_under_the_cells_name_is_told(content, keys):
    cell, other = keys
    content["signature"] = signed(content, other)["signature"]
    assert judged(signature_of(content), [cell.public]).state is FOREIGN
    content["signature"]["public_key"] = cell.public.raw.hex()
    assert judged(signature_of(content), [cell.public]).state is CHANGED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (None, None), (None, "signed"), (None, []), (None, {}),
        ("algorithm", "none"), ("algorithm", None), ("algorithm", ["ed25519"]),
        ("public_key", ""), ("public_key", 7), ("public_key", "00" * 31), ("value", "00" * 65),
        ("public_key", "00" * 32), ("value", "00" * 64), ("value", "zz" * 64), ("value", None),
    ],
)  # fmt: skip
def test_an_impossible_signature_is_a_changed_file_or_a_foreign_key(content, keys, name, value):
    if name is None:
        content["signature"] = value
    else:
        content["signature"][name] = value
    verdict = judged(signature_of(content), [keys[0].public])
    assert verdict.state in (CHANGED, FOREIGN) and verdict.holds is False


def test_a_signature_has_one_spelling(content, keys):
    for name in ("value", "public_key"):
        old = content["signature"][name]
        for spelling in (old.upper(), f"{old}\n", f" {old}", f"0x{old}"):
            content["signature"][name] = spelling
            assert judged(signature_of(content), [keys[0].public]).state is CHANGED
        content["signature"][name] = old


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"clearance": 0.005', '"clearance": 0.0, "clearance": 0.005'),
        ('"clearance": 0.005', '"clearance": 0.005, "clearance": 0.0'),
        ('"clearance": 0.005', '"clearance": 0.005, "\\u0063learance": 0.005'),
        ('"algorithm"', '"algorithm": "none", "algorithm"'),
        ('"clearance": 0.005', '"clearance": NaN'),
        ('"clearance": 0.005', '"clearance": -Infinity'),
        ('"clearance": 0.005', '"clearance": 1e999'),
        ('"clearance": 0.005', '"clearance": ' + "9" * 5000),
        ('"clearance": 0.005', '"clearance": ' + "[" * 100_000),
        ('"clearance": 0.005', '"clearance": 0.005 // 0.0'),
        ('"clearance": 0.005', "'clearance': 0.005"),
    ],
)
def test_what_two_readers_may_understand_differently_is_refused(file, tmp_path, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    (tmp_path / "tricky.json").write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError, match="no readable certificate"):
        load_certificate(tmp_path / "tricky.json")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_another_encoding_is_refused(file, tmp_path, encoding):
    (tmp_path / "other.json").write_bytes(file.read_text().encode(encoding))
    with pytest.raises(ConfigurationError, match="no readable certificate"):
        load_certificate(tmp_path / "other.json")


def test_signing_later_is_the_same_as_signing_at_once(file, keys, tmp_path):
    path = saved_certificate(tmp_path / "motion.json")
    assert sign_certificate(path, keys[0]) is None
    assert path.read_bytes() == file.read_bytes()
    assert sign_certificate(path, keys[1]).key == keys[0].public
    assert state_of(path, keys[1]) is OWN and state_of(path, keys[0]) is FOREIGN


@pytest.mark.parametrize("name", ["clearance", "signature"])
def test_a_changed_certificate_is_not_signed(content, keys, tmp_path, name):
    content[name] = 0.001 if name == "clearance" else {**content[name], "value": "00" * 64}
    path = written(tmp_path / "changed.json", content)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match="was changed after it was"):
        sign_certificate(path, keys[0])
    assert path.read_bytes() == before


def test_a_new_pair_is_for_its_owner_and_is_never_replaced(tmp_path):
    key = new_key_pair(tmp_path / "keys")
    private, public = (tmp_path / "keys" / name for name in (PRIVATE_NAME, PUBLIC_NAME))
    assert private.stat().st_mode & 0o777 == 0o600
    assert trusted_keys([public]) == (SigningKey.load(private).public,) == (key.public,)
    assert b"PRIVATE" not in public.read_bytes() and "PRIVATE" not in repr(key)
    before = private.read_bytes()
    for gone in (None, public, private):
        if gone is not None:
            text = gone.read_bytes()
            gone.unlink()
        with pytest.raises(ConfigurationError, match="is not replaced"):
            new_key_pair(tmp_path / "keys")
        if gone is not None:
            assert not gone.exists()
            gone.write_bytes(text)
    assert private.read_bytes() == before


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660, 0o604, 0o620, 0o610])
def test_a_private_key_that_others_can_use_is_refused(tmp_path, mode):
    path = new_key_pair(tmp_path).path
    path.chmod(mode)
    with pytest.raises(ConfigurationError, match=f"mode {mode:03o}.*chmod 600"):
        SigningKey.load(path)
    path.chmod(0o400)
    SigningKey.load(path)


def test_an_encrypted_key_needs_its_passphrase(tmp_path, monkeypatch):
    monkeypatch.setenv(PASSPHRASE, "correct horse")
    key = new_key_pair(tmp_path)
    assert key.encrypted and SigningKey.load(key.path).public == key.public
    monkeypatch.setenv(PASSPHRASE, "wrong horse")
    with pytest.raises(ConfigurationError, match="may be wrong"):
        SigningKey.load(key.path)
    monkeypatch.delenv(PASSPHRASE)
    with pytest.raises(ConfigurationError, match=f"set the environment variable {PASSPHRASE}"):
        SigningKey.load(key.path)


def elliptic(folder: Path) -> tuple[Path, Path]:
    """Write a key pair that is not of ed25519."""
    key = generate_private_key(SECP256R1())
    private, public = folder / "ec.pem", folder / "ec_public.pem"
    private.touch(0o600)
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public


def test_what_is_no_private_key_of_ed25519_is_refused(tmp_path, keys):
    broken = tmp_path / "broken.pem"
    broken.touch(0o600)
    broken.write_bytes(keys[0].path.read_bytes().replace(b"M", b"N"))
    for path, words in (
        (tmp_path / "none.pem", "cannot be read"),
        (tmp_path, "cannot be read"),
        (keys[0].path.with_name(PUBLIC_NAME), "holds no private key"),
        (broken, "no readable private key: it is damaged"),
        (elliptic(tmp_path)[0], "signed with ed25519"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            SigningKey.load(path)


def test_what_is_no_public_key_of_ed25519_is_refused(tmp_path, keys):
    (tmp_path / "text.pem").write_text("no key")
    (tmp_path / "broken.pem").write_text(
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"
    )
    (tmp_path / "empty").mkdir()
    for path, words in (
        (tmp_path / "none.pem", "cannot be read"),
        (tmp_path / "empty", "no public key in"),
        (tmp_path / "text.pem", "no public key in"),
        (tmp_path / "broken.pem", "no readable public key: it is damaged"),
        (keys[0].path, "private key"),
        (elliptic(tmp_path)[1], "signed with ed25519"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            trusted_keys([path])


def test_trusted_keys_come_from_files_of_several_and_from_folders(tmp_path, keys):
    publics = [key.path.with_name(PUBLIC_NAME).read_bytes() for key in keys]
    (tmp_path / "both.pem").write_bytes(b"# our cells\n" + b"\n".join(publics))
    expected = tuple(key.public for key in keys)
    assert trusted_keys([tmp_path / "both.pem"]) == expected
    assert trusted_keys([key.path.parent for key in keys]) == expected  # private keys beside them
    assert trusted_keys([tmp_path, tmp_path / "both.pem"]) == expected
    assert trusted_keys([]) == ()


@pytest.mark.parametrize("room", [0, 50])
def test_a_full_disk_leaves_no_half_of_a_key(tmp_path, room):
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))  # bytes of a file, then EFBIG
    try:
        with pytest.raises(ConfigurationError, match="No key can be written"):
            new_key_pair(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert not list(tmp_path.iterdir())
    assert SigningKey.load(new_key_pair(tmp_path).path)


def test_a_file_in_the_place_of_the_folder_of_keys_is_no_key(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(ConfigurationError, match="No key can be written .* not a directory"):
        new_key_pair(tmp_path / "file")
