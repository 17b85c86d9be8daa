"""A fleet on a local cluster: the same as `replay`, whatever is interrupted, lost or broken."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import psutil
import pytest

from command_line import gen3_bag, run_here, torque_noise_only
from payload_id import RobotFile, Settings
from payload_id.cli.common.arguments import with_changes
from payload_id.core.body.inertial import PARAMETERS, from_mass_com_inertia
from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.whole_file import taken_by_one
from payload_id.files.fleet.fleet_table import LOST, OLD, FleetTable
from payload_id.files.fleet.manifest import Entry
from payload_id.fleet import AT_CHANGES, FleetJob, Method, cluster_client, identify_fleet

PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.09], np.diag([0.004, 0.005, 0.003]))
NOISE = torque_noise_only(0.02)
CHANGES = [each.removeprefix("--uncertainty=") for each in NOISE]
COUNT, SECONDS = 3, 0.7  # recordings, and how long each is
QUICK = "hull_lp"  # intervals, where only the keeping of results is looked at
NOT_COMPARED = ("seconds_used", "evidence")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    """Make some recordings; return their folder."""
    folder = tmp_path_factory.mktemp("fleet") / "bags"
    folder.mkdir()
    for k in range(COUNT):
        gen3_bag(folder / f"run_{k}", (1.0 + 0.1 * k) * PAYLOAD, k, 0.3, SECONDS, 0.02)
    return folder


@pytest.fixture(scope="module")
def client():
    with cluster_client(workers=1) as client:
        yield client


@pytest.fixture(scope="module")
def method():
    robot = RobotFile.load("kinova_gen3")
    return Method(robot, Settings(with_changes(robot.uncertainty, CHANGES)))


@pytest.fixture(scope="module")
def quick(method):
    return replace(method, settings=replace(method.settings, intervals=QUICK))


def jobs(bags, method, **said):
    return [FleetJob(Entry(str(path), **said), method) for path in sorted(bags.iterdir())]


def rows(table):
    return [{name: value for name, value in row.items() if name not in NOT_COMPARED}
            for row in table.read().to_pylist()]  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed(bags, method, client, tmp_path_factory):
    table = FleetTable.at(tmp_path_factory.mktemp("undisturbed"))
    done = identify_fleet(jobs(bags, method), table, client)
    assert (done.made, done.lost, done.part) == (COUNT, 0, 1.0)
    return table


def test_numbers_are_those_of_replay_bit_for_bit(undisturbed, capsys):
    for row in rows(undisturbed)[:2]:
        printed = run_here(capsys, "replay", row["bag"], "--robot", "kinova_gen3", *NOISE, "--json")
        found = json.loads(printed.stdout)
        assert row["verdict"] == found["status"] and row["message"] == found["message"]
        for k, name in enumerate(PARAMETERS):
            assert row[name] == found["phi"][k]
            assert (row[f"{name}_lower"], row[f"{name}_upper"]) == (
                found["lower"][k], found["upper"][k],
            )  # fmt: skip
        assert row["day"] == "2023-11-14" and row["robot"] == "kinova_gen3"
        assert row["joint_noise"] and len(row["torque_offset"]) == 7


def test_a_second_run_has_nothing_to_do_and_labels_follow(undisturbed, bags, method, client):
    before = rows(undisturbed)
    done = identify_fleet(jobs(bags, method, payload="box", known_mass=1.4), undisturbed, client)
    assert (done.kept, done.made) == (COUNT, 0)
    after = rows(undisturbed)
    assert {row["payload"] for row in after} == {"box"}
    labels = {"payload": None, "known_mass": None}
    assert [row | labels for row in after] == before
    identify_fleet(jobs(bags, method), undisturbed, client)
    assert rows(undisturbed) == before


def test_other_settings_replace_results_and_come_back(bags, quick, client, tmp_path):
    table = FleetTable.at(tmp_path)
    some = jobs(bags, quick)[:1]
    identify_fleet(some, table, client)
    first = rows(table)
    longer = replace(quick, settings=replace(quick.settings, window=0.05))
    identify_fleet([replace(some[0], method=longer)], table, client)
    assert len(table.places()) == len(table.places(OLD)) == 1
    assert rows(table) != first
    done = identify_fleet(some, table, client)
    assert (done.kept, done.made) == (1, 0) and rows(table) == first


def test_copies_moved_and_broken_recordings(bags, quick, client, tmp_path):
    mine = tmp_path / "bags"
    shutil.copytree(bags / "run_0", mine / "a")
    shutil.copytree(bags / "run_0", mine / "b")
    (mine / "broken.mcap").write_bytes(b"\x89MCAP0\r\n" + bytes(200))
    (mine / "empty").mkdir()
    table = FleetTable.at(tmp_path / "results")
    done = identify_fleet(jobs(mine, quick), table, client)
    assert (done.made, done.copies, done.lost) == (2, 1, 1)
    assert done.verdicts["error"] == 2
    found = {Path(row["bag"]).name: row for row in rows(table)}
    assert set(found) == {"a", "broken.mcap", "empty"}
    assert found["a"]["copies"] == [str(mine / "b")] and found["a"]["error"] is None
    assert "broken.mcap" in found["broken.mcap"]["error"]
    assert found["broken.mcap"]["verdict"] is None
    assert "no recording" in found["empty"]["error"]
    (mine / "a").rename(mine / "c")
    shutil.rmtree(mine / "b")
    done = identify_fleet(jobs(mine, quick), table, client)
    assert (done.kept, done.made, done.lost) == (2, 0, 1)
    names = {Path(row["bag"]).name for row in rows(table)}
    assert names == {"c", "broken.mcap", "empty"}


def test_a_tare_and_a_bare_arm_count(bags, quick, client, tmp_path):
    gen3_bag(tmp_path / "bare", np.zeros(10), 9, 0.3, SECONDS, 0.02)
    loose = replace(quick, settings=replace(quick.settings, uncertainty=with_changes(
        quick.robot.uncertainty, [*CHANGES, "torque_offset=0.5"])))  # fmt: skip
    table = FleetTable.at(tmp_path / "results")
    bag, bare = str(bags / "run_0"), str(tmp_path / "bare")
    entries = [Entry(bag, tare=(bare,)), Entry(bare, known_mass=0.0)]
    identify_fleet([FleetJob(entry, loose) for entry in entries], table, client)
    tared, alone = rows(table)[::-1] if "bare" in rows(table)[0]["bag"] else rows(table)
    assert tared["tare"] == [bare] and alone["tare"] == []
    untared = FleetTable.at(tmp_path / "untared")
    identify_fleet([FleetJob(Entry(bag), loose)], untared, client)
    (wide,) = rows(untared)
    assert tared["m_upper"] - tared["m_lower"] < wide["m_upper"] - wide["m_lower"]


class Deadly(Method):
    """Kills the worker that reads a recording named so, and every recording otherwise as usual."""

    def read(self, path):
        if "deadly" in path.name:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read(path)


def test_a_recording_that_kills_its_workers_costs_its_own_row(bags, quick, client, tmp_path):
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    mine = tmp_path / "bags"
    shutil.copytree(bags / "run_0", mine / "good")
    shutil.copytree(bags / "run_1", mine / "deadly")
    deadly = Deadly(quick.robot, quick.settings)
    table = FleetTable.at(tmp_path / "results")
    try:
        done = identify_fleet(jobs(mine, deadly), table, client)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert (done.made, done.lost) == (1, 1)
    found = {Path(row["bag"]).name: row for row in rows(table)}
    assert "were lost" in found["deadly"]["error"] and found["good"]["verdict"] is not None
    (key,) = (key for key in table.places() if key.startswith(LOST))
    done = identify_fleet(jobs(mine, quick), table, client)  # a cure: it is tried again
    assert (done.kept, done.made, done.lost) == (1, 1, 0)
    assert key not in table.places() and key not in table.places(OLD)


def test_a_run_that_is_killed_goes_on_where_it_was(bags, undisturbed, tmp_path):
    out = tmp_path / "results"
    command = [
        sys.executable, "-m", "payload_id", "fleet", str(bags), "--robot", "kinova_gen3", *NOISE,
        "--out", str(out), "--workers", "1", "--json",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    try:
        deadline = time.monotonic() + 120.0
        while time.monotonic() < deadline and not (
            (out / "rows").is_dir() and FleetTable.at(out).places()
        ):
            time.sleep(0.05)
        assert FleetTable.at(out).places(), "no result in two minutes"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    there = len(FleetTable.at(out).places())
    assert 0 < there < COUNT, "killed too late"
    done = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert done["kept"] >= there and done["kept"] + done["made"] == COUNT
    assert rows(FleetTable.at(out)) == rows(undisturbed)


def test_a_change_of_the_payload_cuts_a_recording(method, client, tmp_path):
    gen3_bag(tmp_path / "changed", PAYLOAD, 3, 0.3, 4.0, 0.02, later=2.5 * PAYLOAD)
    table = FleetTable.at(tmp_path / "results")
    coarse = replace(method.settings, intervals="least_squares_image", window=0.2)
    cut = replace(method, settings=coarse, segments=AT_CHANGES)
    identify_fleet([FleetJob(Entry(str(tmp_path / "changed")), cut)], table, client)
    found = rows(table)
    assert len(found) == 2, found[0]["message"]
    before, after = found
    assert (before["segment"], after["segment"]) == (0, 1)
    assert before["end"] <= 2.1 and 1.8 < after["start"] < 2.4
    for row, phi in ((before, PAYLOAD), (after, 2.5 * PAYLOAD)):
        assert row["m_lower"] <= phi[0] <= row["m_upper"], row["message"]


def test_a_local_cluster_listens_to_this_machine_alone_and_stands_beside_others(client):
    with cluster_client(workers=1) as other:
        assert other.scheduler_info()["address"] != client.scheduler_info()["address"]
        family = psutil.Process().children(recursive=True) + [psutil.Process()]
        heard = [each for process in family for each in process.net_connections("tcp")
                 if each.status == psutil.CONN_LISTEN]  # fmt: skip
    assert len(heard) >= 4
    assert {each.laddr.ip for each in heard} == {"127.0.0.1"}


def test_two_runs_do_not_write_into_one_folder(bags, method, client, tmp_path):
    table = FleetTable.at(tmp_path)
    with (
        taken_by_one(table.folder),
        pytest.raises(ConfigurationError, match="Another process writes"),
    ):
        identify_fleet(jobs(bags, method), table, client)


def test_stretches_of_a_length(bags, quick, client, tmp_path, capsys):
    table = FleetTable.at(tmp_path)
    cut = replace(quick, segments=0.3)
    identify_fleet([FleetJob(Entry(str(bags / "run_0")), cut)], table, client)
    one, two = rows(table)
    assert (one["segment"], two["segment"]) == (0, 1)
    assert one["end"] <= 0.3 <= two["start"]
    again = run_here(
        capsys, "replay", one["bag"], "--robot", "kinova_gen3", *NOISE, "--json",
        "--from", "0", "--to", "0.3", "--intervals", QUICK,
    )  # fmt: skip
    again = json.loads(again.stdout)
    assert None not in again["phi"]
    assert [one[name] for name in PARAMETERS] == again["phi"]


def test_a_fleet_without_one_usable_recording_says_why_and_ends_with_two(bags, tmp_path, capsys):
    manifest = tmp_path / "fleet.csv"
    manifest.write_text(f"bag\n/dev/zero\n{tmp_path / 'absent.mcap'}\n")
    call = ["fleet", "--manifest", manifest, "--robot", "kinova_gen3", "--workers", 1, "--out"]
    done = run_here(capsys, *call, tmp_path / "none")
    said = " ".join(done.stdout.split())
    assert done.returncode == 2
    assert "2 could not be had" in said and "No recording could be used" in said
    manifest.write_text(f"bag\n/dev/zero\n{bags / 'run_0'}\n")
    done = run_here(capsys, *call, tmp_path / "one")
    assert done.returncode == 0 and "/dev/zero is a device" in " ".join(done.stdout.split())
