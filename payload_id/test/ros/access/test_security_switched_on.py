"""With DDS security on: each role can do what it may, and whoever has no keys sees nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import PATIENCE, NodeProcess
from keystore import make_keystore
from payload_id.ros.access.policy import enclaves
from promises.nodes import next_domain

DOMAIN = next_domain()
PROBE = "import rclpy; rclpy.init(); rclpy.create_node('payload_client')"


def secured(keystore: Path, enclave: str) -> dict[str, str]:
    """Return an environment in which ROS takes the keys of an enclave."""
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(DOMAIN),
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        "ROS_SECURITY_KEYSTORE": str(keystore),
        "ROS_SECURITY_ENCLAVE_OVERRIDE": f"/payload_id/{enclave}",
    }


def run(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments to its end."""
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip


@pytest.fixture(scope="module")
def keystore(tmp_path_factory) -> Path:
    """Return keys of all enclaves, where the middleware has the plugins to use them."""
    folder = make_keystore(tmp_path_factory.mktemp("keys"), enclaves({}), DOMAIN)
    probe = run(secured(folder, "reader"), "-c", PROBE)
    if "security libraries" in probe.stderr or "not built with security" in probe.stderr:
        pytest.skip(
            "the middleware that is installed has no security plugins (those from PyPI have none; "
            "those of a ROS 2 installation have)"
        )
    assert probe.returncode == 0, probe.stderr
    return folder


@pytest.fixture(scope="module")
def nodes(keystore, tmp_path_factory) -> Iterator[list[NodeProcess]]:
    """Return sampler and estimator in one enclave, and the planner, in theirs."""
    folder, made = tmp_path_factory.mktemp("nodes"), []
    for name, enclave in (("identify", "identify"), ("planner", "payload_planner")):
        environment = secured(keystore, enclave)
        made.append(NodeProcess(name, DOMAIN, folder / name, environment=environment))
    yield made
    for process in made:
        process.stop()


def live(keystore: Path, role: str, *task: str) -> subprocess.CompletedProcess[str]:
    """Run `payload-id live` in the enclave of a role."""
    return run(secured(keystore, role), "-m", "payload_id", "live", *task)


@pytest.mark.slow
def test_roles_can_do_what_they_may_and_others_nothing(keystore, nodes):
    end = time.monotonic() + PATIENCE
    while (status := live(keystore, "reader", "status")).returncode or (
        "payload_planner" not in status.stdout
    ):
        assert all(node.alive for node in nodes), [node.printed for node in nodes]
        assert time.monotonic() < end, status
    assert "payload_sampler" in status.stdout and "payload_estimator" in status.stdout
    for role, task, refused in (
        ("reader", ("reset",), True),
        ("reader", ("plan",), True),
        ("operator", ("reset",), False),
        ("operator", ("plan",), True),
    ):
        done = live(keystore, role, *task)
        assert ("ROS refuses" in done.stderr) == refused, (role, task, done)
        assert done.returncode == (2 if refused else 0), (role, task, done)
    said = live(keystore, "mover", "plan")  # may; the planner itself refuses it without a cell
    assert "ROS refuses" not in said.stderr and "cell" in said.stderr, said
    without = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)}
    unknown = run(without, "-m", "payload_id", "live", "status")
    assert unknown.returncode == 2 and "Nobody publishes" in unknown.stdout, unknown
    assert all(node.alive for node in nodes)
