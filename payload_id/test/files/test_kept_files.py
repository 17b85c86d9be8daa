"""What is kept on disk comes back as it was; what was cut or changed is refused by name."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from known_payloads import draw
from payload_id.core.arm.arm_history import ArmHistory
from payload_id.core.arm.calibration import ArmEquations, Calibration
from payload_id.core.arm.effort_scale import JOINT_STATES, EffortScale
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.codec import digest
from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.headline import from_phi
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.identification.tare import Tare
from payload_id.core.knowledge.catalogue import knowledge_of
from payload_id.core.knowledge.convex import stated
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.team.bounds import RobotBounds, TeamBounds
from payload_id.core.team.online import TeamSettings
from payload_id.files.calibration_io.calibrated_robot import CALIBRATION, HISTORY
from payload_id.files.configuration import archive
from payload_id.files.configuration.archive import CONTENT, Archive
from payload_id.files.configuration.file_kind import ARCHIVE_HEAD
from payload_id.files.export.load_record import LoadRecord, record_path
from payload_id.files.runs.run_file import ARCHIVE as RUN
from payload_id.files.runs.run_file import EARLIER, FILE_NAME, RunFile, bag_of, run_in
from payload_id.files.teams.team_run import ARCHIVE as TEAM_RUN
from payload_id.files.teams.team_run import SavedTeamRun, TeamRun

ROWS, P, RUNS, JOINTS = 12, 2, 4, 2
OF_ONE_JOINT = 15 + 10  # parameters of an arm of one joint
START = 1_760_000_000_123_456_789
URDF = '<?xml version="1.0"?>\n<robot name="arm">\r\n  <link name="größe"/>\n</robot>\n'


def a_calibration() -> Calibration:
    rng = np.random.default_rng(2)
    stamp = np.arange(ROWS, dtype=float)
    t, d = rng.uniform(size=(2, ROWS))
    C, joint = rng.normal(size=(ROWS, OF_ONE_JOINT)), np.zeros(ROWS, dtype=int)
    return Calibration(
        digest="ab",
        joints=("a",),
        lower=np.append(np.full(OF_ONE_JOINT - 1, -1.0), -np.inf),
        upper=np.append(np.full(OF_ONE_JOINT - 1, 1.0), np.inf),
        estimate=rng.normal(size=OF_ONE_JOINT),
        uncertainty=Uncertainty(torque_gain=0.1).to_dict(),
        equations=ArmEquations(C, t, d, joint, stamp, stamp + 1.0),
        factors=rng.normal(size=(1, OF_ONE_JOINT + 1, OF_ONE_JOINT + 1)),
        counts=np.array([ROWS]),
        about={"recordings": ["x"]},
    )


def a_history() -> ArmHistory:
    """Return a history with NumPy's numbers wherever a program might put them."""
    rng = np.random.default_rng(1)
    stated = Uncertainty(torque_absolute=(np.float64(0.3), 1), torque_gain=np.float32(0.1))
    names = ("lower", "upper", "speed", "mean_speed", "noise")
    return ArmHistory(
        digest="ab",
        joints=("a", "b"),
        names=("u", "v", "w"),
        uncertainty=stated.to_dict(),
        effort={JOINT_STATES: EffortScale.of((0.1, -0.2), 0.0, JOINTS)},
        window=np.float64(0.2),
        factor=rng.normal(size=(3 + 11, 3 + 11)),
        rows=np.int64(50),
        inflation=np.float64(1.2),
        load_noise=np.float32(0.1),
        scores=np.where(rng.random((RUNS, 10)) < 0.5, np.nan, 1.0),
        masses=np.array([0.0, np.nan, 1.0, 2.0]),
        seconds=np.full(RUNS, 10.0),
        notes=("drifts",),
        about={"own": ["friction_"]},
        **{name: rng.uniform(1.0, 2.0, (RUNS, JOINTS)) for name in names},
    )


def a_tare() -> Tare:
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(ROWS, 10)), rng.normal(size=(ROWS, P))
    now, joint = np.arange(float(ROWS)), np.arange(ROWS) % 3
    rows = RowBlock(A, 0.0 * A, B, B[:, 0], np.ones(ROWS), joint, now, now + 0.1)
    return Tare(rows.with_payload(np.zeros(10)), Statistics.empty(P).add(rows, np.ones(10)), 5)


def a_shape() -> Shape:
    return Shape.from_hull(np.random.default_rng(2).uniform(-0.1, 0.1, (30, 3)))


def own(phi: cp.Variable) -> list[cp.Constraint]:
    """Return what somebody knows of a payload, in their own words."""
    return [cp.sum_squares(phi[1:4]) <= 0.01, cp.norm(phi[4:]) <= cp.min(phi[:1])]


def a_knowledge() -> Any:
    known, _ = draw("filled_container", np.random.default_rng(2))
    return knowledge_of({"tüb": known}).with_more(stated(own))


def an_estimate() -> Estimate:
    """Return an estimate of numbers that a text easily loses."""
    numbers = np.random.default_rng(2).integers(0, 2**64, 10, dtype=np.uint64).view(np.float64)
    lower = np.array([-np.inf, -0.0, 5e-324, 1e22, np.nan, *range(5)])
    return Estimate(
        numbers, lower, numbers, numbers > 0, Status.TOO_WIDE, "a: 'b' # c\nd", "lmi", "hull",
        false_samples={"stuck": 3}, noise_factor=np.float64(1 / 3),
        blame=(("joint_1", 0.1, 0.2, 1.0),), headline=from_phi("proof", *[np.eye(10)[0]] * 3),
    )  # fmt: skip


def a_run() -> RunFile:
    return RunFile(
        joints=("joint_1", "joint_2"),
        payload_frame="flange",
        urdf=URDF,
        effort_sign=(1.0, -1.0),
        start_ns=START,
        end_ns=START + 7_500_000_000,
        settings=Settings(
            Uncertainty(torque_absolute=(0.1, 1 / 3)), scales=(0.005, 1 / 3), shape=a_shape(),
            knowledge=a_knowledge(),
        ),
        updates=(10, 20, 75),
        tare=a_tare(),
        calibration=a_calibration(),
        result=an_estimate(),
    )  # fmt: skip


def a_run_of_a_team() -> SavedTeamRun:
    run = TeamRun(
        ("a", "b"), TeamBounds(robots={"b": RobotBounds(clock=1 / 3)}), PayloadPrior(),
        TeamSettings(), START,
    )  # fmt: skip
    return SavedTeamRun(run, run.estimator().update(), "ab", "0")


def a_record() -> LoadRecord:
    return LoadRecord("xarm", "/set_load", "2026-11-23", {"mass": 1.25}, {"mass": 0.5, "z": 30.0})


@dataclass(frozen=True)
class Kept:
    """One kind of file that the package writes and reads again."""

    make: Callable[[], Any]
    save: Callable[[Path, Any], Any]
    load: Callable[[Path], Any]
    name: str = "x.npz"


def of(archive: Archive[Any]) -> tuple[Callable[[Path, Any], Any], Callable[[Path], Any]]:
    """Return how an archive is saved and loaded."""
    return archive.save, archive.load


KEPT = {
    "calibration": Kept(a_calibration, *of(CALIBRATION)),
    "history": Kept(a_history, *of(HISTORY)),
    "run of one arm": Kept(a_run, *of(RUN)),
    "run of a team": Kept(a_run_of_a_team, *of(TEAM_RUN)),
    "load record": Kept(
        a_record, lambda path, record: record.save(path),
        lambda path: LoadRecord.load(path, "xarm"), "record.json",
    ),
}  # fmt: skip
ARCHIVES = {"calibration": CALIBRATION, "history": HISTORY, "run of one arm": RUN}


def saved(kind: str, folder: Path) -> tuple[Kept, Path, bytes]:
    """Return a kind of file, and the path and bytes of one."""
    kept = KEPT[kind]
    folder.mkdir()
    kept.save(folder / kept.name, kept.make())
    return kept, folder / kept.name, (folder / kept.name).read_bytes()


def test_what_is_kept_comes_back_as_it_was(tmp_path):
    for kind in KEPT:
        kept, path, _ = saved(kind, tmp_path / kind)
        assert digest(kept.load(path)) == digest(kept.make()), kind


def test_a_file_that_is_cut_or_missing_is_named(tmp_path):
    for kind in KEPT:
        kept, path, whole = saved(kind, tmp_path / kind)
        for size in np.linspace(0, len(whole) - 5, 8).astype(int):
            path.write_bytes(whole[:size])
            with pytest.raises(ConfigurationError, match=path.name):
                kept.load(path)
        path.unlink()
        with pytest.raises(ConfigurationError, match=path.name):
            kept.load(path)


def test_no_changed_bit_is_taken_for_what_was_saved(tmp_path):
    """Dates and names in an archive's heads may change, and spaces: they say nothing."""
    rng = np.random.default_rng(3)
    for kind in KEPT:
        kept, path, whole = saved(kind, tmp_path / kind)
        refused = 0
        for _ in range(25):
            changed = bytearray(whole)
            changed[rng.integers(len(whole))] ^= 1 << rng.integers(8)
            path.write_bytes(changed)
            try:
                assert digest(kept.load(path)) == digest(kept.make()), kind
            except ConfigurationError as error:
                assert path.name in str(error)
                refused += 1
        assert refused > 5, kind


# ------------------------------------------------------------------- archives that somebody made


def members(path: Path) -> dict[str, bytes]:
    """Return the files in an archive."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_members(path: Path, changed: dict[str, bytes]) -> None:
    """Write an archive of these files, with the digest that goes with them."""
    head = json.loads(changed[ARCHIVE_HEAD])
    others = {name: content for name, content in changed.items() if name != ARCHIVE_HEAD}
    found = hashlib.sha256()
    for name, content in others.items():
        found.update(f"{name} {len(content)}\n".encode() + content)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(ARCHIVE_HEAD, json.dumps({**head, "digest": found.hexdigest()}))
        for name, content in others.items():
            archive.writestr(name, content)


def refused(kept: Archive[Any], path: Path, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as error:
        kept.load(path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_an_archive_of_another_kind_or_format_or_with_a_changed_number_is_refused(tmp_path):
    for kind, kept in ARCHIVES.items():
        _, path, whole = saved(kind, tmp_path / kind)
        files = members(path)
        with_members(path, files)
        kept.load(path)
        head = json.loads(files[ARCHIVE_HEAD])
        for entry, value in {"kind": "robot", "format": 99, "digest": "ab"}.items():
            with zipfile.ZipFile(path, "w") as changed:
                changed.writestr(ARCHIVE_HEAD, json.dumps({**head, entry: value}))
                for name in [*files][1:]:
                    changed.writestr(name, files[name])
            refused(kept, path, f"a robot|99|{entry}")
        path.write_bytes(whole)
        with np.load(path) as arrays:  # which NumPy reads
            name, array = next((x, arrays[x]) for x in arrays.files if not x.endswith("json"))
        np.savez(path, **{name: array})
        refused(kept, path, "older version")


def test_no_entry_is_converted_or_filled_in_or_ignored(tmp_path):
    def change(of: Callable[[dict[str, Any]], Any]) -> None:
        content = json.loads(whole[CONTENT])
        of(content)
        with_members(path, {**whole, CONTENT: json.dumps(content).encode()})

    _, path, _ = saved("run of one arm", tmp_path / "run")
    whole = members(path)
    for of, words in (
        (lambda x: x.pop("topic"), "topic"),
        (lambda x: x["settings"].pop("level"), "level"),
        (lambda x: x.update(topik="x"), "topik"),
        (lambda x: x.update(start_ns=1.5), "start_ns"),
        (lambda x: x.update(start_ns=True), "start_ns"),
        (lambda x: x.update(joints="ab"), "joints"),
        (lambda x: x["settings"].update(window="0.1"), "window"),
        (lambda x: x["settings"].update(window=-1.0), "window"),
        (lambda x: x["settings"]["uncertainty"].update(torque_gain=None), "torque_gain"),
        (lambda x: x["result"].update(status="FINE"), "FINE"),
        (lambda x: x["tare"]["rows"].update(A=[[1.0]]), "array"),
        (lambda x: x["tare"]["rows"].update(A={"__array__": "nothing"}), "nothing"),
    ):
        change(of)
        refused(RUN, path, words)
    for content in (b"", b"abc", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',"):
        with_members(path, {**whole, "tare.rows.A.npy": content})
        refused(RUN, path, "run of one arm")


def test_an_archive_that_takes_too_much_memory_is_refused(tmp_path, monkeypatch):
    _, path, _ = saved("history", tmp_path / "x")
    monkeypatch.setattr(archive, "LARGEST", 100)
    refused(HISTORY, path, "at most 100")


# ------------------------------------------------------------------- runs of one recording


def test_another_run_of_the_same_recording_keeps_those_saved_before(tmp_path):
    folder = tmp_path / "bag"
    folder.mkdir()
    runs = [replace(a_run(), start_ns=START + k) for k in range(3)]
    for each in runs:
        each.save(folder)
        each.save(folder)  # replaces itself
    assert run_in(folder) == run_in(tmp_path) == folder
    assert digest(RunFile.load(folder)) == digest(runs[2])
    kept = sorted((folder / EARLIER).iterdir())
    assert [digest(RunFile.load(path)) for path in kept] == [*map(digest, runs[:2])]
    assert {bag_of(path) for path in (*kept, folder)} == {folder}
    assert runs[2].earlier_run(folder) is None
    assert runs[0].earlier_run(folder).name == str(runs[2].start_ns)
    assert [path.name for path in folder.iterdir() if path.is_file()] == [FILE_NAME]
    (folder / FILE_NAME).write_text("damaged")
    runs[2].save(folder)
    assert [path for path in (folder / EARLIER).iterdir() if "damaged" in path.name]
    with pytest.raises(RecordingError, match="missing"):
        a_run().save(tmp_path / "missing")


def test_a_record_of_another_arm_or_with_another_number_is_refused(tmp_path):
    _, path, _ = saved("load record", tmp_path / "record")
    with pytest.raises(ConfigurationError, match="xarm"):
        LoadRecord.load(path, "ur")
    places = ("", "/a_b", "/a/b", "/a", "/a/b_c", "/a_b/c")
    assert len({record_path(tmp_path, "ur", place) for place in places}) == len(places)
    entries = json.loads(path.read_text())
    for change in ({"before": {"mass": 1e300}}, {"digest": None}, {"digest": 1.0}):
        path.write_text(json.dumps({**entries, **change}))
        with pytest.raises(ConfigurationError, match=str(path)):
            LoadRecord.load(path, "xarm")
