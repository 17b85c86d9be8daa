"""Input that nobody would make on purpose, for every door of the library and the command line.

A door takes what Hypothesis has drawn. Whatever that is, it may end in three ways only: a
`PayloadIdError` with a sentence, exit code 0, 1, 2 or 3, or a result that keeps what is promised of
it. `DOORS` names them all; a short run is part of the tests, a long one is `benchmarks/fuzz.py`.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from hypothesis import strategies as st

from described_arms import BODY, COLUMNS, PARTS, ROBOT, arm, described, recording, table
from payload_id import (
    OnlineIdentifier,
    PayloadIdError,
    PayloadPrior,
    Recording,
    RobotFile,
    RobotModel,
    Settings,
    Uncertainty,
    WrenchUncertainty,
    identify,
    identify_static,
    identify_wrench,
    replay,
)
from payload_id.cli.identify.truth import read_truth
from payload_id.cli.main import main
from payload_id.files.export.exported import TARGETS, exported
from payload_id.files.export.loads.result_file import read_result
from payload_id.files.knowledge.knowledge_file import read_knowledge
from payload_id.files.recordings.write_bag import write_joint_states
from payload_id.files.runs.certificate_file import load_certificate
from payload_id.files.runs.run_file import RunFile
from payload_id.files.shapes.shape_file import ShapeSource

NUMBER = re.compile(rb"-?\d[\d.e+-]*")
WORDS = (
    "", " ", "0", "-0.0", "1", "-1", "1e-320", "1e9", "1e308", "-1e308", "1e400", "nan", "inf",
    "-inf", "NaN", "1,5", "1_0", "0x1f", "9" * 400, "yes", "null", "~", "true", "[]", "[[[]]]",
    "{}", "{a: 1}", "*a", "&a", "!!float x", "!!timestamp x", "!!binary x", "2024-13-45", "1:2:3",
    "<<", "? [a]", "'", '"', "\\", "../..", "/", ".", "\0", "\x1b[31m", "\ufeff", "\u202e", "é",
    "𝟙", "${x}", "$(x)", "<", ">", "&amp;", "&x;", "<!--", "]]>", "x" * 5000, "a\nb", "\r", "\t",
    ";", ",,,,", "{j}", "%s",
)  # fmt: skip
SOUND = (
    "0.5", "0.1", "0.02", "2", "10", "0.3,0.4", "lmi", "hull_lp", "tool", "upper", "k.yaml", "1e-3",
    "0,0,0,0,0,0", "1,0,0,0,0.1,0,0,0.1,0,0.1", "t.csv", "r.yaml", "c.yaml", "none, a test", "rad",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 3, 10**400, 1e-320, 1e308, float("nan"), float("inf"), 1 + 2j, "", "lmi",
    "x" * 5000, "a\0b", b"x", (), [], {}, {1}, [1, [2]], [None], ["a", 1], {"a": 1}, object(),
    np.array("a"), np.array([1 + 1j]), np.ma.masked_array([1.0], [True]), np.zeros((2, 2)),
    np.array([None]), len, Path("nothing"), Settings, range(3),
)  # fmt: skip
words, values = st.sampled_from(WORDS), st.sampled_from(VALUES)
numbers = st.floats() | st.integers() | st.sampled_from((1e-320, 1e300, -1e9))
sound = st.sampled_from(SOUND)
texts = sound | sound | words | st.text(max_size=30) | numbers.map(repr)


@dataclass(frozen=True)
class Door:
    """One way in.

    Attributes:
        name: Its name.
        drawn: What is drawn for it.
        enter: Takes that, and a folder for files; returns nothing, or an exit code.
    """

    name: str
    drawn: st.SearchStrategy[Any]
    enter: Callable[[Any, Path], Any]


def ending(door: Door, drawn: Any, folder: Path) -> str:
    """Return how a visit ended: "done", "refused" or "exit N".

    Raises:
        AssertionError: A sentence or an exit code is not as promised; everything else that is
            raised is a mistake, too.
    """
    try:
        code = door.enter(drawn, folder)
    except PayloadIdError as error:
        assert 5 < len(str(error)) < 20_000, str(error)[:500]
        return "refused"
    assert code in (None, 0, 1, 2, 3), code
    return "done" if code is None else f"exit {code}"


@st.composite
def mutated(draw: Any, whole: bytes) -> bytes:
    """Draw bytes like these: cut, doubled, flipped, with words in them."""
    data = bytearray(whole)
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 4)))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        size = draw(st.integers(1, 40))
        kind = draw(st.sampled_from(("number", "number", "flip", "cut", "double", "word", "end")))
        found = list(NUMBER.finditer(data)) if kind == "number" else []
        if found:
            start, end = found[at % len(found)].span()
            data[start:end] = draw(texts).encode("utf-8", "surrogatepass")
        elif kind == "flip" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del data[at : at + size]
        elif kind == "double":
            data[at:at] = data[at : at + size]
        elif kind == "word":
            data[at : at + draw(st.integers(0, 8))] = draw(texts).encode("utf-8", "surrogatepass")
        elif kind == "end":
            del data[at:]
    return bytes(data)


def like(whole: Callable[[], bytes]) -> st.SearchStrategy[bytes]:
    """Return what draws bytes like some that are made when they are first needed."""
    own = st.deferred(lambda: mutated(whole()))
    return st.one_of(own, own, own, own, st.binary(max_size=200))


@st.composite
def changed(draw: Any, whole: Callable[[], Any], others: st.SearchStrategy[Any]) -> Any:
    """Draw nested lists and sections like these, with some entries replaced or taken out."""
    content = copy.deepcopy(whole())
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        inner = content
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(inner[key], dict | list) and draw(st.integers(0, 3)):
                inner = inner[key]
                continue
            if draw(st.booleans()):
                inner[key] = draw(others)
            else:
                inner.pop(key)
            break
    return content


# ------------------------------------------------------------------------------- an arm and files


KNOWLEDGE = b"""weighed: {kind: known_mass, mass: 1.0, tolerance: 0.1}
middle: {kind: centre_in_box, lower: [-0.1, -0.1, 0], upper: [0.1, 0.1, 0.2]}
"""


@lru_cache
def certificate() -> dict[str, Any]:
    """Return the content of a saved certificate."""
    from tempfile import TemporaryDirectory

    from certificates import saved_certificate

    with TemporaryDirectory() as folder:
        content: dict[str, Any] = json.loads(saved_certificate(Path(folder) / "c").read_text())
    return content


@lru_cache
def bag(storage: str) -> tuple[str, bytes]:
    """Return name and bytes of the file in a bag of the recording."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        made = write_joint_states(Path(folder) / "bag", recording(), storage=storage)
        (file,) = (x for x in made.iterdir() if x.suffix in (".mcap", ".db3"))
        return file.suffix, file.read_bytes()


@lru_cache
def mesh(suffix: str) -> bytes:
    """Return a box as a mesh."""
    import trimesh

    made = trimesh.creation.box((0.1, 0.08, 0.2)).export(file_type=suffix[1:])
    return made.encode() if isinstance(made, str) else bytes(made)


# ------------------------------------------------------------------------------------- the doors


def check(samples: Any) -> None:
    """Identify from samples; the estimate is what is promised."""
    found = identify(samples, arm(), Uncertainty(torque_absolute=1.0), intervals="hull_lp")
    assert (found.lower <= found.upper).all(), found
    assert found.message
    json.dumps(found.to_dict(), allow_nan=False)


def enter_table(drawn: tuple[bytes, Any], folder: Path) -> None:
    """Read a table, and identify from it."""
    (folder / "t.csv").write_bytes(drawn[0])
    check(Recording.from_csv(folder / "t.csv", drawn[1]))


def enter_file(name: str, read: Callable[[Path], Any]) -> Callable[[bytes, Path], None]:
    """Return what writes a file and reads it."""

    def enter(drawn: bytes, folder: Path) -> None:
        (folder / "arm.urdf").write_text(described())
        (folder / name).write_bytes(drawn)
        read(folder / name)

    return enter


def enter_json(read: Callable[[Path], Any]) -> Callable[[Any, Path], None]:
    """Return what writes JSON and reads it."""
    return lambda drawn, folder: enter_file("x.json", read)(json.dumps(drawn).encode(), folder)


def result() -> dict[str, Any]:
    """Return what 'identify --json' prints of a payload."""
    phi = np.array([1.0, 0.01, 0.0, 0.02, 4e-3, 0.0, 0.0, 4e-3, 0.0, 3e-3])
    ends = {"phi": phi.tolist(), "lower": (phi - 0.01).tolist(), "upper": (phi + 0.01).tolist()}
    return {"status": "GOOD", "payload_frame": "tool", "identifiable": [True] * 10, **ends}


def enter_result(path: Path) -> None:
    """Read a result and export it, seen from the link that the tool is fixed to."""
    found = replace(read_result(path), urdf=described(), gravity=np.array([0.0, 0.0, -9.81]))
    for name in TARGETS:
        text = exported(found, name, frame="lower", rated_mass=5.0)
        assert "nan" not in text and "inf" not in text
        if not text.startswith("<"):
            yaml.safe_load(text)


def enter_urdf(drawn: str, folder: Path) -> None:
    """Read a robot description, as text and as a file."""
    (folder / "r.urdf").write_bytes(drawn.encode("utf-8", "surrogatepass"))
    for given in (drawn, folder / "r.urdf") if "<" in drawn else (folder / "r.urdf",):
        assert np.isfinite(RobotModel.from_urdf(given, "tool").link_phi).all()


def enter_bag(drawn: tuple[str, bytes], folder: Path) -> None:
    """Read a bag, and identify from it."""
    path = folder / f"bag{drawn[0]}"
    path.write_bytes(drawn[1])
    check(Recording.from_bag(path))


def enter_mesh(drawn: tuple[str, bytes, tuple[float, ...], float], folder: Path) -> None:
    """Read a shape."""
    suffix, data, pose, scale = drawn
    (folder / f"m{suffix}").write_bytes(data)
    shape = ShapeSource(str(folder / f"m{suffix}"), "hull", scale=scale, pose=pose).read()
    assert np.isfinite(shape.solid).all()


def enter_command(drawn: list[str], folder: Path) -> int:
    """Call the command line with options; its output has no traceback."""
    for name, content in (("t.csv", table()), ("r.yaml", ROBOT), ("k.yaml", KNOWLEDGE)):
        (folder / name).write_bytes(content)
    (folder / "arm.urdf").write_text(described())
    (folder / "c.yaml").write_text(json.dumps(COLUMNS))
    verb, *rest = drawn
    usual = {
        "identify": ["t.csv", "--robot", "r.yaml", "--columns", "c.yaml", "--json"],
        "identify --compare": [*"t.csv --robot r.yaml --columns c.yaml --estimator ols".split()],
        "calibrate noise": ["t.csv", "--robot", "r.yaml", "--columns", "c.yaml"],
        "certificate verify": ["c.yaml"],
        "certificate sign": ["c.yaml"],
    }
    out, err, before = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*verb.split(), *usual[verb], *rest])
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        os.chdir(before)
    assert "Traceback" not in err.getvalue()
    assert not set(err.getvalue()) & {"\0", "\x1b"}
    assert code != 2 or err.getvalue().strip()
    return code


def enter_python(drawn: tuple[str, Any], folder: Path) -> None:
    """Call the library with a value of any type."""
    CALLS[drawn[0]](drawn[1])


CALLS: dict[str, Callable[[Any], Any]] = {
    "recording": lambda x: identify(x, arm()),
    "robot": lambda x: identify(recording(), x),
    "model": lambda x: OnlineIdentifier(x, Settings()),
    "settings": lambda x: OnlineIdentifier(arm(), x),
    "samples": lambda x: OnlineIdentifier(arm(), Settings()).add(x),
    "tare": lambda x: OnlineIdentifier(arm(), Settings()).tare(x),
    "replayed": lambda x: list(replay(x, arm(), Settings(), [1])),
    "urdf": lambda x: RobotModel.from_urdf(x, "tool"),
    "frame": lambda x: RobotModel.from_urdf(described(), x),
    "joints": lambda x: RobotModel.from_urdf(described(), "tool", x),
    "gravity": lambda x: RobotModel.from_urdf(described(), "tool", None, x),
    "robot file": RobotFile.load,
    "of robot file": RobotModel.from_robot_file,
    "run file": RunFile.load,
    "table": lambda x: Recording.from_csv(x, COLUMNS),
    "columns": lambda x: Recording.from_csv("nothing.csv", x),
    "bag": Recording.from_bag,
    "part": lambda x: recording().between(x, x),
    "followed by": lambda x: recording().followed_by(x),
    "wrench": identify_wrench,
    "rests": identify_static,
    "uncertainty": Uncertainty.from_dict,
    "wrench uncertainty": WrenchUncertainty.from_dict,
    "mass_max": lambda x: PayloadPrior(mass_max=x),
    **{
        f"identify {key}": lambda x, key=key: identify(recording(), arm(), **{key: x})  # type: ignore[misc]
        for key in ("uncertainty", "estimator", "intervals", "window", "shape", "level",
                    "knowledge", "constraints", "scales")
    },
    **{
        f"samples {key}": lambda x, key=key: Recording(  # type: ignore[misc]
            **{**{k: getattr(recording(), k) for k in ("stamp", "q", "dq", "tau")}, key: x}
        )
        for key in ("stamp", "q", "dq", "tau", "joints", "dropped", "effort", "start_ns")
    },
    **{
        f"{kind.__name__} {x.name}": lambda v, kind=kind, name=x.name: kind(**{name: v})  # type: ignore[misc]
        for kind in (Uncertainty, WrenchUncertainty)
        for x in fields(kind)
        if x.init
    },
}  # fmt: skip
OPTIONS = (
    "--window", "--scales", "--from", "--to", "--level", "--estimator", "--intervals", "--shape",
    "--uncertainty", "--shape-pose", "--shape-scale", "--shape-density", "--shape-ellipsoids",
    "--knowledge", "--payload-frame", "--topic", "--truth", "--seed", "--samples", "--key",
    "--robot", "--columns", "--lengths", "--payload", "--also", "--wrench-sign", "--cell",
    "--static", "--json", "--nothing",
)  # fmt: skip
NAMES = tuple(x.name for x in fields(Uncertainty)) + ("prior.mass_max", "prior.com_max", "nothing")
bounds = st.tuples(st.sampled_from(NAMES), st.lists(texts, min_size=1, max_size=3)).map(
    lambda x: f"--uncertainty={x[0]}={','.join(x[1])}"
)
options = bounds | st.tuples(st.sampled_from(OPTIONS), texts).map("=".join)
parts = st.dictionaries(
    st.sampled_from((*BODY, *PARTS, "inertial")), texts, min_size=1, max_size=3
).map(lambda drawn: described(**drawn))
DOORS = (
    Door("table", st.tuples(like(table), st.just(COLUMNS)), enter_table),
    Door("columns", st.tuples(st.deferred(lambda: st.just(table())),
                              changed(lambda: COLUMNS, values | texts)), enter_table),
    Door("robot file", like(lambda: ROBOT), enter_file("r.yaml", RobotFile.load)),
    Door("knowledge file", like(lambda: KNOWLEDGE), enter_file("k.yaml", read_knowledge)),
    Door("certificate", changed(certificate, numbers | texts | st.none() | st.just([])),
         enter_json(load_certificate)),
    Door("truth", changed(lambda: {"mass": 1.0, "com": [0.0] * 3, "inertia": [[1.0] * 3] * 3},
                          numbers | texts | st.none()), enter_json(lambda x: read_truth(str(x)))),
    Door("result", changed(result, numbers | texts | st.none()), enter_json(enter_result)),
    Door("JSON text", like(lambda: b'{"phi": [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]}'),
         enter_file("x.json", lambda x: read_truth(str(x)))),
    Door("URDF parts", parts, enter_urdf),
    Door("URDF text", like(lambda: described().encode()).map(
        lambda x: x.decode("utf-8", "replace")), enter_urdf),
    Door("bag", st.sampled_from(("mcap", "sqlite3")).flatmap(
        lambda x: st.tuples(st.just(bag(x)[0]), mutated(bag(x)[1]))), enter_bag),
    Door("shape", st.sampled_from((".stl", ".obj", ".ply", ".off")).flatmap(
        lambda x: st.tuples(st.just(x), mutated(mesh(x)) | st.binary(max_size=200),
                            st.just(()) | st.tuples(*[numbers] * 6), st.just(1.0) | numbers)),
         enter_mesh),
    Door("command line", st.tuples(
        st.sampled_from(("identify", "identify --compare", "calibrate noise",
                         "certificate verify", "certificate sign")),
        st.lists(options, min_size=1, max_size=2)).map(lambda x: [x[0], *x[1]]), enter_command),
    Door("Python", st.tuples(st.sampled_from(sorted(CALLS)), values | numbers | texts),
         enter_python),
)  # fmt: skip
