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

VERB = ["check"]  # whose work is replaced by printing


def unread():
    """Return an output that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return open(writer, "w")


def test_output_that_nobody_reads_or_that_fills_the_disk_has_a_code_of_its_own(monkeypatch, capfd):
    """In each way in which commands print."""
    no_space = os.strerror(errno.ENOSPC).lower()
    for command in (["--help"], VERB, VERB):
        for stream, code, said in ((unread(), UNREAD, ""), (open("/dev/full", "w"), 2, no_space)):
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", stream)
                assert main(command) == code
                sys.stdout.close()  # raises where something is left that cannot be written
            printed = capfd.readouterr().err
            assert said in printed and bool(said) == bool(printed)
        monkeypatch.setattr(command_line.COMMAND, "invoke", lambda _: console().print("x" * 99))


def test_letters_that_the_encoding_lacks_end_no_command(monkeypatch):
    for text, shown in (("±●│", b"?"), ("a name of bytes \udcff", b"a name of bytes ?")):
        monkeypatch.setattr(
            command_line.COMMAND, "invoke", lambda _, text=text: console().print(text)
        )
        held = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding="ascii"))
        assert main(VERB) == 0 and held.getvalue().startswith(shown)


# A command whose work is to wait for a writer of a pipe, where it is interrupted.
WAITING = """
import sys
from payload_id.__main__ import run
from payload_id.planning import verify
verify.verify = lambda path, *_: open(path).read()
sys.argv[1:1] = ["certificate", "verify"]
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
    assert (process.returncode, said) == (130, "payload-id certificate verify: interrupted.\n")
