"""Where ROS cannot start, commands and nodes say so in a sentence."""

import os
import subprocess
import sys

import pytest

COMMANDS = {
    "a command": ("payload_id", "live", "status"),
    "a node": ("payload_id.ros.sampler.node",),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_without_a_folder_for_logs_a_sentence_says_what_to_set(command):
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        env={**os.environ, "ROS_LOG_DIR": "/proc/nowhere"},
    )  # fmt: skip
    assert done.returncode in (1, 2)
    assert "ROS cannot start here" in done.stderr and "Set ROS_LOG_DIR" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize(
    "variable",
    [("ROS_DOMAIN_ID", "233"), ("ROS_DOMAIN_ID", "-1"), ("ROS_STATIC_PEERS", ";;no host here")],
)
def test_a_network_that_is_none_is_refused_before_it_ends_the_process(command, variable):
    done = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
        env={**os.environ, **dict([variable])},
    )  # fmt: skip
    assert done.returncode in (1, 2)
    (sentence,) = done.stderr.strip().splitlines()
    assert variable[0] in sentence and variable[1].strip(";") in sentence


@pytest.mark.slow
def test_a_parameter_without_a_value_is_named(tmp_path):
    file = tmp_path / "parameters.yaml"
    file.write_text("/**: {ros__parameters: {bag_storage: []}}\n")
    done = subprocess.run(
        [sys.executable, "-m", *COMMANDS["a node"], "--ros-args", "--params-file", str(file)],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 1
    (sentence,) = done.stderr.strip().splitlines()
    assert "'bag_storage' has no value" in sentence
