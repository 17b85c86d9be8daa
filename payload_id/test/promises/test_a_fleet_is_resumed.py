"""A fleet that is interrupted goes on where it was; its rows are those of each recording alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset
import pytest

from .arms import START_NS, Arm, drawn_payload
from .command_line import payload_id, process
from .recorded import noise_only, noisy, write_bag

pytestmark = pytest.mark.slow  # nodes in real time, or processes

ARM, NOISE = Arm(), 0.02
METHOD = ("--robot", "kinova_gen3", *noise_only(NOISE), "--intervals", "hull_lp")
NAMES = ("m", "hx", "hy", "hz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
OF_THE_RUN = ("seconds_used", "evidence")  # what differs though the result is the same
PROGRAM = (
    "import sys; from importlib.metadata import entry_points as e; "
    "sys.exit(next(iter(e(group='console_scripts', name='payload-id'))).load()())"
)


@pytest.fixture(scope="module")
def payloads() -> dict[str, np.ndarray]:
    """Return what the arm carried in each recording, twice the same."""
    first, other = (drawn_payload(np.random.default_rng(k)) for k in (4, 5))
    return {"run_0": first, "run_1": first, "run_2": other}


@pytest.fixture(scope="module")
def bags(payloads, tmp_path_factory) -> Path:
    """Return a folder of recordings, two in MCAP and one in SQLite, and a file that is none."""
    folder = tmp_path_factory.mktemp("fleet") / "bags"
    folder.mkdir()
    for k, (name, phi) in enumerate(payloads.items()):
        rng = np.random.default_rng(k)
        motion = ARM.motion(rng, 1.0)
        tau = noisy(rng, ARM.torques(motion, phi), NOISE)
        write_bag(folder / name, ARM, motion, tau, ("mcap", "sqlite3", "mcap")[k])
    (folder / "broken.mcap").write_bytes(b"\x89MCAP0\r\n" + bytes(200))
    return folder


def command(bags: Path, out: Path) -> list[object]:
    """Return the arguments that identify from all of them."""
    return ["identify", bags, *METHOD, "--out", out, "--workers", 1, "--json"]


def files(out: Path) -> dict[Path, int]:
    """Return all row files with the time of their last change."""
    return {x: x.stat().st_mtime_ns for x in out.glob("rows/**/*.parquet")}


def rows(out: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of a table by the name of their recording, read as anybody would."""
    table = pyarrow.dataset.dataset(out / "rows", format="parquet", partitioning="hive").to_table()
    kept = [{k: v for k, v in x.items() if k not in OF_THE_RUN} for x in table.to_pylist()]
    found = {Path(x["bag"]).name: x for x in kept}
    assert len(found) == len(kept)  # nothing twice
    return found


def killed_after_one_row(bags: Path, out: Path) -> None:
    """Begin, and kill the program with its workers once a first row is on disk."""
    line = [sys.executable, "-c", PROGRAM, *map(str, command(bags, out))]
    began = subprocess.Popen(line, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 120.0
        while not files(out):
            assert began.poll() is None and time.monotonic() < deadline, "no row on disk"
            time.sleep(0.01)
    finally:
        os.killpg(began.pid, signal.SIGKILL)
        began.wait()


@pytest.fixture(scope="module")
def resumed(bags, tmp_path_factory) -> tuple[Path, dict[Path, int]]:
    """Return the results of a run that was killed, and what had been written by then."""
    out = tmp_path_factory.mktemp("resumed")
    killed_after_one_row(bags, out)
    return out, files(out)


def fleet(*arguments: object) -> dict[str, Any]:
    """Call `payload-id identify`; return what it says."""
    answer = process(*arguments)
    assert answer.code == 0, answer.text
    return json.loads(answer.out)


@pytest.fixture(scope="module")
def said(resumed, bags) -> dict[str, Any]:
    """Return what the same command says when it is given again."""
    return fleet(*command(bags, resumed[0]))


@pytest.fixture(scope="module")
def undisturbed(bags, tmp_path_factory) -> Path:
    """Return the results of a run that nothing interrupted."""
    out = tmp_path_factory.mktemp("undisturbed")
    fleet(*command(bags, out))
    return out


def test_the_same_command_given_again_identifies_nothing_twice(resumed, said):
    out, before = resumed
    assert 0 < len(before) < 4, "killed too late"
    after = files(out)
    assert all(after[path] == changed for path, changed in before.items())  # not written again
    assert said["kept"] == len(before) and said["kept"] + said["made"] == 4


def test_an_interrupted_run_ends_with_the_rows_of_an_uninterrupted_one(resumed, said, undisturbed):
    assert rows(resumed[0]) == rows(undisturbed)


def test_each_row_is_what_replay_says_of_the_recording_and_contains_the_truth(
    undisturbed, payloads, capsys
):
    found = rows(undisturbed)
    for name in ("run_0", "run_1"):  # one of each format
        row = found[name]
        replayed = json.loads(payload_id(capsys, "identify", row["bag"], *METHOD, "--json").out)
        for key, end in (("phi", ""), ("lower", "_lower"), ("upper", "_upper")):
            assert [row[f"{x}{end}"] for x in NAMES] == replayed[key]
        assert (row["verdict"], row["message"]) == (replayed["status"], replayed["message"])
        assert row["samples"] == replayed["samples"] == 250
        assert row["rate"] == pytest.approx(250.0, rel=0.01)
        assert (row["robot"], row["day"]) == ("kinova_gen3", "2023-11-14")
        assert row["began"].timestamp() == pytest.approx(START_NS / 1e9)
        assert (payloads[name] >= replayed["lower"]).all(), name
        assert (payloads[name] <= replayed["upper"]).all(), name
        assert row["m_upper"] - row["m_lower"] < 0.5 * payloads[name][0]  # it says something


def test_a_broken_recording_is_named_and_in_nobodys_way(undisturbed, payloads):
    found = rows(undisturbed)
    assert set(found) == {*payloads, "broken.mcap"}
    broken = found.pop("broken.mcap")
    assert "broken.mcap" in broken["error"] and broken["verdict"] is None
    assert all(broken[x] is None for x in NAMES)
    assert all(x["error"] is None and x["verdict"] == "GOOD" for x in found.values())


@pytest.fixture(scope="module")
def labelled(undisturbed, bags, payloads, tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    """Return results of recordings that were moved, copied and labelled after they were made."""
    mine, out = tmp_path_factory.mktemp("moved"), tmp_path_factory.mktemp("labelled") / "results"
    shutil.copytree(undisturbed, out)
    for old, new in (("run_0", "first"), ("run_0", "its copy"), ("run_1", "second")):
        shutil.copytree(bags / old, mine / new)
    mass = payloads["run_0"][0]
    lines = [f"{x},box,{mass},21.5" for x in ("first", "its copy", "second")]
    (mine / "fleet.csv").write_text("\n".join(["bag,payload,known_mass,temperature", *lines, ""]))
    options = ("--out", out, "--workers", 1, "--json")
    return out, fleet("identify", "--manifest", mine / "fleet.csv", *METHOD, *options)


def test_copies_moves_and_labels_cost_no_new_identification(labelled, undisturbed, payloads):
    out, told = labelled
    assert (told["kept"], told["made"], told["copies"]) == (2, 0, 1)
    after, before = rows(out), rows(undisturbed)
    assert Path(after["first"]["copies"][0]).name == "its copy"
    for new, old in (("first", "run_0"), ("second", "run_1")):
        assert (after[new]["payload"], after[new]["temperature"]) == ("box", 21.5)
        assert after[new]["known_mass"] == payloads[old][0]
        assert [after[new][x] for x in NAMES] == [before[old][x] for x in NAMES]


def test_the_page_of_a_fleet_takes_runs_of_one_payload_together(labelled, payloads, capsys):
    out = labelled[0]
    assert payload_id(capsys, "report", out).code == 0
    page = next(out.glob("*.html")).read_text()
    page = re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]+>", " ", page, flags=re.DOTALL)
    said = " ".join(page.split())
    assert "1 error, 3 GOOD" in said and "broken.mcap was cut" in said
    assert "box 2 rows, 2 with intervals that count." in said
    mass, lower, upper = map(
        float, re.search(r"mass ([\d.]+) kg \[([\d.]+), ([\d.]+)\]", said).groups()
    )
    found = [rows(out)[x] for x in ("first", "second")]
    digit = 0.0005
    assert lower <= payloads["run_0"][0] + digit and payloads["run_0"][0] - digit <= upper
    assert lower <= mass <= upper
    assert lower >= max(x["m_lower"] for x in found) - digit
    assert upper <= min(x["m_upper"] for x in found) + digit
