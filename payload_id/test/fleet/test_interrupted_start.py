"""An interrupt while a local cluster starts counts once it is there, and is then ended in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from command_line import gen3_bag


def heed_hangup():
    """Undo what nohup does, which this suite may run under."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "sent"), [(1, signal.SIGINT), (2, signal.SIGHUP)])
def test_a_terminal_interrupts_workers_too_and_nobody_prints_a_traceback(tmp_path, workers, sent):
    """A terminal sends SIGINT, or SIGHUP as it closes, to the whole group of processes."""
    bags = tmp_path / "bags"
    for number in range(4):
        gen3_bag(bags / f"run_{number}", np.zeros(10), number, 0.3, 2.0, 0.02)
    command = [
        sys.executable, "-m", "payload_id", "identify", str(bags), "--robot", "kinova_gen3",
        "--out", str(tmp_path / "results"), "--workers", "2",
    ]  # fmt: skip
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(
            command, stdout=said, stderr=said, start_new_session=True, preexec_fn=heed_hangup
        )
        try:
            begun, deadline = psutil.Process(process.pid), time.monotonic() + 60.0
            while time.monotonic() < deadline:
                children = [" ".join(each.cmdline()) for each in begun.children(recursive=True)]
                if sum("spawn_main" in each for each in children) >= workers:
                    break
                time.sleep(0.02)
            os.killpg(process.pid, sent)
            assert process.wait(60.0) == 130
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    printed = (tmp_path / "said").read_text()
    assert "Traceback" not in printed and printed.count("interrupted") == 1
