"""Descriptions and recordings as people have them: read rightly, or what is doubtful is asked."""

from __future__ import annotations

import json
import os
import re
import struct
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
import yaml
from rosbags.rosbag1 import Writer as Ros1Writer
from rosbags.rosbag2 import Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from scipy.spatial.transform import Rotation

from .arms import Arm, Motion, drawn_payload
from .command_line import Answer, is_one_sentence, payload_id
from .own_arm import JOINTS, own_arm
from .recorded import JOINT_STATE, columns_of, noisy, signs, stamps_ns, write_bag, write_table

REPLAY = "identify", "--robot", "own_arm.yaml", "--intervals", "hull_lp", "--json"


@dataclass(frozen=True)
class Case:
    """A folder with an arm and a run of it."""

    folder: Path
    arm: Arm
    motion: Motion
    phi: np.ndarray
    tau: np.ndarray

    def changed(self, change: Callable[[str], str]) -> None:
        """Change the text of the description."""
        path = self.folder / "own_arm.urdf"
        path.write_text(change(path.read_text()))

    def stated(self, **entries: Any) -> None:
        """Add entries to the robot file."""
        path = self.folder / "own_arm.yaml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **entries}))

    def holds(self, answer: Answer) -> None:
        """Check that an answer is of intervals that hold the payload."""
        assert answer.code == 0, answer.text
        said = json.loads(answer.out)
        assert (said["lower"] <= self.phi).all() and (self.phi <= said["upper"]).all()
        assert said["phi"][0] == pytest.approx(self.phi[0], rel=0.05)


@pytest.fixture
def case(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(17)
    arm = own_arm(tmp_path)
    motion, phi = arm.motion(rng, 3.0, size=0.5), drawn_payload(rng, 0.8, 1.6)
    tau = noisy(rng, arm.torques(motion, phi), 0.01)
    write_table(tmp_path / "run.csv", motion, tau)
    (tmp_path / "columns.yaml").write_text(columns_of(JOINTS))
    return Case(tmp_path, arm, motion, phi, tau)


def with_masses(factor: float) -> Callable[[str], str]:
    """Return what multiplies all masses and moments of inertia of a description."""

    def change(urdf: str) -> str:
        names = r'(mass value|ixx|ixy|ixz|iyy|iyz|izz)="([^"]+)"'
        return re.sub(names, lambda x: f'{x[1]}="{factor * float(x[2]):.6g}"', urdf)

    return change


DOUBTED = {  # description that is no arm's: the words of the question
    "grams": (with_masses(1e-3), "weigh"),
    "tonnes": (with_masses(1e3), "weigh"),
    "placeholders": (lambda x: re.sub(r'mass value="(?!0.4)[^"]+"', 'mass value="2"', x)
                     .replace('mass value="0.4"', 'mass value="0"'), "placeholders"),
    "g mm2": (lambda x: re.sub(r'i(xx|yy|zz)="([^"]+)"',
                               lambda m: f'i{m[1]}="{1e6 * float(m[2]):g}"', x), "unit"),
}  # fmt: skip


def test_a_description_may_be_named_as_robot_descriptions_does(case, capsys, monkeypatch):
    """The package is there or not; what it cannot give is said in a sentence."""
    answer = payload_id(capsys, "new-robot", "own_arm_description")
    assert answer.code == 2 and is_one_sentence(answer), answer.text
    assert "robot_descriptions" in answer.err
    package = case.folder / "with" / "robot_descriptions"
    package.mkdir(parents=True)
    for name, text in (
        ("__init__", ""),
        ("own_arm_description", f"URDF_PATH = {str(case.folder / 'own_arm.urdf')!r}"),
        ("other_description", "MJCF_PATH = 'other.xml'"),
        ("far_description", "raise RuntimeError('no network')"),
    ):
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(package.parent)
    drafted = payload_id(capsys, "new-robot", "own_arm_description", "--out", "draft.yaml")
    assert drafted.code == 0 and (case.folder / "draft.yaml").is_file(), drafted.text
    for name, words in (("other", "another format"), ("far", "no network"), ("none", "No module")):
        answer = payload_id(capsys, "new-robot", f"{name}_description", "--out", "more.yaml")
        assert answer.code == 2 and words in answer.err and is_one_sentence(answer)


@pytest.mark.parametrize("kind", DOUBTED)
def test_masses_that_no_arm_has_are_asked_for_before_anything_is_identified(case, capsys, kind):
    change, words = DOUBTED[kind]
    case.changed(change)
    table = "run.csv", "--columns", "columns.yaml"
    drafted = payload_id(capsys, "new-robot", "own_arm.urdf", "--out", "draft.yaml")
    assert drafted.code == 0 and "--mass-factor" in drafted.text and words in drafted.text
    for robot in ("own_arm.yaml", "draft.yaml"):
        answer = payload_id(capsys, "identify", *table, "--robot", robot)
        assert is_one_sentence(answer) and "mass_factor" in answer.text and words in answer.text
    noise = payload_id(capsys, "calibrate", "noise", *table, "--robot", "own_arm.yaml")
    assert is_one_sentence(noise) and "mass_factor" in noise.text
    checked = payload_id(capsys, "check", *table, "--robot", "own_arm.yaml")
    assert checked.code == 2 and "mass_factor" in checked.text
    if kind == "grams":  # once the owner has said which, the numbers are right
        case.stated(mass_factor=1000.0)
        case.holds(payload_id(capsys, *REPLAY, *table))


def test_efforts_a_thousand_times_too_large_are_asked_for(case, capsys):
    write_table(case.folder / "run.csv", case.motion, 1000.0 * case.tau)
    made = "new-robot", "own_arm.urdf", "--table", "run.csv", "--payload-frame", "tool"
    answer = payload_id(capsys, *made, "--out", "draft.yaml")
    assert answer.code == 0 and "mN m" in answer.text and "mass_factor" in answer.text
    read = "run.csv", "--robot", "draft.yaml", "--columns", "draft_columns.yaml"
    answer = payload_id(capsys, "identify", *read)
    assert is_one_sentence(answer) and "'effort_sign'" in answer.text and "filled in" in answer.text


def test_a_rough_inertia_needs_an_error_that_allows_for_it(case, capsys):
    case.changed(lambda x: x.replace('iyy="0.01" iyz="0" izz="0.004"',
                                     'iyy="0.007" iyz="0" izz="0.002"'))  # fmt: skip
    table = "run.csv", "--columns", "columns.yaml"
    answer = payload_id(capsys, *REPLAY, *table)
    assert is_one_sentence(answer) and "lower_joint" in answer.text
    (least,) = re.findall(r"link_relative of at least ([\d.]+\d)", answer.text)
    case.holds(payload_id(capsys, *REPLAY, *table, f"--uncertainty=link_relative={least}"))
    drafted = payload_id(capsys, "new-robot", "own_arm.urdf", "--out", "draft.yaml")
    assert drafted.code == 0 and "link_relative" in drafted.text


def test_a_link_may_have_the_name_of_a_joint(case, capsys):
    case.changed(
        lambda x: x.replace('"flange"', '"wrist_joint"').replace('"tool"', '"lower_joint"')
    )
    case.stated(payload_frame="lower_joint", driver={})
    case.holds(payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml"))
    drafted = payload_id(capsys, "new-robot", "own_arm.urdf", "--out", "draft.yaml")
    assert drafted.code == 0, drafted.text


def test_lengths_that_no_arm_has_are_named(case, capsys):
    case.changed(lambda x: re.sub(r'(<origin xyz=")([^"]*)', lambda m: m[1] + " ".join(
        f"{1e3 * float(v):g}" for v in m[2].split()), re.sub(r"<inertial>.*?</inertial>", "", x,
                                                             flags=re.DOTALL)))  # fmt: skip
    for verb in (["new-robot", "own_arm.urdf", "--out", "draft.yaml"],
                 [*REPLAY, "run.csv", "--columns", "columns.yaml"]):  # fmt: skip
        answer = payload_id(capsys, *verb)
        assert is_one_sentence(answer) and "millimetres" in answer.text


LINKAGE = """<link name="rod"/><joint name="rod_joint" type="revolute"><parent link="shoulder"/>
<child link="rod"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<mimic joint="upper_joint" multiplier="-1"/></joint></robot>"""
WEIGHT = '<inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
GHOST = (
    """<joint name="{0}" type="fixed"><parent link="{0}"/><child link="base"/></joint></robot>"""
)


def ending(text: str) -> Callable[[str], str]:
    """Return what adds elements to a description."""
    return lambda urdf: urdf.replace("</robot>", text)


ODD = {  # what says nothing of the arm
    "a frame that is only named": ending(GHOST.format("world")),
    "limits left out": lambda x: re.sub(' effort="200" velocity="4"', "", x, count=1),
    "limits below zero": lambda x: x.replace('effort="200"', 'effort="-1"'),
    "ends in the wrong order": lambda x: x.replace('"-2.5" upper="2.5"', '"2.5" upper="-2.5"'),
    "products of inertia left out": lambda x: re.sub('i(xy|xz|yz)="0" ', "", x),
    "no limit": lambda x: re.sub("<limit [^>]*>", "", x, count=1),
    "prefixes that nothing declares": ending('<sim:plugin sim:name="a"/></robot>'),
    "no name": lambda x: x.replace('name="own_arm"', "", 1),
    "meshes elsewhere": lambda x: x.replace(
        '<sphere radius="0.06"/>', '<mesh filename="package://gone/a.stl"/>', 1),
    "meshes of a package that is not there": lambda x: x.replace(
        '<sphere radius="0.06"/>', '<mesh filename="$(find gone)/a.stl"/>', 1),
    "xacro in a .urdf": lambda x: x.replace('mass value="2.0"', 'mass value="${1 + 1}"'),
    "a fixed joint named like its link": lambda x: x.replace("flange_gripper", "gripper"),
    "a linkage": ending(LINKAGE),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_what_says_nothing_of_the_arm_does_not_refuse_it(case, capsys, kind):
    case.changed(ODD[kind])
    case.stated(limits={"use": "urdf", "sets": {"urdf": {
        "acceleration": [30.0] * 4, "velocity": [4.0] * 4, "effort": [200.0] * 4}}})  # fmt: skip
    case.holds(payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml"))
    drafted = payload_id(capsys, "new-robot", "own_arm.urdf", "--out", "draft.yaml")
    assert drafted.code == 0, drafted.text


def test_a_linkage_with_masses_or_a_load_is_named(case, capsys):
    case.changed(ending(LINKAGE.replace('name="rod"/>', f'name="rod">{WEIGHT}</inertial></link>')))
    drafted = payload_id(capsys, "new-robot", "own_arm.urdf", "--out", "draft.yaml")
    assert drafted.code == 0 and "rod_joint" in drafted.text and "3 kg" in drafted.text
    answer = payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml")
    assert is_one_sentence(answer) and "rod_joint" in answer.text
    case.stated(payload_frame="rod", driver={})
    answer = payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml")
    assert is_one_sentence(answer) and "rod_joint" in answer.text and "follows" in answer.text


PACKAGE = "<package format='3'><name>{}</name></package>"
INSTALLED = "share/ament_index/resource_index/packages"


@pytest.mark.parametrize("place", ["above", "beside", "installed"])
def test_a_downloaded_package_finds_itself_and_its_neighbours(case, capsys, monkeypatch, place):
    root = case.folder / "made" / "a_description"
    folder = {"above": root, "beside": root.with_name("a_parts"),
              "installed": case.folder / "prefix" / "share" / "a_parts"}[place]  # fmt: skip
    name = "a_description" if place == "above" else "a_parts"
    for at, called in ((root, "a_description"), (folder, name)):
        (at / "urdf").mkdir(parents=True, exist_ok=True)
        (at / "package.xml").write_text(PACKAGE.format(called))
    if place == "installed":
        index = case.folder / "prefix" / INSTALLED
        index.mkdir(parents=True)
        (index / name).write_text("")
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(case.folder / "prefix"), prepend=os.pathsep)
    (folder / "urdf" / "arm.xacro").write_text((case.folder / "own_arm.urdf").read_text())
    xacro = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'
    include = '<xacro:include filename="$(find {})/urdf/arm.xacro"/>'
    made = root / "urdf" / "whole.urdf.xacro"
    made.write_text(xacro.format(include.format(name)))
    answer = payload_id(capsys, "new-robot", made, "--out", "draft.yaml")
    assert answer.code == 0, answer.text
    made.write_text(xacro.format(include.format("nowhere")))
    answer = payload_id(capsys, "new-robot", made, "--out", "other.yaml")
    assert is_one_sentence(answer) and "'nowhere'" in answer.text and "beside" in answer.text


# -------------------------------------------------------------------------------------- mounting


def weighed(case: Case, gravity: tuple[float, ...], sign: float) -> np.ndarray:
    """Return torques of the arm with its payload in another gravity, times a sign."""
    model, m = case.arm.loaded(case.phi), case.motion
    model.gravity.linear = np.array(gravity)
    data = model.createData()
    tau = [pin.rnea(model, data, case.arm.configuration(q), v, a)
           for q, v, a in zip(m.q, m.dq, m.ddq, strict=True)]  # fmt: skip
    return sign * np.array(tau)


@pytest.mark.slow
def test_gravity_and_signs_are_told_apart_by_check_and_by_a_verdict_alike(case, capsys):
    read = "run.csv", "--robot", "own_arm.yaml", "--columns", "columns.yaml", "--json"
    up, ceiling, slope = (0.0, 0.0, -9.81), (0.0, 0.0, 9.81), (3.36, 0.0, -9.22)
    for gravity, sign, cause, words in (
        (ceiling, 1.0, "gravity direction", "180 deg off"),
        (slope, 1.0, "gravity direction", "20 deg off"),
        (up, -1.0, "torque sign", "all joints have the opposite sign"),
        (ceiling, -1.0, "torque sign and gravity", "180 deg off"),
        (up, 1.0, "", ""),
    ):
        tau = noisy(np.random.default_rng(3), weighed(case, gravity, sign), 0.01)
        write_table(case.folder / "run.csv", case.motion, tau)
        checked = payload_id(capsys, "check", *read)
        wrong = [x for x in json.loads(checked.out)["lines"] if x["verdict"] == "wrong"]
        said = json.loads(payload_id(capsys, "identify", *read).out)
        assert said["cause"] == cause and [x["subject"] for x in wrong] == [cause] * bool(cause)
        assert words in said["message"] and all(words in x["found"] for x in wrong)


# ---------------------------------------------------------------------------------------- tables


def as_log(text: str) -> str:
    """Return a table as a logger writes it: names behind %, blanks, time in two columns."""
    lines = [line.split(",") for line in text.splitlines()]
    names = ["sec", "nanosec", *lines[0][1:]]
    rows = [f"{int(float(t))} {round(1e9 * (float(t) % 1.0))} {'  '.join(rest)} "
            for t, *rest in lines[1:]]  # fmt: skip
    return "\n".join(["% recorded by hand", f"%{' '.join(names)} ", *rows, ""])


def with_units(text: str) -> str:
    """Return a table of N mm behind a line of remarks, with one of units, cells apart by tabs."""
    names, *rows = (line.split(",") for line in text.splitlines())
    units = ["s", *["rad"] * 4, *["rad/s"] * 4, *["N*mm"] * 4]
    lines = [names, units, *([*x[:9], *(str(1e3 * float(tau)) for tau in x[9:])] for x in rows)]
    text = "\n".join(["Logger of the cell; rate 250", "", *map("\t".join, lines), ""])
    return text.replace("\n", "\t\n")


@pytest.mark.parametrize(("name", "change"), [("run.log", as_log), ("run", with_units)])
def test_tables_are_known_by_what_is_in_them(case, capsys, name, change):
    path = case.folder / name
    path.write_text(change((case.folder / "run.csv").read_text()))
    made = "new-robot", "own_arm.urdf", "--table", name, "--payload-frame", "tool"
    answer = payload_id(capsys, *made, "--out", "draft.yaml")
    assert answer.code == 0 and "not found" not in answer.text, answer.text
    case.holds(payload_id(capsys, *REPLAY, name, "--columns", "draft_columns.yaml"))
    assert payload_id(capsys, "check", name, "--robot", "own_arm.yaml",
                      "--columns", "draft_columns.yaml").code == 0  # fmt: skip


def test_columns_without_names_are_called_by_their_numbers(case, capsys):
    names, rest = (case.folder / "run.csv").read_text().split("\n", 1)
    (case.folder / "run.dat").write_text(rest)
    text = (case.folder / "columns.yaml").read_text()
    said = yaml.safe_load(text.replace("column: time", 'column: "1"'))
    for key, first in (("position", 2), ("velocity", 6), ("effort", 10)):
        said[key] = [str(first + k) for k in range(4)]
    (case.folder / "columns.yaml").write_text(yaml.safe_dump(said))
    case.holds(payload_id(capsys, *REPLAY, "run.dat", "--columns", "columns.yaml"))


def test_what_was_not_measured_at_the_joints_is_not_taken(case, capsys):
    names = {"position_": "planned_joint_", "torque_": "target_moment_"}
    text = (case.folder / "run.csv").read_text()
    for old, new in names.items():
        text = text.replace(old, new)
    (case.folder / "run.csv").write_text(text)
    made = "new-robot", "own_arm.urdf", "--table", "run.csv", "--payload-frame", "tool"
    answer = payload_id(capsys, *made, "--out", "draft.yaml")
    assert answer.code == 0 and "Enter position, effort" in answer.text
    assert all(f"{name}1 ... is commanded or modelled" in answer.text for name in names.values())


UNITS = {  # of columns, and the factor to N m or A; None: asked for
    "ft-lbs": 1.35581795, "oz-in": 0.00706155, "kg.m": 9.80665, "cNm": 0.01, "daNm": 10.0,
    "mA": 1e-3, **dict.fromkeys(("%", "‰", "LSB", "p.u.", "Nm/10", "0.1 Nm", "kg m2", "raw")),
}  # fmt: skip


def test_a_unit_is_known_as_a_whole_or_asked_for(case, capsys):
    text = (case.folder / "run.csv").read_text()
    made = "new-robot", "own_arm.urdf", "--table", "run.csv", "--payload-frame", "tool", "--out"
    for k, (unit, factor) in enumerate(UNITS.items()):
        (case.folder / "run.csv").write_text(re.sub(r"(torque_\d)", rf"\1 [{unit}]", text, count=4))
        assert payload_id(capsys, *made, f"d{k}.yaml").code == 0
        said = yaml.safe_load(Path(f"d{k}_columns.yaml").read_text())
        assert said["effort_sign"] == (factor and pytest.approx(factor, rel=1e-6)), unit
    read = "identify", "run.csv", "--robot", "own_arm.yaml", "--columns", f"d{k}_columns.yaml"
    assert is_one_sentence(payload_id(capsys, *read))
    Path(f"d{k}_columns.yaml").write_text(yaml.safe_dump(said | {"effort_sign": 1.0}))
    answer = payload_id(capsys, *read)
    assert is_one_sentence(answer) and "'raw'" in answer.text
    text = re.sub(r"torque_(\d)", r"torque_\1 [Nm]", text.replace("time", "time_10ms", 1), count=3)
    text = text.replace("torque_4", "torque_4 [Nmm]")
    (case.folder / "run.csv").write_text(re.sub(r"(position_\d)", r"\1 [gon]", text, count=4))
    assert payload_id(capsys, *made, "odd.yaml").code == 0
    said = yaml.safe_load(Path("odd_columns.yaml").read_text())
    assert said["stamp"]["unit"] is None and said["position_unit"] == "gon"
    assert said["effort_sign"] == [1, 1, 1, 0.001]


def test_columns_are_taken_only_where_they_are_as_many_as_joints(case, capsys):
    text = (case.folder / "run.csv").read_text()
    more = re.sub(r"(?m)^([^,]*)((?:,[^,]*){4})", r"\1,0.0\2", text)
    more = re.sub(r"^time,0.0", "time,position_0", more)
    made = "new-robot", "own_arm.urdf", "--table", "run.csv", "--payload-frame", "tool", "--out"
    (case.folder / "run.csv").write_text(more)
    answer = payload_id(capsys, *made, "more.yaml")
    assert answer.code == 0 and "5 columns for 4 joints" in answer.text
    assert yaml.safe_load(Path("more_columns.yaml").read_text())["position"] == []


OTHERS = {"Parquet": b"PAR1", "gzip": b"\x1f\x8b", "npy": b"\x93NUMPY", "MAT": b"MATLAB 5.0",
          "JSON": b'{"time": 0.0, "q": [1, 2]}\n'}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_a_format_that_is_not_read_is_named(case, capsys, name):
    (case.folder / "run.dat").write_bytes(OTHERS[name] + bytes(range(64)))
    check = "check", "run.dat", "--robot", "own_arm.yaml", "--columns", "columns.yaml"
    for line in (("new-robot", "own_arm.urdf", "--table", "run.dat", "--out", "d.yaml"), check):
        answer = payload_id(capsys, *line)
        assert is_one_sentence(answer) and name in answer.text and "CSV" in answer.text


def test_words_for_missing_values_are_missing_values(case, capsys):
    head, *rows = (case.folder / "run.csv").read_text().splitlines()
    rows[3:3] = [re.sub(r",[^,]*$", f",{word}", rows[2]) for word in ("NA", "null", "None")]
    (case.folder / "run.csv").write_text("\n".join([head, *rows, ""]))
    case.holds(payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml"))


def test_columns_in_another_order_are_named_one_by_one(case, capsys):
    names, rest = (case.folder / "run.csv").read_text().split("\n", 1)
    names = re.sub(r"\d", lambda x: str(int(x[0]) % 4 + 1), names)
    (case.folder / "run.csv").write_text(f"{names}\n{rest}")
    answer = payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml")
    assert f"those of {', '.join((JOINTS[3], *JOINTS[:3]))}" in json.loads(answer.out)["message"]


def test_torques_beyond_the_stated_gain_get_no_confidence(case, capsys):
    gains = ["--uncertainty=torque_gain=0.05", "--uncertainty=torque_relative=0.3"]
    for factor in (1.0, 0.7):
        write_table(case.folder / "run.csv", case.motion, factor * case.tau)
        line = "run.csv", "--columns", "columns.yaml"
        answer = payload_id(capsys, *REPLAY, *line, *gains)
        told = json.loads(answer.out)["confidence"]
        assert (told is None) == (factor < 1.0) == ("contradict" in answer.text), answer.text
        if told is not None:
            assert told["lower"][0] <= case.phi[0] <= told["upper"][0]
    case.stated(uncertainty={"torque_gain": 0.05, "torque_relative": 0.3,
                             "prior": {"mass_max": 5.0, "com_max": 0.5}})  # fmt: skip
    checked = payload_id(capsys, "check", *line, "--robot", "own_arm.yaml")
    assert "contradict the stated bounds" in checked.text and "torques good" not in checked.text


STAMPS = {  # of a row by its time; the words of what is wrong
    "whole seconds": lambda t: int(t),
    "steps by 15.6 ms": lambda t: t // 0.015625 * 0.015625,
    "once more": lambda t: t,
}


@pytest.mark.parametrize("words", STAMPS)
def test_what_is_wrong_with_stamps_is_named_with_what_is_left(case, capsys, words):
    names, *rows = (case.folder / "run.csv").read_text().splitlines()
    rows = rows if words != "once more" else [row for row in rows for _ in range(2)]
    made = []
    for row in rows:
        time, rest = row.split(",", 1)
        made.append(f"{STAMPS[words](float(time))!r},{rest}")
    (case.folder / "run.csv").write_text("\n".join([names, *made, ""]))
    count = len({row.split(",")[0] for row in made})
    checked = payload_id(capsys, "check", "run.csv", "--robot", "own_arm.yaml",
                         "--columns", "columns.yaml")  # fmt: skip
    assert words in checked.text and f"{count} of {len(made)} are left" in checked.text
    assert "driver" not in checked.text


def test_nanoseconds_that_are_none_beside_seconds_are_named_and_left_out(case, capsys):
    names, *rows = as_log((case.folder / "run.csv").read_text()).splitlines()[1:]
    lines = [row.split() for row in rows]
    for line in lines[::5]:
        line[1] = str(int(line[1]) + 10**9)
    (case.folder / "run.log").write_text("\n".join([names, *map(" ".join, lines), ""]))
    said = yaml.safe_load((case.folder / "columns.yaml").read_text())
    said |= {"delimiter": " ", "stamp": {"column": "sec", "unit": "s", "nanoseconds": "nanosec"}}
    (case.folder / "columns.yaml").write_text(yaml.safe_dump(said))
    checked = payload_id(capsys, "check", "run.log", "--robot", "own_arm.yaml",
                         "--columns", "columns.yaml")  # fmt: skip
    left = len(lines) - len(lines[::5])
    assert "999 999 999" in checked.text and f"{left} of {len(lines)} are left" in checked.text


# ------------------------------------------------------------------- one row for each pose at rest

ORIENTATIONS = {  # entry: its values of rotations, and its unit
    "matrix": (lambda r: r.as_matrix().reshape(-1, 9), None),
    "quaternion": (lambda r: r.as_quat(), None),
    "rpy": (lambda r: r.as_euler("xyz"), "rad"),
    "abc": (lambda r: r.as_euler("ZYX", degrees=True), "deg"),
    "rotation_vector": (lambda r: r.as_rotvec(), "rad"),
    "joints": (None, "deg"),
}


def test_rows_of_poses_at_rest_tell_mass_and_centre_of_mass(case, capsys):
    rng = np.random.default_rng(5)
    q, model = rng.uniform(-2.0, 2.0, (15, 4)), case.arm.model
    data, tool = model.createData(), model.getFrameId("tool")
    turned = []
    for row in q:
        pin.framesForwardKinematics(model, data, row)
        turned.append(data.oMf[tool].rotation.copy())
    up = np.swapaxes(turned, 1, 2) @ -np.asarray(case.arm.file.gravity)
    force = case.phi[0] * up + rng.uniform(-0.02, 0.02, up.shape)
    torque = np.cross(case.phi[1:4], up) + rng.uniform(-1e-3, 1e-3, up.shape)
    wrench = np.hstack([force / 9.80665, -1e3 * torque])  # kgf, and N mm the other way
    for entry, (write, unit) in ORIENTATIONS.items():
        values = np.degrees(q) if write is None else write(Rotation.from_matrix(turned))
        names = [f"o{k}" for k in range(values.shape[1])]
        channels = ["fx", "fy", "fz", "tx", "ty", "tz"]
        lines = [";".join(map(repr, row)) for row in np.hstack([values, wrench]).tolist()]
        (case.folder / "poses.txt").write_text(
            "\n".join([";".join([*names, *channels]), *lines, ""])
        )
        said = {
            "delimiter": ";", "frame": "tool",
            "wrench": {"columns": channels, "sign": [9.80665] * 3 + [-1e-3] * 3},
            "orientation": {entry: names} | ({} if unit is None else {"unit": unit}),
            "uncertainty": {"force_error": 0.03, "torque_error": 2e-3,
                            "prior": {"mass_max": 5.0, "com_max": 0.3}},
        }  # fmt: skip
        (case.folder / "poses.yaml").write_text(yaml.safe_dump(said))
        line = ["identify", "poses.txt", "--columns", "poses.yaml", "--json"]
        moved = payload_id(capsys, *line, *(["--robot", "own_arm.yaml"] if write is None else []))
        assert is_one_sentence(moved) and "--static" in moved.text
        answer = payload_id(capsys, *line, "--static", "--robot", "own_arm.yaml")
        assert answer.code == 0, answer.text
        found = json.loads(answer.out)
        assert (found["lower"] <= case.phi)[:4].all() and (case.phi <= found["upper"])[:4].all()
        np.testing.assert_allclose(found["phi"][:4], case.phi[:4], rtol=0.03, atol=2e-3)
        said["wrench"]["sign"] = [1] * 3 + [-1e-3] * 3
        below = ";".join(["", *[""] * (len(names) - 1), *["kgf"] * 3, *["N mm"] * 3])
        (case.folder / "poses.txt").write_text(
            "\n".join([";".join([*names, *channels]), below, *lines])
        )
        (case.folder / "poses.yaml").write_text(yaml.safe_dump(said))
        answer = payload_id(capsys, *line, "--static", "--robot", "own_arm.yaml")
        assert is_one_sentence(answer) and "factor 9.80665" in answer.text
    said["wrench"]["sign"] = [-9.80665] * 3 + [1e-3] * 3
    (case.folder / "poses.yaml").write_text(yaml.safe_dump(said))
    answer = payload_id(capsys, *line, "--static", "--robot", "own_arm.yaml")
    # At rest, a centre of mass on the other side explains torques of the wrong sign as well.
    assert re.search("[Tt]he force( and torque)? has the wrong sign", answer.text)


def test_rows_of_mean_torques_at_rest_tell_mass_and_centre_of_mass(case, capsys):
    q = np.random.default_rng(6).uniform(-2.0, 2.0, (30, 4))
    none = np.zeros_like(q)
    rests = Motion(np.arange(30.0), q, none, none)
    write_table(case.folder / "run.csv", rests, case.arm.torques(rests, case.phi))
    said = yaml.safe_load((case.folder / "columns.yaml").read_text())
    for left_out in ("velocity", "stamp"):
        del said[left_out]
        (case.folder / "columns.yaml").write_text(yaml.safe_dump(said))
        line = "run.csv", "--robot", "own_arm.yaml", "--columns", "columns.yaml"
        answer = payload_id(capsys, "identify", *line)
        assert answer.code in (2, 3) and "--static" in answer.text
        checked = payload_id(capsys, "check", *line, "--static")
        assert checked.code == 0 and "identify" in checked.text and "--static" in checked.text
        answer = payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml", "--static")
        case.holds(answer)


# ------------------------------------------------------------------------------------ MCAP files


MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, MESSAGE_INDEX, CHUNK, CHUNK_INDEX = 0x01, 0x02, 0x07, 0x06, 0x08
STATISTICS, SUMMARY_OFFSET, DATA_END = 0x0B, 0x0E, 0x0F
Change = Callable[[int, bytes], bytes | None]


def records_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the records of an MCAP file up to its footer: kind and content."""
    at = len(MAGIC)
    while (kind := data[at]) != FOOTER:
        (length,) = struct.unpack_from("<Q", data, at + 1)
        yield kind, data[at + 9 : at + 9 + length]
        at += 9 + length


def rewritten(source: Path, made: Path, change: Change) -> None:
    """Write a recording anew, each record as a change makes it, None for none."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<BQ", kind, len(content)) + content

    data, chunks, begin = bytearray(MAGIC), deque[int](), 0
    for kind, old in records_of(source.read_bytes()):
        new = bytes(4) if kind == DATA_END else change(kind, old)
        if new is None or kind == SUMMARY_OFFSET:
            continue
        if kind == CHUNK:
            chunks.append(len(data))
        if kind == CHUNK_INDEX:
            new = new[:16] + struct.pack("<Q", chunks.popleft()) + new[24:]
        data += record(kind, new)
        begin = len(data) if kind == DATA_END else begin
    made.write_bytes(data + record(FOOTER, struct.pack("<QQI", begin, 0, 0)) + MAGIC)


def without_message_index(kind: int, content: bytes) -> bytes | None:
    if kind == CHUNK_INDEX:
        (size,) = struct.unpack_from("<I", content, 32)
        return content[:32] + bytes(12) + content[36 + size + 8 :]
    return None if kind == MESSAGE_INDEX else content


def without_chunk_index(kind: int, content: bytes) -> bytes | None:
    return None if kind in (CHUNK_INDEX, STATISTICS) else content


def with_profile(profile: bytes) -> Change:
    def change(kind: int, content: bytes) -> bytes:
        (size,) = struct.unpack_from("<I", content)
        head = struct.pack("<I", len(profile)) + profile
        return head + content[4 + size :] if kind == HEADER else content

    return change


@pytest.mark.parametrize("change", [without_message_index, without_chunk_index, with_profile(b"")])
def test_every_message_of_a_valid_mcap_file_is_read(case, capsys, change):
    bag = write_bag(case.folder / "bag", case.arm, case.motion, case.tau)
    rewritten(next(bag.glob("*.mcap")), case.folder / "odd.mcap", change)
    answer = payload_id(capsys, *REPLAY, "odd.mcap")
    case.holds(answer)
    whole = payload_id(capsys, *REPLAY, "bag")
    assert json.loads(answer.out)["phi"] == json.loads(whole.out)["phi"]


def test_a_recording_of_something_else_is_named(case, capsys):
    bag = write_bag(case.folder / "bag", case.arm, case.motion, case.tau)
    rewritten(next(bag.glob("*.mcap")), case.folder / "odd.mcap", with_profile(b"ros1"))
    answer = payload_id(capsys, *REPLAY, "odd.mcap")
    assert is_one_sentence(answer) and "'ros1'" in answer.text


# ----------------------------------------------------------- states of several messages, and others


AXES = (
    "std_msgs/Header header\nvendor/Axis[] axes\n{}\nMSG: vendor/Axis\nfloat64 torque\nint32 mode"
)
DYNAMIC = (
    "std_msgs/Header header\nstring[] joint_names\ncontrol_msgs/InterfaceValue[] interface_values\n"
    "{}\nMSG: control_msgs/InterfaceValue\nstring[] interface_names\nfloat64[] values"
)
STATUS, STATES = "vendor/msg/Status", "control_msgs/msg/DynamicJointState"
Rows = Iterator[tuple[str, str, dict[str, Any]]]  # topic, type and fields of each message


def halves(q: Any, dq: Any, effort: Any) -> Rows:
    for part in (slice(2), slice(2, 4)):
        yield "/joint_states", JOINT_STATE, {
            "name": JOINTS[part], "position": q[part], "velocity": dq[part], "effort": effort[part],
        }  # fmt: skip


def two_topics(q: Any, dq: Any, effort: Any) -> Rows:
    none = np.zeros(0)
    yield "/joint_states", JOINT_STATE, {
        "name": JOINTS, "position": q, "velocity": dq, "effort": 0.0 * q,
    }  # fmt: skip
    yield "/measured", JOINT_STATE, {
        "name": JOINTS[::-1], "position": none, "velocity": none, "effort": effort[::-1].copy(),
    }  # fmt: skip


def of_a_vendor(q: Any, dq: Any, effort: Any) -> Rows:
    yield "/joint_states", JOINT_STATE, {
        "name": JOINTS, "position": q, "velocity": dq, "effort": np.zeros(0),
    }  # fmt: skip
    yield (
        "/status",
        STATUS,
        {"axes": [("vendor/msg/Axis", {"torque": x, "mode": 3}) for x in effort]},
    )


def dynamic(q: Any, dq: Any, effort: Any) -> Rows:
    kinds = ["velocity", "position", "effort"]
    values = [
        ("control_msgs/msg/InterfaceValue", {"interface_names": kinds, "values": np.array(row)})
        for row in zip(dq, q, effort, strict=True)
    ]
    yield "/states", STATES, {"joint_names": JOINTS, "interface_values": values}


def of_torque(q: Any, dq: Any, effort: Any) -> Rows:
    for topic, kind, fields in dynamic(q, dq, effort):
        for _, each in fields["interface_values"]:
            each["interface_names"] = ["velocity", "position", "torque"]
        yield topic, kind, fields


def plain(q: Any, dq: Any, effort: Any) -> Rows:
    yield "/joint_states", JOINT_STATE, {
        "name": JOINTS, "position": q, "velocity": dq, "effort": effort,
    }  # fmt: skip


SEVERAL = {  # messages of one instant; whether of ROS 1; options
    "halves": (halves, False, ()),
    "two topics": (two_topics, False, ("--topic", "/joint_states,/measured")),
    "a vendor's": (of_a_vendor, False, ("--topic", "/joint_states,/status:axes.torque")),
    "dynamic": (dynamic, False, ("--topic", "/states")),
    "of torques": (of_torque, False, ("--topic", "/states,/states:torque")),
    "of ROS 1": (plain, True, ()),
    "halves of ROS 1": (halves, True, ()),
}


def made_of(store: Any, kind: str, fields: dict[str, Any], stamp: int = 0) -> Any:
    """Return a message; its fields may be pairs of a type and fields."""

    def value(given: Any) -> Any:
        if isinstance(given, list) and given and isinstance(given[0], tuple):
            return [made_of(store, *each) for each in given]
        return list(given) if isinstance(given, tuple) else given

    fields = {name: value(given) for name, given in fields.items()}
    if "header" in store.types[kind].__dataclass_fields__:
        time = {"sec": stamp // 10**9, "nanosec": stamp % 10**9}
        header = {"stamp": store.types["builtin_interfaces/msg/Time"](**time), "frame_id": ""}
        head = store.types["std_msgs/msg/Header"]
        extra = {"seq": 0} if "seq" in head.__dataclass_fields__ else {}
        fields["header"] = head(**header, **extra)
    return store.types[kind](**fields)


@pytest.mark.parametrize("which", SEVERAL)
def test_states_of_several_messages_topics_and_kinds_of_bags_are_read(case, capsys, which):
    rows, ros1, options = SEVERAL[which]
    store = get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.ROS2_JAZZY)
    for text, kind in ((AXES, STATUS), (DYNAMIC, STATES)):
        store.register(get_types_from_msg(text.format("=" * 80), kind))
    path = case.folder / ("run.bag" if ros1 else "run")
    writer = Ros1Writer(path) if ros1 else Writer(path, version=9)
    write = store.serialize_ros1 if ros1 else store.serialize_cdr
    topics: dict[str, Any] = {}
    with writer:
        efforts = signs(case.arm) * case.tau
        each = zip(
            stamps_ns(case.motion).tolist(), case.motion.q, case.motion.dq, efforts, strict=True
        )
        for stamp, *states in each:
            for topic, kind, fields in rows(*states):
                if topic not in topics:
                    topics[topic] = writer.add_connection(topic, kind, typestore=store)
                writer.write(topics[topic], stamp, write(made_of(store, kind, fields, stamp), kind))
    checked = payload_id(capsys, "check", path.name, "--robot", "own_arm.yaml", *options)
    assert (
        checked.code == 0 and f"--robot own_arm.yaml {' '.join(options)}".rstrip() in checked.text
    )
    answer = payload_id(capsys, *REPLAY, path.name, *options)
    case.holds(answer)
    table = payload_id(capsys, *REPLAY, "run.csv", "--columns", "columns.yaml")
    found, wanted = (json.loads(x.out)["phi"] for x in (answer, table))
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)
