"""The demonstration's nodes end with it, also where it is killed and can end nothing."""

import os
import signal
import subprocess
import sys
import time

from payload_id.cli.demo.nodes import NODE

PARENT = (
    "import subprocess, sys, time\n"
    "node = subprocess.Popen([sys.executable, '-c', sys.argv[1], 'waits', 'argument'])\n"
    "print(node.pid, flush=True)\n"
    "time.sleep(60)"
)
NODE_MODULE = "import sys, time\nprint(*sys.argv[1:], flush=True)\ntime.sleep(60)\n"


def test_a_node_ends_with_a_demonstration_that_is_killed(tmp_path):
    (tmp_path / "waits.py").write_text(NODE_MODULE)
    command = [sys.executable, "-c", PARENT, NODE]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables)
    node = int(parent.stdout.readline())
    assert parent.stdout.readline() == "argument\n"  # the node runs, and has its arguments
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    end = time.monotonic() + 20.0
    while runs(node):
        assert time.monotonic() < end
        time.sleep(0.02)
    parent.stdout.close()


def runs(pid):
    """Tell whether a process is there and has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
