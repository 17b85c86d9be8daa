"""Robot files: what is shipped loads, and every mistake gets one clear sentence."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

from described_arms import described
from payload_id.core.errors import ConfigurationError, InputError, ModelError
from payload_id.files.configuration.configuration import describe_schema
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.robots.description import urdf
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile, robot_names
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.robots.robot_schema import ROBOT

ROBOTS = share_folder() / "config" / "robots"
PARENT = "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a robot file which differs from the Gen3's."""

    def write_file(text: str, parent: str = PARENT):
        path = tmp_path / "mine.yaml"
        path.write_text(parent + text)
        return path

    return write_file


def message(error: type[Exception], path: object) -> str:
    """Return what loading a robot file says; it must raise this error, in one paragraph."""
    with pytest.raises(error) as caught:
        RobotFile.load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", robot_names())
def test_every_shipped_robot_loads_by_name_and_by_path(name):
    robot = RobotFile.load(name)
    assert robot.name == name
    assert robot.n == len(robot.joints) == len(robot.home) == (3 if name == "omnid" else 7)
    assert RobotFile.load(ROBOTS / f"{name}.yaml").urdf == robot.urdf
    for limits in robot.limit_sets.values():
        for values in (limits.velocity, limits.acceleration, limits.effort):
            assert values.shape == (robot.n,) and (values > 0).all()


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_key_is_commented(path):
    before = ""
    for line in path.read_text().splitlines():
        if re.match(r"\s*[A-Za-z_0-9]+:", line):
            assert "#" in line or before.lstrip().startswith("#"), line
        before = line


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_key_of_numbers_says_its_unit(path):
    comment = ""
    for line in path.read_text().splitlines():
        if line.lstrip().startswith("#"):
            comment += line
            continue
        if re.match(r"\s*[A-Za-z_0-9]+: (\[?-?\d|\[null)", line) and "sign" not in line:
            assert re.search(r"\[(-|kg|m|N|rad|Hz|s)[^]]*\]", comment + line), line
        comment = ""


def test_extending_replaces_only_what_is_said(write):
    robot = RobotFile.load(write("name: mine\nuncertainty: {prior: {mass_max: 2}}\n"))
    gen3 = RobotFile.load("kinova_gen3")
    assert robot.name == "mine"
    assert robot.uncertainty.prior.mass_max == 2.0
    assert robot.uncertainty.prior.com_max == gen3.uncertainty.prior.com_max
    assert robot.uncertainty.torque_offset == gen3.uncertainty.torque_offset
    assert robot.urdf == gen3.urdf


def test_paths_mean_relative_to_the_file_that_gives_them(write, tmp_path):
    (tmp_path / "own.urdf").write_text(RobotFile.load("kinova_gen3").urdf)
    (tmp_path / "base.yaml").write_text(
        (ROBOTS / "kinova_gen3.yaml")
        .read_text()
        .replace("../../urdf/kinova_gen3.urdf.xacro", "own.urdf")
        .replace("xacro_arguments:", "xacro_arguments: {}\n#")
        .replace("  gripper: none", "#")
        .replace("  vision: true", "#")
    )
    folder = tmp_path / "deeper"
    folder.mkdir()
    (folder / "mine.yaml").write_text("extends: ../base.yaml\nname: mine\n")
    assert RobotFile.load(folder / "mine.yaml").urdf_path == (tmp_path / "own.urdf").resolve()


SMALL = """urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
effort: {source: torque}
uncertainty: {torque_absolute: 1.0}
"""


@pytest.fixture
def small(tmp_path):
    """Return a function that writes the least robot file that identifies, with more lines."""
    (tmp_path / "arm.urdf").write_text(described())

    def write_file(text: str = ""):
        (tmp_path / "small.yaml").write_text(SMALL + text)
        return tmp_path / "small.yaml"

    return write_file


def test_who_only_identifies_need_not_repeat_the_description(small):
    robot = RobotFile.load(small("home: [0.1, 9.0]\n"))
    assert robot.name == "arm"
    assert robot.limit_sets == {}
    assert robot.turn_limited == ()
    assert RobotModel.from_robot_file(robot).joints == ("shoulder", "elbow")
    for ask in (lambda: robot.limits, lambda: robot.limits_at("urdf", {})):
        with pytest.raises(ConfigurationError, match="acceleration"):
            ask()


def test_limits_are_the_descriptions_unless_the_file_says_others(small):
    stated = "limits: {sets: {urdf: {acceleration: [5, 6], velocity: [1, 1]}}}\n"
    limits = RobotFile.load(small(stated)).limits
    np.testing.assert_array_equal(limits.position_lower, [-3, -2])
    np.testing.assert_array_equal(limits.position_upper, [3, 2])
    np.testing.assert_array_equal(limits.effort, [60, 40])
    np.testing.assert_array_equal(limits.velocity, [1, 1])
    np.testing.assert_array_equal(limits.acceleration, [5, 6])


def test_null_is_no_limit(write):
    limits = RobotFile.load("kinova_gen3").limits
    assert np.isneginf(limits.position_lower[[0, 2, 4, 6]]).all()
    assert np.isposinf(limits.position_upper[[0, 2, 4, 6]]).all()


def test_effort_becomes_torque_by_sign_and_offset(write):
    robot = RobotFile.load(write("effort: {offset: [1, 0, 0, 0, 0, 0, 0]}\n"))
    tau = robot.effort.torque(np.arange(14.0).reshape(2, 7))
    np.testing.assert_allclose(tau, [[-1, -1, -2, -3, -4, -5, -6], [-8, *range(-8, -14, -1)]])


def test_current_becomes_torque_by_the_torque_constants(write):
    text = "effort: {source: current, torque_constants: [2, 2, 2, 2, 1, 1, 1]}\n"
    effort = RobotFile.load(write(text)).effort
    np.testing.assert_allclose(effort.torque(np.ones(7)), [-2, -2, -2, -2, -1, -1, -1])


def test_no_effort_is_refused_not_taken_as_zero(write):
    with pytest.raises(InputError, match="none"):
        RobotFile.load(write("effort: {source: none}\n")).effort.torque(np.zeros(7))


def test_files_that_extend_each_other_are_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("extends: b.yaml\n")
    (tmp_path / "b.yaml").write_text("extends: a.yaml\n")
    assert "a.yaml -> b.yaml -> a.yaml" in message(ConfigurationError, tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("name", "content", "arguments", "part"),
    [
        ("a.urdf", None, {}, "does not exist"),
        ("a.urdf", "<robot>\n<link>\n</robot>", {}, "line 3"),
        ("a.urdf", "<robot/>", {"vision": True}, "no xacro arguments"),
        ("a.urdf.xacro", "<robot>\n<link>\n</robot>", {}, "line 3"),
        ("a.urdf.xacro", "<robot xmlns:xacro='http://x'><xacro:nothing/></robot>", {}, "nothing"),
        ("a.urdf.xacro", "<robot xmlns:xacro='http://x'>${1/0}</robot>", {}, "a.urdf.xacro"),
        (
            "a.urdf.xacro",
            "<robot xmlns:xacro='http://x'><xacro:include filename='a.urdf.xacro'/></robot>",
            {},
            "includes or calls itself",
        ),
    ],
)
def test_unreadable_description_says_why(tmp_path, name, content, arguments, part):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ModelError) as caught:
        read_urdf(tmp_path / name, arguments)
    assert part in str(caught.value) and name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("9**9**9", "does not come to an end"),
        ("[0] * 10**10", "more than 2 GB"),
        ("__import__('os').getcwd()", "xacro cannot expand"),
    ],
)
def test_a_xacro_file_is_given_an_end_and_not_the_whole_memory(
    tmp_path, monkeypatch, expression, part
):
    monkeypatch.setattr(urdf, "PATIENCE", 2.0)
    path = tmp_path / "a.urdf.xacro"
    path.write_text(
        f"<robot name='a' xmlns:xacro='http://x'><link name=\"${{{expression}}}\"/></robot>"
    )
    with pytest.raises(ModelError, match=part):
        read_urdf(path)


def test_a_xacro_file_elsewhere_gives_what_the_shipped_one_gives(tmp_path):
    shutil.copytree(share_folder() / "urdf", tmp_path / "urdf")
    name = "urdf/kinova_gen3.urdf.xacro"
    assert read_urdf(tmp_path / name) == read_urdf(share_folder() / name)


@pytest.mark.parametrize(
    ("robot", "arguments"),
    [("kinova_gen3", {"gripper": "robotiq"}), ("xarm7", {"inertials": "HT"})],
)
def test_wrong_argument_of_a_shipped_description_lists_the_allowed(robot, arguments):
    path = share_folder() / "urdf" / f"{robot}.urdf.xacro"
    with pytest.raises(ModelError, match="allowed: "):
        read_urdf(path, arguments)


def test_expanded_description_does_not_depend_on_where_it_lies(tmp_path):
    urdf = RobotFile.load("xarm7").urdf
    assert str(share_folder()) not in urdf


def test_table_of_keys_has_every_key_with_its_unit():
    table = describe_schema(ROBOT)
    for name in (
        "name",
        "joint_states.rate",
        "limits.sets.<name>.velocity",
        "uncertainty.prior.mass_max",
    ):
        assert f"| `{name}` |" in table
    assert all(row.count("|") - row.count("\\|") == 6 for row in table.splitlines())
    assert "required" in table and "kg" in table


def test_a_cable_limits_the_whole_turn_in_every_set_and_in_the_turns_that_are_reported(write):
    path = write("cable_turns: {joint_3: {lower: -7.0, upper: 4.0}}")
    robot = RobotFile.load(path)
    assert robot.turn_limited == ("joint_3",)
    for name in robot.limit_sets:
        for turns in (-1, 0, 2):
            limits = robot.limits_at(name, {"joint_3": turns})
            ends = np.array([limits.position_lower[2], limits.position_upper[2]])
            assert np.allclose(ends + 2 * np.pi * turns, [-7.0, 4.0])
            assert np.isinf(limits.position_upper[[0, 4, 6]]).all()
            assert limits.position_upper[1] == robot.limit_sets[name].position_upper[1]


def test_where_nothing_is_sent_across_the_turn_positions_stay_within_it(write):
    robot = RobotFile.load(write("command: {across_turn: refused}\n"
                                 "cable_turns: {joint_3: {lower: -7.0, upper: 4.0}}"))  # fmt: skip
    limits = robot.limits_at("urdf", {"joint_3": 0})
    assert np.allclose(limits.position_upper[[0, 2, 4, 6]], np.pi)
    assert np.allclose(robot.limits_at("urdf", {"joint_3": 1}).position_upper[2], 4.0 - 2 * np.pi)
    assert limits.position_upper[3] == 2.57
    counted = RobotFile.load(
        write("command: {across_turn: refused}\njoint_states: {turns: counted}")
    )
    assert np.isinf(counted.limits_at("urdf", {}).position_upper[0])


