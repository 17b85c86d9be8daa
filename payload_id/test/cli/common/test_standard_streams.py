"""Whatever a shell has made of the standard streams, a command ends in order."""

import errno
import io
import os
import signal
import subprocess
import sys

import pytest

from payload_id.cli import main as command_line
from payload_id.cli.common.presentation import console
from payload_id.cli.main import UNREAD, main

VERB = ("completion", "bash")  # prints, and does nothing else


def unread():
    """Return an output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return open(writer, "w")


@pytest.fixture(params=["plain", "rich"])
def prints(request, monkeypatch):
    """A command that prints, in either way that commands do."""
    if request.param == "rich":
        monkeypatch.setattr(command_line.completion, "script", lambda *_: console().print("x" * 99))
    return VERB


def test_output_that_nobody_reads_has_a_code_of_its_own(prints, monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdout", unread())
    assert main(prints) == UNREAD
    sys.stdout.close()  # raises where something is left that cannot be written
    assert capfd.readouterr().err == ""


def test_a_full_disk_is_said(prints, monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdout", open("/dev/full", "w"))
    assert main(prints) == 2
    sys.stdout.close()
    assert os.strerror(errno.ENOSPC).lower() in capfd.readouterr().err


def test_help_that_nobody_reads_ends_the_same_way(monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdout", unread())
    assert main(["--help"]) == UNREAD
    sys.stdout.close()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("text", ["±●│", "a name of bytes \udcff"])
def test_letters_that_the_encoding_lacks_end_no_command(text, monkeypatch):
    monkeypatch.setattr(command_line.completion, "script", lambda *_: console().print(text))
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding="ascii", errors="strict"))
    assert main(VERB) == 0
    assert held.getvalue().startswith(b"?" if text[0] == "±" else b"a name of bytes ?")


def test_a_program_that_reads_its_input_may_call_commands(monkeypatch):
    begun = io.TextIOWrapper(io.BytesIO(b"one\ntwo\n"))
    assert begun.readline() == "one\n"
    monkeypatch.setattr(sys, "stdin", begun)
    assert main(VERB) == 0
    assert begun.readline() == "two\n"


def test_a_closed_output_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(VERB) == 0


# A command whose work is to wait for a writer of a pipe, where it is interrupted.
WAITING = """
import sys
from payload_id.__main__ import run
from payload_id.cli.verify import command
command.run = lambda arguments: open(arguments.certificate).read()
sys.argv.insert(1, "verify")
sys.exit(run())
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_end_a_command_in_order(number, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", WAITING, str(pipe)]
    usual = signal.signal(number, signal.SIG_DFL)  # `nohup` and some CI ignore some, inherited
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    signal.signal(number, usual)
    writer = os.open(pipe, os.O_WRONLY)  # once the command reads
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    os.close(writer)
    assert (process.returncode, said) == (130, "payload-id verify: interrupted.\n")
