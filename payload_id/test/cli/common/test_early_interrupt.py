"""An interrupt while modules are imported: programs end in silence, others keep their handlers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
PACKAGE = Path(__file__).resolve().parents[3]
NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SILENT = (-signal.SIGINT, "")


@pytest.fixture(autouse=True)
def handlers():
    """Begin with the system's handler, which a job in the background ignores; put all back."""
    before = {number: signal.getsignal(number) for number in NUMBERS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_program_ends_in_silence_and_one_that_uses_the_library_keeps_its_handler(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    for place in ("lib/payload_id/bridge", "bin/payload-id"):  # installed programs
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("from payload_id.ros.bridge.node import main\nmain()\n")
    mine = "try:\n    import payload_id\nexcept KeyboardInterrupt:\n    print('mine')"
    paths = os.pathsep.join([str(tmp_path), str(PACKAGE), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths}
    for line, ended in (
        (["-m", "payload_id"], SILENT), (["-m", "payload_id.ros.identify.node"], SILENT),
        ([tmp_path / "lib/payload_id/bridge"], SILENT), ([tmp_path / "bin/payload-id"], SILENT),
        (["-c", mine], (0, "mine\n")),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, *line], capture_output=True, text=True, timeout=60, env=environment
        )
        assert (done.returncode, done.stdout + done.stderr) == ended


def test_a_hang_up_that_nohup_ignores_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise_interrupts()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
