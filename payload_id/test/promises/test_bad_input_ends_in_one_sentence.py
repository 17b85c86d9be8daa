"""What a person writes or gives wrongly ends in one sentence, or in the numbers of the intact file.

Each door is a file and the command that reads it. Files are cut, flipped, mistyped, exchanged; the
answer has exit code 2 and a short text that names the file and the thing, or it is right.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from payload_id import Recording, RobotFile, certify, motion_through

from .arms import Motion, drawn_payload
from .command_line import Answer, is_one_sentence, payload_id
from .own_arm import JOINTS, own_arm
from .recorded import columns_of, noisy, stamps_ns, write_bag, write_table

KNOWLEDGE = """---
weighed: {kind: known_mass, mass: 1.0, tolerance: 0.9}
middle: {kind: centre_in_box, lower: [-0.2, -0.2, 0.0], upper: [0.2, 0.2, 0.3]}
...
"""
CELL = """---
name: bench
clearance: 0.01
floor: -0.5
bodies:
  cabinet: {shape: box, size: [0.6, 0.4, 1.2], position: [3.0, 0.0, 0.6]}
...
"""
TEAM = """---
name: two
prior: {mass_max: 20.0, com_max: 1.5}
every_robot: {bounds: {force_absolute: 1.0}}
robots: {left: {}, right: {source: topics, topics: {wrench_sign: -1.0}}}
...
"""
RUNS = """---
runs:
  bare: {}
  bag: {mass: 1.0}
...
"""
MANIFEST = "bag,robot,known_mass\nbag,own_arm.yaml,1.0\n"


@dataclass(frozen=True)
class Door:
    """A file, and the command that reads it.

    Attributes:
        file: Its name.
        command: That reads it, words in capitals standing for paths.
        wrong: What to put in place of what, and what the answer must name.
        also: What else reads it, from Python: its path to something that can be compared.
    """

    file: str
    command: str
    wrong: tuple[tuple[str, str, str], ...] = ()
    also: Callable[[Path], Any] = lambda path: None


def read_table(columns: Path) -> str:
    """Return all numbers of the table, read with a file of columns."""
    recording = Recording.from_csv(columns.with_name("run.csv"), columns)
    parts = (recording.stamp, recording.q, recording.dq, recording.tau, recording.dropped)
    return repr([recording.joints, *(np.asarray(x).tolist() for x in parts)])


CHECK = "check run.csv --robot own_arm.yaml --columns columns.yaml --json"
REPLAY = "identify run.csv --robot own_arm.yaml --columns columns.yaml --json"
QUICK = f"{REPLAY} --intervals least_squares_image"
VERIFY = "certificate verify motion.json --samples 10 --json"
OF_RUNS = "--segments 0.3 --robot own_arm.yaml --out OUT.yaml"
NUMBER = "torque_relative: 0.02"
DOORS = {
    "robot file": Door(
        "own_arm.yaml", CHECK,
        ((NUMBER, "torque_relativ: 0.02", "torque_relativ"),
         (NUMBER, f"{NUMBER}\n  {NUMBER}", "torque_relative"),
         (NUMBER, "torque_relative: .nan", "torque_relative"),
         (NUMBER, "torque_relative: -0.1", "torque_relative"),
         (NUMBER, "torque_relative: 1.5", "torque_relative"),
         (NUMBER, "torque_relative: 2 %", "torque_relative"),
         (NUMBER, "torque_relative: [0.1, 0.2]", "torque_relative"),
         (NUMBER, "torque_relative: true", "torque_relative"),
         ("torque_absolute: 0.01", "torque_absolute: 1e400", "torque_absolute"),
         ("mass_max: 5.0", "mass_max: .inf", "mass_max"),
         ("joints: [shoulder", "joints: [shouldr", "shouldr_joint"),
         ("joints: [shoulder_joint, ", "joints: [upper_joint, shoulder_joint, ", "upper_joint"),
         ("payload_frame: tool", "payload_frame: tol", "tool"),
         ("urdf: own_arm.urdf", "urdf: other.urdf", "other.urdf"),
         ("urdf: own_arm.urdf\n", "", "urdf"), ("name: own_arm", "extends: own_arm.yaml", "extend"),
         ("sign: [1, -1, 1, -1]", "sign: [1, -1, 1]", "sign"),
         ("sign: [1, -1, 1, -1]", "sign: [1, -1, 1, -3]", "sign"),
         ("source: torque", "source: torqe", "source"), ("rate: 250.0", "rate: 0", "rate"),
         ("name: own_arm", "\tname: own_arm", "line")),
        lambda path: repr(RobotFile.load(path)),
    ),
    "columns": Door(
        "columns.yaml", CHECK,
        (("unit: s", "unit: parsec", "unit"), ("column: time", "column: tme", "tme"),
         ("position_{j}", "position_{k}", "position"), ("velocity_{j}", "velocity", "velocity"),
         ("shoulder_joint", "shoulder", "shoulder"), ("position_unit: rad", "unit: rad", "unit"),
         ("position_unit: rad", "position_unit: grad", "grad"),
         ("position_unit: rad", "effort_sign: [1, 1]", "effort_sign"),
         ("position_unit: rad", "effort_sign: .nan", "effort_sign"),
         ("position_unit: rad", "delimiter: ';'", "time"),
         ("position_unit: rad", "effort_source: current", "torque_constants"),
         ("position_unit: rad", "position_unit: rad\nposition_unit: deg", "position_unit")),
        read_table,
    ),
    "table": Door(
        "run.csv", CHECK,
        (("\n0.04,", "\n0.04,1.0,", "line 12"), ("\n0.04,", "\n", "line 12"),
         ("\n0.04,", "\nabc,", "line 12"), ("\n0.04,", "\n0.04x,", "line 12"),
         ("time,", "tme,", "time"), ("position_2", "position_1", "position_1"),
         ("torque_4", "torque4", "torque_4"), (",", ";", "time")),
        lambda path: read_table(path.with_name("columns.yaml")),
    ),
    "knowledge": Door(
        "payload.yaml", f"{QUICK} --payload payload.yaml",
        (("known_mass", "knwon_mass", "known_mass"), ("mass: 1.0", "mass: -1.0", "mass"),
         ("mass: 1.0", "mass: .nan", "mass"), ("mass: 1.0, ", "", "mass"),
         ("tolerance: 0.9", "tolerace: 0.9", "tolerace"), ("kind: known_mass, ", "", "kind"),
         ("upper: [0.2", "upper: [-0.5", "upper"), ("middle", "weighed", "weighed"),
         ("0.2, 0.3]", "0.2]", "upper")),
    ),
    "cell": Door(
        "cell.yaml", f"{VERIFY} --cell cell.yaml",
        (("name: bench\n", "", "name"), ("floor: -0.5\n", "", "floor"),
         ("floor: -0.5", "floor: low", "floor"), ("clearance: 0.01", "clearance: -1", "clearance"),
         ("clearance: 0.01", "clerance: 0.01", "clerance"), ("shape: box", "shape: bax", "bax"),
         ("0.4, 1.2]", "0.4]", "size"), ("size: [0.6", "size: [.nan", "size"),
         ("size: [0.6", "size: [1000.0", "size"), ("floor: -0.5", "floor: 0\nfloor: 0", "floor")),
    ),
    "team": Door(
        "team.yaml", "policy OUT --team team.yaml",
        (("robots: {left: {}, ", "robots: {left: {}, left: {}, ", "left"),
         ("force_absolute: 1.0", "force_absolute: -1.0", "force_absolute"),
         ("force_absolute", "force", "force"), ("source: topics", "source: topic", "source"),
         ("wrench_sign: -1.0", "wrench_sign: -2.0", "wrench_sign"), ("two", "[two]", "name"),
         ("com_max: 1.5", "com_max: .inf", "com_max"), ("every_robot", "every_robots", "robots")),
    ),
    "runs": Door(
        "runs.yaml", f"calibrate history --runs runs.yaml {OF_RUNS}",
        (("mass: 1.0", "mas: 1.0", "mas"), ("mass: 1.0", "mass: -1.0", "mass"),
         ("mass: 1.0", "mass: .nan", "mass"), ("bag:", "bags:", "bags"),
         ("{mass: 1.0}", "{payload: [1.0, 2.0]}", "payload"), ("runs:", "run:", "run")),
    ),
    "manifest": Door(
        "fleet.csv", "identify --manifest fleet.csv --out OUT --workers 1",
        (("known_mass", "knwon_mass", "knwon_mass"), ("known_mass", "robot", "robot"),
         ("1.0", "one", "known_mass"), ("1.0", "nan", "known_mass"), ("1.0", "-1.0", "known_mass"),
         ("bag,robot", "bags,robot", "bag"), ("own_arm.yaml", "other_arm.yaml", "other_arm.yaml"),
         ("own_arm.yaml,1.0", "own_arm.yaml", "columns")),
    ),
    "result": Door(
        "result.json", "load export result.json --as yaml --robot own_arm.yaml",
        (('"status": "', '"status": "VERY_', "VERY_"), ('"phi": [', '"phi": [1.0, ', "phi"),
         ('"phi": [', '"phi": [NaN, ', "NaN"), ('"lower": [', '"lower": ["1", ', "lower"),
         ('"payload_frame"', '"payload_fram"', "payload_frame"), ("{", "[", "result.json")),
    ),
    "truth": Door(
        "truth.json",
        "identify run.csv --robot own_arm.yaml --columns columns.yaml --compare --truth truth.json "
        "--json --estimator ols --intervals least_squares_image",
        (("1.0", "NaN", "NaN"), ('"phi"', '"ph"', "phi"), ("[1.0, ", "[", "ten numbers"),
         ("1.0", '"one"', "truth.json"), ("1.0", "1e999", "truth.json")),
    ),
    "certificate": Door(
        "motion.json", VERIFY,
        (('"format"', '"fromat"', "format"), ('"joints"', '"joint"', "joint"),
         ('"value": 2', '"value": "2', "motion.json"), ("{", "[", "motion.json")),
    ),
    "public key": Door("public_key.pem",
                       "certificate verify copy.json --samples 10 --json --key public_key.pem",
                       (("PUBLIC", "PRIVATE", "public_key.pem"), ("MCow", "MCoW", "public_key"))),
    "private key": Door("signing_key.pem", "certificate sign copy.json --key signing_key.pem",
                        (("PRIVATE", "PUBLIC", "signing_key"), ("MC4C", "MC4c", "signing_key"))),
    "description": Door(
        "own_arm.urdf", CHECK,
        (('type="revolute"', 'type="revolut"', "revolut"), ("</robot>", "", "own_arm"),
         ('mass value="2.0"', 'mass value="nan"', "shoulder"),
         ('mass value="2.0"', 'mass value="two"', "two"),
         ('mass value="2.0"', 'mass value="-2.0"', "shoulder"),
         ('parent link="base"', 'parent link="bse"', "bse"),
         ('axis xyz="0 0 1"', 'axis xyz="0 0 0"', "shoulder_joint"),
         ('axis xyz="0 0 1"', 'axis xyz="0 1"', "axis"),
         ('joint name="upper_joint"', 'joint name="lower_joint"', "lower_joint")),
    ),
    "macros": Door(
        "macros.urdf.xacro", "new-robot macros.urdf.xacro --out OUT.yaml",
        (("${height}", "${hight}", "hight"), ("${height}", "${1/0}", "macros.urdf.xacro"),
         ('<xacro:property name="height" value="0.2"/>', "<xacro:part/>", "part"),
         ("</robot>", "<xacro:include filename='more.xacro'/></robot>", "more.xacro")),
    ),
    "mesh": Door("box.stl", f"{QUICK} --payload lies_within.yaml",
                 (("-0.3 -0.3 -0.3", "nan -0.3 -0.3", "box.stl"),)),
}  # fmt: skip


class Files:
    """All of these files, intact, and what the commands then say."""

    def __init__(self, folder: Path) -> None:
        self.folder, rng = folder, np.random.default_rng(2)
        self.arm, self.phi = own_arm(folder), drawn_payload(rng, 0.6, 1.6)
        self.motion = self.arm.motion(rng, 1.0)
        self.tau = noisy(rng, self.arm.torques(self.motion, self.phi), 0.02)
        write_table(folder / "run.csv", self.motion, self.tau)
        write_bag(folder / "bag", self.arm, self.motion, self.tau)
        bare = noisy(rng, self.arm.torques(self.motion, np.zeros(10)), 0.02)
        write_bag(folder / "bare", self.arm, self.motion, bare)
        texts = {
            "columns.yaml": columns_of(JOINTS), "payload.yaml": KNOWLEDGE, "cell.yaml": CELL,
            "team.yaml": TEAM, "runs.yaml": RUNS, "fleet.csv": MANIFEST,
            "truth.json": json.dumps({"phi": [1.0, *self.phi[1:]]}), "box.stl": box(),
            "lies_within.yaml": "outside: {kind: shape, file: box.stl}",
        }  # fmt: skip
        for name, text in texts.items():
            (folder / name).write_text(text)
        urdf = (folder / "own_arm.urdf").read_text()
        urdf = urdf.replace('<robot name="own_arm">', '<robot name="own_arm" xmlns:xacro='
                            '"http://www.ros.org/wiki/xacro">\n<xacro:property name="height" '
                            'value="0.2"/>', 1)  # fmt: skip
        (folder / "macros.urdf.xacro").write_text(urdf.replace("0 0 0.2", "0 0 ${height}"))
        for name in ("motion.json", "copy.json"):
            certify(self.arm.name, motion_through([[0.0] * 4, [0.2] * 4], [3.0]),
                    cell=folder / "cell.yaml", save_as=folder / name)  # fmt: skip
        self.said: dict[str, tuple[Answer, Any]] = {}

    def prepare(self, capsys: Any) -> None:
        """Make what commands make, and hear what they say of intact files."""
        assert payload_id(capsys, "certificate", "new-key", self.folder / "keys").code == 0
        for name in ("public_key.pem", "signing_key.pem"):
            os.rename(self.folder / "keys" / name, self.folder / name)
        assert self.call(capsys, DOORS["private key"].command).code == 0
        told = self.call(capsys, QUICK)
        assert told.code == 0, told.text
        (self.folder / "result.json").write_text(told.out)
        for name, door in DOORS.items():
            if name != "manifest":  # which is a matter of its own
                self.said[name] = self.answer(capsys, door)
                assert self.said[name][0].code == 0, self.said[name]

    def call(self, capsys: Any, command: str) -> Answer:
        """Give a command in this folder."""
        for old in self.folder.glob("OUT*"):
            old.unlink() if old.is_file() else os.rename(old, old.with_name(f"old_{id(old)}"))
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            return payload_id(capsys, *command.split())
        finally:
            os.chdir(before)

    def answer(self, capsys: Any, door: Door) -> tuple[Answer, Any]:
        """Return what a command says, and what it writes, or else is read."""
        answer = self.call(capsys, door.command)
        if answer.code:
            return answer, None
        written = [x.read_bytes() for x in sorted(self.folder.glob("OUT*")) if x.is_file()]
        written += [x.read_bytes() for x in sorted(self.folder.glob("OUT/*.xml"))]
        return answer, [written, door.also(self.folder / door.file)]

    def with_content(self, capsys: Any, door: Door, content: bytes) -> tuple[Answer, Any]:
        """Return what is said of other content of a door's file, which is put back."""
        path = self.folder / door.file
        whole = path.read_bytes()
        path.write_bytes(content)
        try:
            return self.answer(capsys, door)
        finally:
            path.write_bytes(whole)

    def is_right(self, name: str, answer: Answer, more: Any) -> bool:
        """Whether an answer is that of the intact file."""
        intact, own = self.said[name]
        return answer.code == intact.code and (without_times(answer), more) == (
            without_times(intact), own,
        )  # fmt: skip


def box() -> str:
    """Return a box around the tool as a mesh of triangles."""
    corners = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.4)])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    lines = ["solid box"]
    for a, b, c, d in faces:
        for three in ((a, b, c), (a, c, d)):
            lines += ["facet normal 0 0 0", "outer loop"]
            lines += [f"vertex {' '.join(map(str, corners[k]))}" for k in three]
            lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid box", ""])


def without_times(answer: Answer) -> Any:
    """Return what was printed, but for how long something took."""
    if not answer.out.startswith("{"):
        return answer.out
    told = json.loads(answer.out)
    for one in [*told.get("estimators", ()), *told.get("intervals", ())]:
        if isinstance(one, dict):
            one.pop("seconds", None)
    return told


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Files:
    return Files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def files(made, capsys) -> Files:
    if not made.said:
        made.prepare(capsys)
    return made


def refused(answer: Answer, *names: str) -> bool:
    """Whether an answer is one sentence that names these; of `verify`, that it is not verified."""
    if answer.code == 1:
        told = json.loads(answer.out)
        said = " ".join(told["differences"])
        return not told["verified"] and all(x in said for x in names)
    return is_one_sentence(answer) and not answer.out and all(x in answer.text for x in names)


def test_every_mistake_is_named(files, capsys):
    for name, door in DOORS.items():
        whole = (files.folder / door.file).read_text()
        for old, new, word in door.wrong:
            assert old in whole, (name, old)
            answer, _ = files.with_content(capsys, door, whole.replace(old, new, 1).encode())
            assert refused(answer, word), (name, new, answer)
            if name not in ("columns", "description", "macros", "runs"):  # which do not fit others
                assert stem(door) in answer.text, (name, new, answer)


def stem(door: Door) -> str:
    return door.file.split(".")[0]


def test_a_file_that_is_missing_or_a_folder_or_empty_or_of_another_kind_is_named(files, capsys):
    noise = bytes(range(256)) * 2
    for name, door in DOORS.items():
        path = files.folder / door.file
        for content in (b"", b"\n", b"---\n...\n", noise, b"\xff\xfe\x00", b"- 1\n- 2\n", b"null"):
            answer, _ = files.with_content(capsys, door, content)
            assert refused(answer, stem(door)), (name, content[:9], answer)
        away = path.with_name("away")
        path.rename(away)
        assert refused(files.answer(capsys, door)[0], door.file), name
        path.mkdir()
        assert refused(files.answer(capsys, door)[0], stem(door)), name
        path.rmdir()
        away.rename(path)


SHOTS = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
WITH_AN_END = ("robot file", "columns", "knowledge", "cell", "team", "runs")
DIGESTED = ("certificate",)


def test_a_file_that_was_cut_off_is_refused_or_says_the_same(files, capsys):
    others = tuple(x for x in DOORS if x not in ("manifest", "table"))

    @SHOTS
    @given(st.sampled_from(others), st.floats(0.0, 1.0))
    def cut(name, part):
        whole = (files.folder / DOORS[name].file).read_bytes()
        answer, more = files.with_content(capsys, DOORS[name], whole[: int(part * len(whole))])
        right = files.is_right(name, answer, more)
        assert right or refused(answer, stem(DOORS[name])), (name, part, answer)

    cut()


def test_a_table_that_was_cut_off_is_refused_unless_whole_lines_are_left(files, capsys):
    whole = (files.folder / "run.csv").read_text()
    lines = whole.splitlines(keepends=True)
    rng = np.random.default_rng(0)
    for line in rng.integers(3, len(lines), 6):
        begin = len("".join(lines[:line]))
        inside = begin + rng.integers(1, lines[line].rindex(","))
        answer, _ = files.with_content(capsys, DOORS["table"], whole[:inside].encode())
        assert refused(answer, "run.csv", f"line {line + 1}"), answer
        _, more = files.with_content(capsys, DOORS["table"], whole[:begin].encode())
        if line > 30:
            kept = table_of(files, slice(line - 1))
            assert more[1] == kept
            within = whole[: begin + len(lines[line]) - 3].encode()  # the last number
            _, more = files.with_content(capsys, DOORS["table"], within)
            assert more[1].startswith(kept.removesuffix("{}]")) and more[1] != kept


def table_of(files: Files, rows: slice) -> str:
    """Return what `read_table` returns of some rows of what was written, without reading it."""
    m = files.motion
    parts = (m.time[rows], m.q[rows], m.dq[rows], files.tau[rows])
    return repr([JOINTS, *(x.tolist() for x in parts), {}])


def test_a_byte_that_is_another_is_refused_or_counts_as_what_it_says(files, capsys):
    """Where what is said is the same (a comment, a space), the numbers are; nowhere a traceback."""

    @SHOTS
    @given(
        st.sampled_from(tuple(x for x in DOORS if x != "manifest")),
        st.floats(0, 1),
        st.integers(0, 7),
    )
    def flip(name, part, bit):
        door = DOORS[name]
        whole = bytearray((files.folder / door.file).read_bytes())
        whole[int(part * (len(whole) - 1))] ^= 1 << bit
        answer, more = files.with_content(capsys, door, bytes(whole))
        assert "Traceback" not in answer.text and answer.code in (0, 1, 2, 3)
        if answer.code == 2 and name != "description":
            assert refused(answer), (name, answer)
        elif name in DIGESTED:
            assert files.is_right(name, answer, more) or answer.code == 1, (name, answer)
        elif name in WITH_AN_END:
            before = yaml.safe_load((files.folder / door.file).read_text())
            if yaml.safe_load(whole.decode()) == before:
                assert files.is_right(name, answer, more), (name, part, bit)

    flip()


def test_what_stands_in_files_is_what_commands_and_python_read(files, capsys):
    """The intact ones: other tests here compare with these."""
    assert files.said["table"][1][1] == table_of(files, slice(None))
    robot = RobotFile.load(files.arm.name)
    assert robot.uncertainty.torque_relative == 0.02 and robot.joints == JOINTS
    told = json.loads((files.folder / "result.json").read_text())
    assert (told["lower"] <= files.phi).all() and (files.phi <= told["upper"]).all()
    known = json.loads(files.said["knowledge"][0].out)
    assert known["lower"][0] >= max(0.1, told["lower"][0]) - 1e-9
    assert known["knowledge"] == ["weighed", "middle"]
    assert json.loads(files.said["cell"][0].out)["verified"] is True


# --------------------------------------------------------------------------------------- bags


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
def test_a_bag_that_was_cut_off_or_altered_gives_no_numbers_that_nobody_sent(
    files, capsys, tmp_path, storage
):
    bag = write_bag(tmp_path / "bag", files.arm, files.motion, files.tau, storage)
    (file,) = (x for x in bag.iterdir() if x.suffix in (".mcap", ".db3"))
    whole, sent = file.read_bytes(), sent_rows(files)
    assert numbers(bag, files) == sent
    metadata = (bag / "metadata.yaml").read_text()
    rng = np.random.default_rng(1)
    for part in rng.uniform(0, 1, 5):
        file.write_bytes(whole[: int(part * len(whole))])
        read_or_refused(bag, files, capsys, sent, bag.name)
    for at in rng.integers(0, len(whole), 5):
        flipped = bytearray(whole)
        flipped[at] ^= 0x10
        file.write_bytes(flipped)
        answer = check_of(bag, files, capsys)
        assert answer.code in (0, 2) and "Traceback" not in answer.text, (at, answer)
    file.write_bytes(whole)
    for wrong in ("", "---\n", metadata[: len(metadata) // 2], metadata.replace("topic", "topc"),
                  metadata.replace(file.name, "other.mcap"), "\x00\x01"):  # fmt: skip
        (bag / "metadata.yaml").write_text(wrong)
        read_or_refused(bag, files, capsys, sent, bag.name)
    (bag / "metadata.yaml").unlink()
    read_or_refused(bag, files, capsys, sent, bag.name)
    assert refused(payload_id(capsys, "check", bag, "--robot", files.arm.name, "--topic", "/jonit"),
                   "/joint_states")  # fmt: skip


def check_of(bag: Path, files: Files, capsys: Any) -> Answer:
    return payload_id(capsys, "check", bag, "--robot", files.arm.name, "--json")


def sent_rows(files: Files) -> list[Any]:
    """Return what was put into a bag, as it must come out again."""
    m = files.motion
    return [stamps_ns(m).tolist(), m.q.tolist(), m.dq.tolist(), files.tau.tolist()]


def numbers(bag: Path, files: Files) -> list[Any]:
    """Return what is read of a bag."""
    sign = tuple(files.arm.file.effort.sign)
    found = Recording.from_bag(bag, joints=JOINTS, effort_sign=sign)
    stamp = found.start_ns + np.rint(found.stamp * 1e9).astype(np.int64)
    return [x.tolist() for x in (stamp, found.q, found.dq, found.tau)]


def read_or_refused(bag: Path, files: Files, capsys: Any, sent: list[Any], *names: str) -> None:
    """Check that the first samples come out as they were sent, or a sentence."""
    answer = check_of(bag, files, capsys)
    if answer.code == 2 and not answer.out:
        assert refused(answer, *names), answer
        return
    found = numbers(bag, files)
    for one, all_of_it in zip(found, sent, strict=True):
        assert one == all_of_it[: len(one)]


def test_messages_that_cannot_be_used_are_left_out_and_counted(files, capsys, tmp_path):
    """NaN, doubled and old stamps: all others come out as they were sent."""
    m, tau = files.motion, files.tau.copy()
    tau[40], order = np.nan, np.r_[0:100, 99, 50, 100:250]
    motion = Motion(*(getattr(m, x)[order] for x in ("time", "q", "dq", "ddq")))
    bag = write_bag(tmp_path / "bag", files.arm, motion, tau[order])
    sign = tuple(files.arm.file.effort.sign)
    found = Recording.from_bag(bag, joints=JOINTS, effort_sign=sign)
    assert found.dropped == {"not_finite": 1, "duplicate": 1, "out_of_order": 1}
    kept = np.r_[0:40, 41:250]
    np.testing.assert_array_equal(found.tau, tau[kept])
    np.testing.assert_array_equal(found.q, m.q[kept])
    told = json.loads(check_of(bag, files, capsys).out)
    left_out = json.dumps([x for x in told["lines"] if x["subject"] == "left out"])
    assert all(x in left_out for x in ("not_finite", "duplicate", "out_of_order")), told


# ------------------------------------------------------------------------------------ options


def test_options_that_cannot_be_are_named(files, capsys):
    bag = "bag --robot own_arm.yaml"
    wrong = {
        "identfy": "identfy", "identify": "recording", "identify nowhere.csv": "nowhere.csv",
        "identify run.csv --robot own_arm.yaml": "--columns", "identify bag": "--robot",
        "identify run.csv --robot kinova_gen": "kinova_gen3", "replay run.csv": "identify",
        "certificate verify motion.json --samples x": "x",
        "load export result.json --as siemens": "siemens", "load export result.json": "--as",
        "identify bag --out OUT": "--robot", "report bag": "bag", "live statu": "status",
        f"calibrate noise {bag} --payload=1,2": "ten numbers",
        f"calibrate noise {bag} --lengths 0": "length",
        f"calibrate bounds {bag} --uncertainty=torque_offset=1 --out own_arm.yaml/x.yaml":
        "own_arm.yaml",
    }  # fmt: skip
    of_replay = {
        "--widnow 0.1": "--widnow", "--window 0": "window", "--window nan": "window",
        "--window long": "window", "--from 0.9 --to 0.1": "--from", "--from 90": "--from",
        "--estimator lmj": "lmi", "--intervals hul": "hull", "--payload-frame tol": "tool",
        "--uncertainty torque_absolut=1": "absolute", "--uncertainty torque_absolute": "NAME=VALUE",
        "--uncertainty torque_absolute=-1": "torque_absolute", "--figure a.txt": "a.txt",
        "--uncertainty torque_absolute=nan": "torque_absolute", "--also run.csv": "run.csv",
        "--uncertainty torque_absolute=1,2": "torque_absolute", "--scales -1": "scales",
        "--estimator point_masses": "shape", "--figure run.csv/a.png": "run.csv/a.png",
    }  # fmt: skip
    wrong |= {f"{REPLAY} {options}": word for options, word in of_replay.items()}
    for command, word in wrong.items():
        answer = files.call(capsys, command)
        assert is_one_sentence(answer) and word in answer.text, (command, answer)


def test_a_recording_without_use_is_named_with_the_cause(files, capsys, tmp_path):
    m, zero = files.motion, np.zeros_like(files.tau)
    silent = write_bag(tmp_path / "silent", files.arm, m, zero)
    assert refused(payload_id(capsys, "identify", silent, "--robot", files.arm.name), "zero")
    empty = write_bag(
        tmp_path / "empty",
        files.arm,
        Motion(*(x[:0] for x in (m.time, m.q, m.dq, m.ddq))),
        zero[:0],
    )
    assert refused(payload_id(capsys, "identify", empty, "--robot", files.arm.name), "empty")
    renamed = write_bag(tmp_path / "other", files.arm, m, files.tau)
    answer = payload_id(capsys, "identify", renamed, "--robot", "xarm7", "--topic", "/joint_states")
    assert refused(answer, "joint1"), answer
