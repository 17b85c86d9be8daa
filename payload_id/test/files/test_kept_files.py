"""What is kept on disk comes back as it was; what was cut or changed is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from known_payloads import draw
from payload_id.core.arm.arm_history import ArmHistory
from payload_id.core.arm.calibration import ArmEquations, Calibration
from payload_id.core.arm.effort_scale import JOINT_STATES, EffortScale
from payload_id.core.body.shape import Shape
from payload_id.core.errors import ConfigurationError
from payload_id.core.identification.tare import Tare
from payload_id.core.knowledge.catalogue import knowledge_of
from payload_id.core.knowledge.convex import stated
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.statistics import Statistics
from payload_id.files.export.load_record import LoadRecord, record_path
from payload_id.files.knowledge.statement_file import load_knowledge, save_knowledge
from payload_id.files.learnt.calibration_file import load_calibration, save_calibration
from payload_id.files.learnt.history_file import load_history, save_history
from payload_id.files.runs.run_file import RunFile
from payload_id.files.runs.tare_file import load_tare, save_tare
from payload_id.files.shapes.shape_file import load_shape, save_shape

ROWS, P, RUNS, JOINTS = 12, 2, 4, 2
OF_ONE_JOINT = 15 + 10  # parameters of an arm of one joint
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


def a_run() -> RunFile:
    numbers = np.random.default_rng(2).integers(0, 2**64, 200, dtype=np.uint64).view(np.float64)
    return RunFile(
        joints=("joint_1", "joint_2"),
        payload_frame="flange",
        urdf=URDF,
        effort_sign=(1.0, -1.0),
        start_ns=1_760_000_000_123_456_789,
        end_ns=1_760_000_007_623_456_789,
        window=0.1,
        scales=(0.005, 1 / 3),
        uncertainty=Uncertainty(torque_absolute=(0.1, 1 / 3)).to_dict(),
        updates=(10, 20, 75),
        tare=a_tare(),
        knowledge=a_knowledge(),
        result={
            "lower": [-np.inf, -0.0, 5e-324, 1e22, *numbers[np.isfinite(numbers)].tolist()],
            "message": "a: 'b' # c\nd",
            "nothing": None,
        },
    )


def a_record() -> LoadRecord:
    return LoadRecord("xarm", "/set_load", "2026-11-23", {"mass": 1.25}, {"mass": 0.5, "z": 30.0})


def parts(value: Any) -> Any:
    """Return what of a value can be compared."""
    if not isinstance(value, Shape):
        return value
    return [np.asarray(getattr(value, entry.name)).tolist() for entry in fields(Shape)]


@dataclass(frozen=True)
class Kept:
    """One kind of file that the package writes and reads again."""

    make: Callable[[], Any]
    save: Callable[[Path, Any], Any]
    load: Callable[[Path], Any]
    name: str = "x.npz"


KEPT = {
    "calibration": Kept(a_calibration, save_calibration, load_calibration),
    "history": Kept(a_history, save_history, load_history),
    "tare": Kept(a_tare, save_tare, load_tare),
    "shape": Kept(a_shape, save_shape, load_shape),
    "knowledge": Kept(a_knowledge, save_knowledge, load_knowledge),
    "run": Kept(
        a_run, lambda path, run: run.save(path.parent), lambda path: RunFile.load(path.parent),
        "payload_id_run.yaml",
    ),
    "load record": Kept(
        a_record, lambda path, record: record.save(path),
        lambda path: LoadRecord.load(path, "xarm"), "record.json",
    ),
}  # fmt: skip
ARCHIVES = [kind for kind, kept in KEPT.items() if kept.name.endswith(".npz")]
SIGNED = ("calibration", "history")  # whose checksum tells any edit


def saved(kind: str, folder: Path) -> tuple[Kept, Path, bytes]:
    """Return a kind of file, and the path and bytes of one."""
    kept = KEPT[kind]
    folder.mkdir()
    kept.save(folder / kept.name, kept.make())
    return kept, folder / kept.name, (folder / kept.name).read_bytes()


def test_what_is_kept_comes_back_as_it_was(tmp_path):
    for kind in KEPT:
        kept, path, _ = saved(kind, tmp_path / kind)
        assert parts(kept.load(path)) == parts(kept.make()), kind


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
                assert parts(kept.load(path)) == parts(kept.make()), kind
            except ConfigurationError as error:
                assert path.name in str(error)
                refused += 1
        assert refused > 5, kind


# ------------------------------------------------------------------- archives that somebody made

ANY_LENGTH = ("points", "ellipsoids", "bodies")
MAY_BE_UNBOUNDED = ("row_dynamism", "z_")
WRONG = {
    "NaN": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.nan, x),
    "infinity": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.inf, x),
    "a scalar": lambda x: np.float64(1.0),
    "a row more": lambda x: np.concatenate([x, x[:1]]),
    "an axis more": lambda x: x[None],
    "texts": lambda x: x.astype(str),
    "other numbers": lambda x: x * 3 + 1,
}


def applies(kind: str, wrong: str, name: str, array: np.ndarray) -> bool:
    """Tell whether an array of an archive is none any more with a change."""
    if wrong in ("NaN", "infinity"):
        return array.size > 0 and array.dtype.kind == "f" and not name.startswith(MAY_BE_UNBOUNDED)
    if wrong == "a row more":
        return array.ndim > 0 and len(array) > 0 and name not in ANY_LENGTH
    if wrong == "other numbers":
        return kind in SIGNED and array.size > 0 and bool(np.isfinite(array).any())
    return wrong != "a scalar" or array.ndim > 0


def test_an_archive_that_no_writer_makes_is_refused_by_name(tmp_path):
    for kind in ARCHIVES:
        kept, path, _ = saved(kind, tmp_path / kind)
        with np.load(path) as archive:
            entries = dict(archive)
        numbers = {name: x for name, x in entries.items() if x.dtype.kind != "U"}
        for wrong, change in WRONG.items():
            tried = [name for name, x in numbers.items() if applies(kind, wrong, name, x)]
            assert tried or wrong == "other numbers", (kind, wrong)
            for name in tried:
                np.savez(path, **(entries | {name: change(numbers[name])}))
                with pytest.raises(ConfigurationError, match=str(path)) as error:
                    kept.load(path)
                assert kind in str(error.value) and "\n" not in str(error.value)


def edit(path: Path, key: str, value: Any, **arrays: np.ndarray) -> None:
    """Change an entry of an archive's text as an editor would."""
    with np.load(path) as archive:
        entries = dict(archive) | arrays
    (name,) = {"text", "about"} & set(entries)
    whole = json.loads(str(entries[name])) | {key: value}
    np.savez(path, **(entries | {name: np.array(json.dumps(whole))}))


def test_another_format_or_an_edited_text_is_refused(tmp_path):
    for kind in ("calibration", "history", "knowledge"):
        kept, path, whole = saved(kind, tmp_path / kind)
        for number in (0, 99, None, "1"):
            path.write_bytes(whole)
            edit(path, "format", number)
            with pytest.raises(ConfigurationError, match=path.name):
                kept.load(path)
    for key, value in {"inflation": 1.0, "joints": ["x", "y"], "notes": [], "effort": {}}.items():
        _, path, _ = saved("history", tmp_path / key)
        edit(path, key, value)
        with pytest.raises(ConfigurationError, match="checksum"):
            load_history(path)


IMPOSSIBLE = (
    {"factor": np.full((3 + 11, 3 + 11), np.nan)}, {"factor": np.ones((3, 3))},
    {"inflation": 0.0}, {"inflation": float("nan")}, {"load_noise": float("inf")}, {"rows": -5.0},
    {"window": 0.0}, {"seconds": np.zeros(RUNS)}, {"scores": np.full((RUNS, 10), np.inf)},
    {"joints": ("a", "b", "c")}, {"uncertainty": {"torque_gain": -1.0}},
    {"effort": {JOINT_STATES: EffortScale.of(1.0, 0.0, 3)}},
)  # fmt: skip


def test_a_history_of_numbers_that_none_has_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    for changes in IMPOSSIBLE:
        save_history(path, replace(a_history(), **changes))
        with pytest.raises(ConfigurationError, match="no readable history"):
            load_history(path)


def test_a_tare_with_numbers_below_zero_or_of_another_gain_is_refused(tmp_path):
    _, path, _ = saved("tare", tmp_path / "tare")
    with np.load(path) as archive:
        arrays = dict(archive)
    for name in ("row_d", "row_A_error", "row_joint", "statistics_counts"):
        np.savez(path, **(arrays | {name: arrays[name] - 99}))
        with pytest.raises(ConfigurationError, match=name):
            load_tare(path)
    tare = a_tare()
    rows = replace(tare.rows, gain_column=np.full(ROWS, P))
    with pytest.raises(ConfigurationError, match="gain"):
        load_tare(save_tare(path, Tare(rows, tare.statistics)))


def test_a_shape_that_was_kept_without_bodies_is_a_homogeneous_solid(tmp_path):
    _, path, _ = saved("shape", tmp_path / "shape")
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive if name != "bodies"}
    np.savez(path, **arrays)
    assert load_shape(path).bodies.shape == (0, 10)


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
