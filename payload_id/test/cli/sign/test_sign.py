"""Keys, signing and verifying as a user meets them: commands, output, files, exit codes."""

import json

import pytest

from certificates import saved_certificate
from command_line import run
from payload_id.cli.main import main
from payload_id.files.runs.public_key import trusted_keys
from payload_id.files.runs.signing_key import PASSPHRASE, PRIVATE_NAME, PUBLIC_NAME, new_key_pair


@pytest.fixture(autouse=True)
def no_passphrase(monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)


@pytest.fixture
def keys(tmp_path, capsys):
    """Return the folder of a cell's keys, made by the command."""
    assert main(["new-key", str(tmp_path / "keys")]) == 0
    (public,) = trusted_keys([tmp_path / "keys" / PUBLIC_NAME])
    assert public.fingerprint in capsys.readouterr().out
    return tmp_path / "keys"


@pytest.fixture
def certificate(tmp_path):
    return saved_certificate(tmp_path / "motion.json")


def sign(certificate, keys):
    return main(["sign", str(certificate), "--key", str(keys / PRIVATE_NAME)])


def verified(capsys, certificate, *options):
    """Return exit code and JSON of verify."""
    capsys.readouterr()
    code = main(["verify", str(certificate), "--samples", "5", "--json", *map(str, options)])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_signed_certificate_is_verified_with_the_cells_key_alone(
    keys, certificate, tmp_path, capsys
):
    code, found = verified(capsys, certificate, "--key", keys)
    assert code == 1 and found["signature"]["state"] == "unsigned"
    assert found["differences"] == [found["signature"]["sentence"]]
    assert sign(certificate, keys) == 0
    fingerprint = trusted_keys([keys])[0].fingerprint
    assert fingerprint in capsys.readouterr().out
    code, found = verified(capsys, certificate, "--key", keys / PUBLIC_NAME)
    assert code == 0 and found["verified"] and found["signature"]["holds"] is True
    assert (found["signature"]["state"], found["signature"]["key"]) == ("own", fingerprint)
    new_key_pair(tmp_path / "other")
    code, found = verified(capsys, certificate, "--key", tmp_path / "other")
    assert code == 1 and not found["verified"] and found["signature"]["state"] == "foreign"
    code, found = verified(capsys, certificate, "--key", tmp_path / "other", "--key", keys)
    assert code == 0 and found["signature"]["state"] == "own"


@pytest.mark.slow
def test_without_a_trusted_key_a_signature_is_shown_and_nobody_s(keys, certificate, capsys):
    code, found = verified(capsys, certificate)
    assert code == 0 and found["signature"]["state"] == "unsigned"
    assert found["signature"]["holds"] is None
    assert sign(certificate, keys) == 0
    code, found = verified(capsys, certificate)
    assert code == 0 and found["signature"]["state"] == "not judged"
    assert main(["verify", str(certificate), "--samples", "5"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "SIGNED BY SOMEBODY" in shown and "no trusted key (--key)" in shown
    assert "this is the trusted key" not in shown


@pytest.mark.parametrize("options", [[], ["--key"]], ids=["no key", "key"])
def test_a_change_after_signing_is_a_difference(keys, certificate, capsys, options):
    assert sign(certificate, keys) == 0
    content = json.loads(certificate.read_text())
    content["robot"]["file"] = "kinova_gen3_2f85"
    certificate.write_text(json.dumps(content))
    capsys.readouterr()
    command = ["verify", str(certificate), "--robot", "kinova_gen3", "--samples", "5"]
    assert main([*command, *options, *([str(keys)] if options else [])]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "DIFFERS The certificate was changed after it was signed" in shown
    assert sign(certificate, keys) == 2
    assert "is not signed" in capsys.readouterr().err


def test_markup_in_a_certificate_is_shown_as_it_is(certificate, keys, capsys):
    content = json.loads(certificate.read_text())
    content["signature"] = {"algorithm": "[bold]VERIFIED[/]"}
    content["certificate"]["assumptions"] = ["[/] [bold green]VERIFIED[/bold green]"]
    certificate.write_text(json.dumps(content))
    assert main(["verify", str(certificate), "--samples", "5"]) == 1
    shown = capsys.readouterr().out
    assert "[/] [bold green]VERIFIED[/bold green]" in shown and "'[bold]VERIFIED[/]'" in shown


@pytest.mark.parametrize("verb", ["sign", "verify"])
def test_keys_that_cannot_be_used_are_an_error_in_a_sentence(keys, certificate, capsys, verb):
    wrong = keys / (PUBLIC_NAME if verb == "sign" else PRIVATE_NAME)
    before = certificate.read_bytes()
    assert main([verb, str(certificate), "--key", str(wrong)]) == 2
    assert "private key" in capsys.readouterr().err
    (keys / PRIVATE_NAME).chmod(0o644)
    assert sign(certificate, keys) == 2
    assert "chmod 600" in capsys.readouterr().err
    assert certificate.read_bytes() == before
    assert main(["new-key", str(keys)]) == 2


def test_an_earlier_signature_is_replaced_and_named(keys, certificate, tmp_path, capsys):
    other = new_key_pair(tmp_path / "other")
    for key, words in ((keys, ""), (keys, ", as before"), (other.path.parent, ", in place of")):
        capsys.readouterr()
        assert sign(certificate, key) == 0
        assert words in capsys.readouterr().out
    assert verified(capsys, certificate, "--key", other.path.parent)[0] == 0


def test_of_a_link_the_certificate_that_it_leads_to_is_signed(keys, certificate, tmp_path, capsys):
    link = tmp_path / "link.json"
    link.symlink_to(certificate)
    assert sign(link, keys) == 0 and link.is_symlink()
    assert verified(capsys, certificate, "--key", keys)[0] == 0


def test_signing_does_without_ros(keys, certificate):
    done = run("sign", certificate, "--key", keys / PRIVATE_NAME)
    assert done.returncode == 0 and "signed by the key" in done.stdout, done.stderr
