"""Where ROS cannot start, a node says so in a sentence."""

import os
import subprocess
import sys

import pytest

NODE = (sys.executable, "-m", "payload_id.ros.sampler.node")


def refusal(*arguments: str, **variables: str) -> str:
    """Return what a node that cannot start says."""
    done = subprocess.run(
        [*NODE, *arguments], capture_output=True, text=True, timeout=120,
        stdin=subprocess.DEVNULL, env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (sentence,) = done.stderr.strip().splitlines()
    return sentence


@pytest.mark.slow
def test_where_ros_cannot_start_a_sentence_says_what_to_set(tmp_path):
    assert "Set ROS_LOG_DIR" in refusal(ROS_LOG_DIR="/proc/nowhere")
    for name, value in (("ROS_DOMAIN_ID", "233"), ("ROS_STATIC_PEERS", ";;no host here")):
        sentence = refusal(**{name: value})
        assert name in sentence and value.strip(";") in sentence
    file = tmp_path / "parameters.yaml"
    file.write_text("/**: {ros__parameters: {bag: []}}\n")
    assert "'bag' has no value" in refusal("--ros-args", "--params-file", str(file))
