"""A fleet on a local cluster: the same as `identify`, whatever is lost or broken."""

import json
import os
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import psutil
import pytest
from distributed import LocalCluster

from command_line import gen3_bag, run_here, torque_noise_only
from payload_id import RobotFile, Settings
from payload_id.cli.common.settings import with_changes
from payload_id.core.body.inertial import PARAMETERS, from_mass_com_inertia
from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.atomic_write import exclusive_lock
from payload_id.files.fleet.fleet_table import LOST, FleetTable
from payload_id.files.fleet.manifest import Entry
from payload_id.fleet import AT_CHANGES, FleetJob, Method, cluster_client, identify_fleet

PAYLOAD = from_mass_com_inertia(1.4, [0.02, -0.03, 0.09], np.diag([0.004, 0.005, 0.003]))
NOISE = torque_noise_only(0.02)
CHANGES = [each.removeprefix("--uncertainty=") for each in NOISE]
COUNT, SECONDS = 2, 0.7  # recordings, and how long each is
QUICK = "least_squares_image"  # intervals: what is looked at is how results are kept
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
    return Method(robot, Settings(with_changes(robot.uncertainty, CHANGES), intervals=QUICK))


def jobs(bags, method, **said):
    """Return a job for each recording of a folder."""
    return [FleetJob(Entry(str(path), **said), method) for path in sorted(bags.iterdir())]


def rows(table):
    """Return the rows of a table without what differs from run to run."""
    return [{name: value for name, value in row.items() if name not in NOT_COMPARED}
            for row in table.read().to_pylist()]  # fmt: skip


def identified(jobs, folder, client):
    """Return the rows of some jobs in a table of their own."""
    table = FleetTable.at(folder)
    identify_fleet(jobs, table, client)
    return rows(table)


def replayed(capsys, bag, *options):
    """Return what `identify` finds in a recording."""
    robot = ("--robot", "kinova_gen3", *NOISE, "--intervals", QUICK)
    return json.loads(run_here(capsys, "identify", bag, *robot, "--json", *options).stdout)


def assert_replayed(row, found):
    """Raise unless a row says what `identify` says, to the last bit."""
    assert row["verdict"] == found["status"] and row["message"] == found["message"]
    assert [row[name] for name in PARAMETERS] == found["phi"]
    for end in ("lower", "upper"):
        assert [row[f"{name}_{end}"] for name in PARAMETERS] == found[end]


def test_stretches_of_a_length_are_those_of_replay_too(bags, method, client, tmp_path, capsys):
    cut = replace(method, segments=0.3)
    one, two = identified([FleetJob(Entry(str(bags / "run_0")), cut)], tmp_path, client)
    assert (one["segment"], two["segment"]) == (0, 1)
    assert one["end"] <= 0.3 <= two["start"]
    assert_replayed(one, replayed(capsys, one["bag"], "--from", "0", "--to", "0.3"))


def test_a_change_of_the_payload_cuts_a_recording(method, client, tmp_path):
    bag = tmp_path / "changed"
    gen3_bag(bag, PAYLOAD, 3, 0.3, 4.0, 0.02, later=2.5 * PAYLOAD)
    cut = replace(method, settings=replace(method.settings, window=0.2), segments=AT_CHANGES)
    found = identified([FleetJob(Entry(str(bag)), cut)], tmp_path / "results", client)
    assert [row["segment"] for row in found] == [0, 1], found[0]["message"]
    assert found[0]["end"] <= 2.1 and 1.8 < found[1]["start"] < 2.4
    for row, phi in zip(found, (PAYLOAD, 2.5 * PAYLOAD), strict=True):
        assert row["m_lower"] <= phi[0] <= row["m_upper"], row["message"]


def test_a_tare_and_a_bare_arm_count(bags, method, client, tmp_path):
    gen3_bag(tmp_path / "bare", np.zeros(10), 9, 0.3, SECONDS, 0.02)
    stated = with_changes(method.robot.uncertainty, [*CHANGES, "torque_offset=0.5"])
    exact = replace(method.settings, uncertainty=stated, intervals="hull_lp")
    loose = replace(method, settings=exact)
    bag, bare = str(bags / "run_0"), str(tmp_path / "bare")
    tared, alone, untared = (
        identified([FleetJob(entry, loose)], tmp_path / f"results_{number}", client)[0]
        for number, entry in enumerate(
            (Entry(bag, tare=(bare,)), Entry(bare, known_mass=0.0), Entry(bag))
        )
    )
    assert tared["tare"] == [bare] and alone["tare"] == []
    assert tared["m_upper"] - tared["m_lower"] < untared["m_upper"] - untared["m_lower"]


# What is kept


def test_other_settings_replace_results(bags, method, client, tmp_path):
    table, (job, *_) = FleetTable.at(tmp_path), jobs(bags, method)
    identify_fleet([job], table, client)
    first = rows(table)
    longer = replace(method, settings=replace(method.settings, window=0.05))
    done = identify_fleet([replace(job, method=longer)], table, client)
    assert (done.kept, done.made) == (0, 1)
    assert len(table.places()) == 1 and rows(table) != first


class Deadly(Method):
    """Kills the worker that reads a recording named so, and every recording otherwise as usual."""

    def read(self, path):
        if "deadly" in path.name:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().read(path)


def test_a_recording_that_kills_its_workers_costs_its_own_row(
    bags, method, client, tmp_path, monkeypatch
):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 1)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    mine = tmp_path / "bags"
    shutil.copytree(bags / "run_0", mine / "good")
    shutil.copytree(bags / "run_1", mine / "deadly")
    table = FleetTable.at(tmp_path / "results")
    try:
        done = identify_fleet(jobs(mine, Deadly(method.robot, method.settings)), table, client)
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
    assert (done.made, done.lost) == (1, 1)
    found = {Path(row["bag"]).name: row for row in rows(table)}
    assert "were lost" in found["deadly"]["error"] and found["good"]["verdict"] is not None
    (key,) = (key for key in table.places() if key.startswith(LOST))
    done = identify_fleet(jobs(mine, method), table, client)  # a cure: it is tried again
    assert (done.kept, done.made, done.lost) == (1, 1, 0)
    assert key not in table.places()


# Where it runs


def test_a_local_cluster_listens_to_this_machine_alone_and_stands_beside_others(client):
    with cluster_client(workers=1) as other:
        assert other.scheduler_info()["address"] != client.scheduler_info()["address"]
        family = psutil.Process().children(recursive=True) + [psutil.Process()]
        heard = [each for process in family for each in process.net_connections("tcp")
                 if each.status == psutil.CONN_LISTEN]  # fmt: skip
    assert len(heard) >= 4
    assert {each.laddr.ip for each in heard} == {"127.0.0.1"}


@pytest.fixture(scope="module")
def scheduler():
    """Return the address of a scheduler that runs already."""
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_workers_of_a_scheduler_that_runs_already_find_the_same(bags, scheduler, tmp_path, capsys):
    done = run_here(
        capsys, "identify", bags, "--robot", "kinova_gen3", *NOISE, "--intervals", QUICK,
        "--out", tmp_path, "--scheduler", scheduler,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = rows(FleetTable.at(tmp_path))
    assert len(found) == COUNT
    assert_replayed(found[0], replayed(capsys, found[0]["bag"]))


def test_two_runs_do_not_write_into_one_folder(bags, method, client, tmp_path):
    table = FleetTable.at(tmp_path)
    with (
        exclusive_lock(table.folder, wait=False),
        pytest.raises(ConfigurationError, match="Another process writes"),
    ):
        identify_fleet(jobs(bags, method), table, client)


def test_a_fleet_without_one_usable_recording_says_why_and_ends_with_two(
    scheduler, tmp_path, capsys
):
    manifest = tmp_path / "fleet.csv"
    manifest.write_text(f"bag\n/dev/zero\n{tmp_path / 'absent.mcap'}\n")
    done = run_here(
        capsys, "identify", "--manifest", manifest, "--robot", "kinova_gen3",
        "--out", tmp_path / "none", "--scheduler", scheduler,
    )  # fmt: skip
    said = " ".join(done.stdout.split())
    assert done.returncode == 2
    assert "2 error" in said and "No recording could be used" in said
