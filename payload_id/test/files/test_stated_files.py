"""YAML files that people write: whatever key, kind or number cannot be is refused and named."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from described_arms import COLUMNS, ROBOT, described
from payload_id.core.errors import InputError
from payload_id.files.cells.cell_file import Cell
from payload_id.files.payload.payload_file import read_payload
from payload_id.files.recordings.known_runs import read_known_runs
from payload_id.files.recordings.recording import Recording
from payload_id.files.recordings.wrench_recording import WrenchRecording
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_keys import RobotProfile
from payload_id.files.teams.team_file import TeamFile

GEN3 = "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
CELL = """
name: test cell
clearance: 0.03
joint_margin: 0.1
floor: -0.1
bodies:
  table: {shape: box, size: [1.0, 0.6, 0.05], position: [0.4, 0.0, -0.05]}
  wall: {shape: wall, position: [0.0, -0.8, 0.0], rpy: [-1.5708, 0.0, 0.0]}
keep_out:
  walkway: {shape: cylinder, size: [0.3, 2.0], position: [1.0, 0.5, 1.0]}
keep_in:
  cage: {size: [2.0, 3.0, 4.0], position: [0.0, 0.0, 1.0], rpy: [0.0, 0.0, 0.3]}
"""
TEAM = """
name: two
robots:
  one: {rate: 50.0, bounds: {friction: 0.5}, mechanism: {spring: 800.0}}
  two: {source: topics, namespace: /hall/arm, topics: {wrench: /wrench, wrench_sign: -1}}
"""
KNOWLEDGE = """
weighed: {kind: known_mass, mass: 1.0, tolerance: 0.1}
middle: {kind: centre_in_box, lower: [-0.1, -0.1, 0], upper: [0.1, 0.1, 0.2]}
turned: {kind: symmetric_about_axis, point: [0, 0, 0], direction: [0, 0, 1]}
solid: {kind: made_of, density_max: 900, region: {shape: box, size: [0.1, 0.1, 0.1]}}
"""
RUNS = """
runs:
  one: {mass: 1.5}
  two: {payload: [1.5, 0, 0, 0.06, 0.01, 0, 0, 0.01, 0, 0.002]}
"""
WRENCH = """
wrench: {stamp: {column: t, unit: s}, columns: [fx, fy, fz, tx, ty, tz], sign: -1}
orientation: {quaternion: [x, y, z, w], position: [px, py, pz]}
acceleration: {columns: [ax, ay, az], unit: g, late_by: 0.008}
gravity: [0, 0, -9.81]
frame: wrist
uncertainty: {force_error: 0.05, torque_error: 0.01, prior: {mass_max: 3.0, com_max: 0.3}}
"""


def read_robot(path: Path) -> RobotFile:
    """Read a robot file beside the description that it names."""
    (path.parent / "arm.urdf").write_text(described())
    return RobotFile.load(path)


def joint_table(path: Path) -> Recording:
    """Read a table of two joints with a description of its columns."""
    rows = np.random.default_rng(0).normal(size=(20, 7))
    rows[:, 0] = 0.01 * np.arange(20)
    return Recording.from_csv(written(path, "t,q1,q2,v1,v2,e1,e2", rows), path)


def wrench_table(path: Path) -> WrenchRecording:
    """Read a table of a wrench with a description of its columns."""
    rows = np.random.default_rng(0).normal(size=(60, 17))
    rows[:, 0] = 0.01 * np.arange(60)
    rows[:, 7:11] = [0, 0, 0, 1]
    head = "t,fx,fy,fz,tx,ty,tz,x,y,z,w,px,py,pz,ax,ay,az"
    return WrenchRecording.from_csv(written(path, head, rows), path)


def written(columns: Path, head: str, rows: np.ndarray) -> Path:
    """Write a table beside the description of its columns."""
    np.savetxt(columns.with_name("t.csv"), rows, delimiter=",", header=head, comments="")
    return columns.with_name("t.csv")


@dataclass(frozen=True)
class Stated:
    """One kind of file that people write.

    Attributes:
        sound: A text that is one.
        read: Reads it.
        chosen: Keys that whoever writes it chooses, or whose value may be anything.
        wrong: What stands in it and what is put there, and what a refusal names.
    """

    sound: str
    read: Callable[[Path], Any]
    chosen: frozenset[str]
    wrong: tuple[tuple[str, str, str], ...]


def kind(sound: str, read: Callable[[Path], Any], chosen: str = "", *wrong: Any) -> Stated:
    return Stated(sound, read, frozenset(chosen.split()), wrong)


STATED = {
    "robot": kind(
        ROBOT.decode(), read_robot, "urdf well first",
        ("[5.0, 5.0]", "[5.0]", "limits.sets.urdf.acceleration"),
        ("[0, 0, -9.81]", "[0, -9.81]", "gravity"),
        ("torque_absolute: [1.0, 0.5]", "torque_absolute: [1, 2, 3]", "torque_absolute"),
        ("torque_absolute: [1.0, 0.5]", "torque_absolute: '1e1'", "torque_absolute"),
        ("torque_absolute: [1.0, 0.5]", "torque_relative: 2.5", "torque_relative"),
        ("mass_max: 5.0", "mass_max: 0", "mass_max"),
        ("sign: [1, -1]", "sign: [1, 0.5]", "effort.sign"),
        ("source: torque", "source: current", "torque_constants"),
        ("source: torque", "source: amps", "effort.source"),
        ("[shoulder, elbow]", "[shoulder, shoulder]", "joints"),
        ("[shoulder, elbow]", "[shoulder, elbov]", "elbow"),
        ("payload_frame: tool", "payload_frame: tol", "tool"),
        ("home: [0.1, 0.2]", "home: [0.1, 9.0]", "elbow"),
        ("velocity: [1.0, 1.0]", "position_lower: [-1, 9], position_upper: [1, 1]", "urdf"),
        ("velocity: [1.0, 1.0]", "position_lower: [-170, -1]", "degrees"),
        ("acceleration: [5.0, 5.0], ", "", "limits.sets.urdf.acceleration"),
        ("use: urdf", "use: udrf", "urdf"),
        ("urdf: arm.urdf", "urdf: package://no_such_package/a.urdf", "no_such_package"),
        ("urdf: arm.urdf", "urdf: none.urdf", "none.urdf"),
        ("urdf: arm.urdf\n", "", "urdf"),
        ("urdf: arm.urdf", "urdf: arm.urdf\nxacro_arguments: {vision: true}", "xacro"),
        ("gravity:", "turn_limits: {elbow: {lower: -1.0, upper: 1.0}}\ngravity:", "elbow"),
        ("rate: 500.0", "rate: 500.0, turns: both", "turns"),
        ("rate: 500.0", "rate: 500.0, reliability: relaible", "reliable"),
        ("name: arm", "extends_to: 1", "extends_to"),
        ("name: arm", "extends: x.yaml", "x.yaml"),
        ("name: arm", "joints: [a]", "joints"),
        ("driver:", "passive_joints_watch: {turning: 0.0}\ndriver:", "turning"),
        ("[follow_joint_trajectory]", "[teleport]", "back_ends"),
        ("end: [0.02, 0.02]", "end: [0.02]", "driver.goal.end"),
        ("/reset, type: a/srv/B", "/reset", "driver.reset.first.type"),
    ),
    "profile": kind(
        GEN3 + "driver: {effort_warning: 9.0}\n", RobotProfile.load, "",
        ("effort_warning: 9.0", "back_ends: [effort]", "driver.back_ends"),
        ("effort_warning: 9.0", "exported: [position], executed: [position, effort]", "executed"),
        ("effort_warning: 9.0", "controller: {command_interfaces: [velocity]}", "velocity"),
        ("effort_warning: 9.0", "effort_warning: 0", "driver.effort_warning"),
        ("effort_warning: 9.0", "goal: {path: [1, 1, 1, 0.01, 1, 1, 1]}", "joint_4"),
        ("effort_warning: 9.0", "payload: {service: /set_load, target: null}", "payload.target"),
        ("effort_warning: 9.0", "payload: {target: nobody}", "driver.payload.target"),
        ("driver: {", "command: {trajectory_topic: /a/other/joint_trajectory}\ndriver: {", "other"),
    ),
    "cell": kind(
        CELL, Cell.load, "table wall walkway cage",
        ("floor: -0.1", "", "floor"), ("floor: -0.1", "floor: -100", "floor"),
        ("shape: box", "shape: cube", "shape"), ("shape: box", "shape: mesh", "mesh"),
        ("[1.0, 0.6, 0.05]", "[1.0, 0.6]", "3 sizes"), ("walkway", "table", "table"),
        ("[2.0, 3.0, 4.0]", "[2.0, 0.0, 4.0]", "size"), ("[2.0, 3.0, 4.0]", "[2, 300, 4]", "size"),
        ("shape: box", "shape: box, rpy: [0, 0, 90]", "rpy"),
        ("[0.4, 0.0, -0.05]", "[400, 0.0, -50]", "position"),
        ("joint_margin: 0.1", "joint_margin: -0.1", "joint_margin"),
    ),
    "team": kind(
        TEAM, TeamFile.load, "one two",
        ("  two: {", "  one/two: {", "one/two"), ("/hall/arm", "hall", "namespace"),
        ("{rate: 50.0", "{source: topics, namespace: /hall/arm", "/hall/arm"),
        ("friction: 0.5", "force_relative: 2.0", "force_relative"),
        ("wrench_sign: -1", "wrench_sign: 0.5", "wrench_sign"),
        ("spring: 800.0", "gravity: [0, 0, 0]", "gravity"),
        ("spring: 800.0", "base_radius: 0.9, upper_leg: 0.2", "reach"),
        ("spring: 800.0", "leg_angles: [0, 0, 1]", "angle"),
        ("rate: 50.0", "joint_states: {topic: 'a b'}", "a b"),
        ("rate: 50.0", "joint_states: {after: [gimbal_x, b, c]}", "gimbal_x"),
        ("rate: 50.0", "source: joint_states, joint_states: {effort_sign: 0.3}", "effort_sign"),
        ("name: two", "name: two\nprior: {mass_max: 0}", "mass_max"),
        ("  two: {", "mode: {", "mode"),
    ),
    "knowledge": kind(
        KNOWLEDGE, read_payload, "weighed middle turned solid",
        ("known_mass, mass: 1.0", "known_mas, mass: 1.0", "known_mass"),
        ("kind: known_mass, ", "", "weighed"), ("mass: 1.0, ", "", "mass"),
        ("mass: 1.0", "mass: -1.0", "mass"), ("lower: [-0.1", "lower: [0.2", "lower"),
        ("point: [0, 0, 0]", "point: [0, 0]", "point"),
        ("direction: [0, 0, 1]", "direction: [0, 0, 0]", "direction"),
        ("size: [0.1, 0.1, 0.1]", "size: [0.1]", "size"),
        ("weighed: {", "weighed: 3\nx: {", "weighed"),
    ),
    "known runs": kind(
        RUNS, read_known_runs, "one two",
        ("mass: 1.5", "mass: -1", "mass"), ("mass: 1.5", "weight: 1", "weight"),
        ("{payload:", "{mass: 1, payload:", "both"), ("0.01, 0, 0.002]", "0.01]", "payload"),
        ("runs:", "trials:", "trials"),
    ),
    "columns": kind(
        yaml.safe_dump(COLUMNS, default_flow_style=None), joint_table, "",
        ("unit: s", "unit: week", "unit"), ("[v1, v2]", "[v1]", "velocity"),
        ("[v1, v2]", "[v1, w2]", "v2"), ("rad", "grad", "position_unit"),
        ("[1, -1]", "up", "effort_sign"), ("[shoulder, elbow]", "a", "joints"),
        ("joints:", "velocities: v{j}\njoints:", "velocity"), ("','", "',,'", "delimiter"),
        ("effort_offset: 0.5", "torque_constants: 2.0", "effort_source"),
        ("effort_offset: 0.5", "effort_source: amps", "effort_source"),
        ("effort_offset: 0.5", "effort_source: current", "torque_constants"),
        ("effort_offset: 0.5", "effort_source: current\ntorque_constants: [2, 0]", "zero"),
        ("effort_offset: 0.5", "effort_source: current\ntorque_constants: [2]", "joints"),
        ("stamp: {column: t, unit: s}\n", "", "stamp"),
    ),
    "wrench columns": kind(
        WRENCH, wrench_table, "frame",
        ("columns: [fx, fy, fz, tx, ty, tz]", "columns: [fx]", "columns"),
        ("[ax, ay, az]", "[bx, ay, az]", "bx"), ("unit: s", "unit: h", "unit"),
        ("{quaternion:", "{matrix: [a, b, c, d, e, f, g, h, i], quaternion:", "matrix"),
        ("unit: g", "unit: ft", "unit"),
        ("gravity: [0, 0, -9.81]", "gravity: [0, 1]", "gravity"),
        ("force_error", "forse_error", "forse_error"), ("sign: -1", "sing: -1", "sign"),
        ("wrench: {", "wench: {", "wrench"),
        ("acceleration: {", "acceleration: {file: x.csv, ", "x.csv"),
    ),
}  # fmt: skip


def refused(stated: Stated, path: Path, text: str, named: str) -> None:
    """Check that a text is refused, and names something."""
    path.write_text(text)
    with pytest.raises(InputError) as error:
        stated.read(path)
    said = str(error.value)
    assert named in said and len(said) < 5000, (text, said)


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all that is no section; a list of numbers is one place."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, key))
        else:
            yield *path, key


def changed(content: dict[str, Any], place: tuple[Any, ...], key: Any, value: Any) -> str:
    """Return a content with another key and value in a place."""
    content = copy.deepcopy(content)
    inner = content
    for part in place[:-1]:
        inner = inner[part]
    del inner[place[-1]]
    inner[key] = value
    return yaml.safe_dump(content)


def test_a_key_that_is_misspelt_or_stands_twice_is_named(tmp_path):
    path = tmp_path / "x.yaml"
    for stated in STATED.values():
        content = yaml.safe_load(stated.sound)
        path.write_text(stated.sound)
        stated.read(path)
        for place in leaves(content):
            if place[-1] not in stated.chosen:
                key = f"{place[-1]}q"
                refused(stated, path, changed(content, place, key, 1), place[-1])
        first = next(iter(content))
        refused(stated, path, stated.sound + f"\n{first}: 1\n", first)


def others(value: Any) -> list[Any]:
    """Return values that stand for none of the kind of one."""
    nested: list[Any] = [{"a": {"b": 1}}]
    if isinstance(value, int | float):
        return [*nested, "fast", float("nan"), float("inf"), True]
    return [*nested, [[1]]]


def test_a_value_of_another_kind_is_named_with_its_key(tmp_path):
    for stated in STATED.values():
        content = yaml.safe_load(stated.sound)
        for place in leaves(content):
            inner = content
            for part in place:
                inner = inner[part]
            for other in () if place[-1] in stated.chosen else others(inner):
                text = changed(content, place, place[-1], other)
                refused(stated, tmp_path / "x.yaml", text, place[-1])


def test_what_cannot_be_is_refused_and_named(tmp_path):
    for stated in STATED.values():
        for old, new, named in stated.wrong:
            assert old in stated.sound
            refused(stated, tmp_path / "x.yaml", stated.sound.replace(old, new, 1), named)


def test_a_text_that_is_no_section_says_where(tmp_path):
    for stated in STATED.values():
        for text in ("", "- a\n- b\n", "3", "a: [1, 2\nb: x\n", "a: \0\n"):
            refused(stated, tmp_path / "x.yaml", text, "x.yaml")


def test_all_mistakes_are_told_at_once_each_with_its_file_and_line(tmp_path):
    (tmp_path / "base.yaml").write_text("name: base\nclearance: -1.0\nfloor: 0.0\n")
    body = "{shape: cube, size: [1.0, x, 1.0], rpi: [0, 0, 0]}"
    mine = f"---\nextends: base.yaml\nbodies:\n  table: {body}\njoint_margin:\n  0.1e\n...\n"
    (tmp_path / "mine.yaml").write_text(mine)
    with pytest.raises(InputError) as error:
        Cell.load(tmp_path / "mine.yaml")
    places = {"clearance": "base.yaml, line 2", "joint_margin": "mine.yaml, line 5"}
    places |= dict.fromkeys(("shape", r"size\[1\]", "rpi"), "mine.yaml, line 4")
    told = dict(zip(places, str(error.value).splitlines(), strict=True))
    assert all(
        re.search(name, told[name]) and place in told[name] for name, place in places.items()
    )
