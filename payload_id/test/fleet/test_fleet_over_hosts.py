"""Two workers on hosts of their own: the table is that of one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, torque_noise_only
from lossy_switch import LossySwitch, ended, obstacle
from payload_id import RobotFile, Settings
from payload_id.cli.common.arguments import with_changes
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.files.fleet.fleet_table import FleetTable
from payload_id.fleet import Method
from payload_id.fleet.identify_recording import identify_recording

PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.09], 0.004 * np.eye(3))
NOISE = torque_noise_only(0.02)
SCHEDULER = "tcp://10.92.0.1:8786"  # the first host of the switch
DASK = [sys.executable, "-m", "dask"]
COMMAND = Path(sys.executable).with_name("payload-id")
COUNT = 3


@pytest.mark.slow
def test_results_are_those_of_one_process(tmp_path: Path):
    if reason := obstacle():
        pytest.skip(f"no hosts of their own here: {reason}")
    bags = tmp_path / "bags"
    bags.mkdir()
    for k in range(COUNT):
        gen3_bag(bags / f"run_{k}", (1.0 + 0.1 * k) * PAYLOAD, k, 0.3, 0.7, 0.02)
    started: list[subprocess.Popen[str]] = []
    with LossySwitch(f"fleet{os.getpid() % 10000}_", 3, loss=0.0, delay=0.001) as switch:

        def begin(host: int, *words: object) -> subprocess.Popen[str]:
            command = switch.command(host, *map(str, words))
            with (tmp_path / f"log{len(started)}").open("w") as log:
                started.append(subprocess.Popen(command, stdout=log, stderr=log, text=True))
            return started[-1]

        try:
            begin(0, *DASK, "scheduler", "--host", "10.92.0.1", "--no-dashboard")
            for host in (1, 2):
                begin(host, *DASK, "worker", SCHEDULER, "--nthreads", 1, "--no-dashboard")
            fleet = begin(
                0, COMMAND, "fleet", bags,
                "--robot", "kinova_gen3", "--out", tmp_path / "out", "--scheduler", SCHEDULER,
                *NOISE,
            )  # fmt: skip
            code = fleet.wait(180.0)
        finally:
            ended(started)
    logs = [path.read_text() for path in sorted(tmp_path.glob("log*"))]
    assert code == 0, logs[-1]
    assert all(f"worker addr: tcp://10.92.0.{host}" in logs[0] for host in (2, 3)), logs[0]
    robot = RobotFile.load("kinova_gen3")
    changes = [each.removeprefix("--uncertainty=") for each in NOISE]
    method = Method(robot, Settings(with_changes(robot.uncertainty, changes)))
    table = FleetTable.at(tmp_path / "out")
    evidence = {row["bag"]: row["evidence"] for row in table.read(["bag", "evidence"]).to_pylist()}
    found = table.read().to_pylist()
    assert len(found) == COUNT
    for row in found:
        (alone,) = identify_recording(row["bag"], (), False, method).rows
        assert evidence[row["bag"]] == alone.pop("evidence")
        for name in alone.keys() - {"seconds_used", "began"}:
            assert row[name] == alone[name], name
