"""An interrupt while modules are imported: programs end in silence, others keep their handlers."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from payload_id.cli import main as cli
from payload_id.cli.common.signals import raise_interrupts

# At the first import of NumPy, which every program needs, an interrupt comes.
HOOK = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
"""
SCRIPT = "from payload_id.{} import main\nmain()\n"
PACKAGE = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def let_in():
    """Have children begin with the system's handler, which a job in the background ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(folder, *line):
    """Run Python with a line, interrupt it while it imports; return code and what it printed."""
    (folder / "sitecustomize.py").write_text(HOOK)
    path = os.pathsep.join([str(folder), str(PACKAGE), *sys.path])
    done = subprocess.run(
        [sys.executable, *map(str, line)], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("module", ["payload_id", "payload_id.ros.identify.node"])
def test_a_module_that_is_run_ends_in_silence(tmp_path, module):
    assert interrupted(tmp_path, "-m", module) == (-signal.SIGINT, "")


@pytest.mark.parametrize("place", ["lib/payload_id/bridge", "bin/payload-id"])
def test_an_installed_program_ends_in_silence(tmp_path, place):
    script = tmp_path / place
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT.format("ros.bridge.node"))
    assert interrupted(tmp_path, script) == (-signal.SIGINT, "")


def test_a_program_that_uses_the_library_keeps_its_handler(tmp_path):
    text = "try:\n    import payload_id\nexcept KeyboardInterrupt:\n    print('mine')"
    assert interrupted(tmp_path, "-c", text) == (0, "mine\n")


def test_a_hang_up_that_nohup_ignores_stays_ignored():
    before = {x: signal.getsignal(x) for x in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        raise_interrupts()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_an_interrupt_that_a_library_took_for_its_own_error_still_counts(monkeypatch, capsys):
    def swallowed(_):
        with contextlib.suppress(BaseException):  # as an import within an import may
            signal.raise_signal(signal.SIGTERM)
        return 0

    chosen = argparse.Namespace(verb="replay", run=swallowed)
    monkeypatch.setattr(cli, "parser", lambda: SimpleNamespace(understood=lambda _: chosen))
    before = {x: signal.getsignal(x) for x in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        raise_interrupts()
        assert cli.main([]) == 130
        chosen.run = lambda _: 0
        assert cli.main([]) == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert "interrupted" in capsys.readouterr().err
