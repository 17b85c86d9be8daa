"""Keys, signing and verifying as a user meets them: commands, output, files, exit codes."""

import json

import pytest

from certificates import saved_certificate
from command_line import run_without_ros
from payload_id.files.runs.public_key import trusted_keys
from payload_id.files.runs.signing_key import PASSPHRASE, PRIVATE_NAME, PUBLIC_NAME, new_key_pair


class Cell:
    """A cell's keys, made by the command, and a certificate."""

    def __init__(self, folder, capsys):
        self.folder, self.keys, self._capsys = folder, folder / "keys", capsys
        done = self.run("new-key", self.keys)
        self.fingerprint = trusted_keys([self.keys])[0].fingerprint
        assert done.returncode == 0 and self.fingerprint in done.stdout
        self.certificate = saved_certificate(folder / "motion.json")

    def run(self, *arguments):
        return run_without_ros(self._capsys, *arguments)

    def sign(self, keys=None, certificate=None):
        key = (keys or self.keys) / PRIVATE_NAME
        return self.run("sign", certificate or self.certificate, "--key", key)

    def verified(self, *keys):
        """Return exit code and JSON of verify."""
        options = [option for key in keys for option in ("--key", key)]
        done = self.run("verify", self.certificate, "--samples", "5", "--json", *options)
        return done.returncode, json.loads(done.stdout)

    def change(self, change):
        content = json.loads(self.certificate.read_text())
        change(content)
        self.certificate.write_text(json.dumps(content))


@pytest.fixture
def cell(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv(PASSPHRASE, raising=False)
    return Cell(tmp_path, capsys)


@pytest.mark.slow
def test_a_signed_certificate_is_verified_with_the_cells_key_alone(cell):
    code, found = cell.verified(cell.keys)
    assert code == 1 and found["signature"]["state"] == "unsigned"
    assert found["differences"] == [found["signature"]["sentence"]]
    done = cell.sign()
    assert done.returncode == 0 and cell.fingerprint in done.stdout
    code, found = cell.verified(cell.keys / PUBLIC_NAME)
    assert code == 0 and found["verified"] and found["signature"]["holds"] is True
    assert (found["signature"]["state"], found["signature"]["key"]) == ("own", cell.fingerprint)
    other = cell.folder / "other"
    new_key_pair(other)
    code, found = cell.verified(other)
    assert code == 1 and not found["verified"] and found["signature"]["state"] == "foreign"
    code, found = cell.verified(other, cell.keys)
    assert code == 0 and found["signature"]["state"] == "own"


@pytest.mark.slow
def test_without_a_trusted_key_a_signature_is_shown_and_nobody_s(cell):
    code, found = cell.verified()
    assert code == 0 and found["signature"]["state"] == "unsigned"
    assert found["signature"]["holds"] is None
    cell.sign()
    code, found = cell.verified()
    assert code == 0 and found["signature"]["state"] == "not judged"
    done = cell.run("verify", cell.certificate, "--samples", "5")
    shown = " ".join(done.stdout.split())
    assert done.returncode == 0 and "SIGNED BY SOMEBODY" in shown and "(--key)" in shown


def test_a_change_after_signing_is_a_difference(cell):
    cell.sign()
    cell.change(lambda content: content["robot"].update(file="kinova_gen3_2f85"))
    for options in ([], ["--key", cell.keys]):
        command = ["verify", cell.certificate, "--robot", "kinova_gen3", "--samples", "5"]
        done = cell.run(*command, *options)
        assert done.returncode == 1
        assert "DIFFERS The certificate was changed" in " ".join(done.stdout.split())
    done = cell.sign()
    assert done.returncode == 2 and "is not signed" in done.stderr


def test_markup_in_a_certificate_is_shown_as_it_is(cell):
    markup = "[/] [bold green]VERIFIED[/bold green]"
    cell.change(lambda content: content["certificate"].update(assumptions=[markup]))
    cell.change(lambda content: content.update(signature={"algorithm": "[bold]VERIFIED[/]"}))
    done = cell.run("verify", cell.certificate, "--samples", "5")
    assert done.returncode == 1
    assert markup in done.stdout and "'[bold]VERIFIED[/]'" in done.stdout


def test_an_earlier_signature_is_replaced_and_named_through_a_link_too(cell):
    other, link = new_key_pair(cell.folder / "other"), cell.folder / "link.json"
    link.symlink_to(cell.certificate)
    for keys, words in ((cell.keys, ""), (cell.keys, "as before"), (other.path.parent, "in place")):
        done = cell.sign(keys, link)
        assert done.returncode == 0 and words in done.stdout and link.is_symlink()
    assert cell.verified(other.path.parent)[0] == 0
