"""The demonstration as its user meets it: real nodes, a bag, a figure, and the same again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress

import numpy as np
import pytest

from command_line import run_without_ros
from payload_id.cli.demo.domain import free_domain
from payload_id.cli.demo.nodes import NODE

PARENT = (
    "import subprocess, sys, time\n"
    "node = subprocess.Popen([sys.executable, '-c', sys.argv[1], 'waits', 'argument'])\n"
    "time.sleep(600)"
)
NODE_MODULE = "import sys, time\nprint(*sys.argv[1:], flush=True)\ntime.sleep(600)\n"


@pytest.mark.slow
def test_the_demonstration_contains_its_truth_and_can_be_repeated_from_what_it_leaves(
    tmp_path, capsys
):
    command = [sys.executable, "-m", "payload_id", "demo", "--seed", "5", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    for words in ("seed 5", "contained", "verdict", "identical, bit for bit", "next:"):
        assert words in done.stdout
    assert "NO " not in done.stdout.split("verdict")[0]
    (folder,) = tmp_path.iterdir()
    assert (folder / "intervals.png").read_bytes().startswith(b"\x89PNG")
    truth = np.array(json.loads((folder / "truth.json").read_text())["payload"])
    result = json.loads(run_without_ros(capsys, "identify", folder / "bag", "--json").stdout)
    assert result["identical_to_live"] is True
    assert result["windows"] in (80, 81)  # of 0.1 s; a slow machine pauses the arm a little later
    assert (np.array(result["lower"]) <= truth).all() and (truth <= np.array(result["upper"])).all()
    assert not any("Traceback" in log.read_text() for log in (folder / "logs").iterdir())


def test_a_demonstration_takes_a_domain_in_which_nobody_is():
    left = free_domain()
    with ExitStack() as taken:
        for domain in range(1, 101):
            if domain != left:
                probe = taken.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                with suppress(OSError):  # another process has it
                    probe.bind(("", 7400 + 250 * domain + 10))
        assert free_domain() == left


def test_a_node_ends_with_a_demonstration_that_is_killed_and_can_end_nothing(tmp_path):
    (tmp_path / "waits.py").write_text(NODE_MODULE)
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", PARENT, NODE]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables)
    assert parent.stdout.readline() == "argument\n"  # the node runs, and has its arguments
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert parent.stdout.read() == ""  # returns once the node, which holds it too, has ended
    parent.stdout.close()
