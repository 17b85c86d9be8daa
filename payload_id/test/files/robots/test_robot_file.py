"""Robot files: what is shipped loads, and every mistake gets one clear sentence."""

from __future__ import annotations

import numpy as np
import pytest

from described_arms import described
from payload_id.core.errors import ConfigurationError, InputError, ModelError
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.robots.description import urdf
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile, robot_names
from payload_id.files.robots.robot_model import RobotModel

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


@pytest.mark.parametrize("name", robot_names())
def test_every_shipped_robot_loads_by_name_and_by_path(name):
    robot = RobotFile.load(name)
    assert robot.name == name and str(share_folder()) not in robot.urdf
    assert robot.n == len(robot.joints) == len(robot.home)
    assert RobotFile.load(ROBOTS / f"{name}.yaml").urdf == robot.urdf
    for limits in robot.limit_sets.values():
        for values in (limits.velocity, limits.acceleration, limits.torque):
            assert values.shape == (robot.n,) and (values > 0).all()


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


def test_effort_becomes_torque_by_sign_offset_and_constants(write):
    robot = RobotFile.load(write("effort: {offset: [1, 0, 0, 0, 0, 0, 0]}\n"))
    tau = robot.effort.torque(np.arange(14.0).reshape(2, 7))
    np.testing.assert_allclose(tau, [[-1, -1, -2, -3, -4, -5, -6], [-8, *range(-8, -14, -1)]])
    text = "effort: {source: current, torque_constants: [2, 2, 2, 2, 1, 1, 1]}\n"
    effort = RobotFile.load(write(text)).effort
    np.testing.assert_allclose(effort.torque(np.ones(7)), [-2, -2, -2, -2, -1, -1, -1])
    with pytest.raises(InputError, match="none"):
        RobotFile.load(write("effort: {source: none}\n")).effort.torque(np.zeros(7))


UNREADABLE = (
    ("a.urdf", None, {}, "does not exist"), ("a.urdf", "<robot>\n<link>\n</robot>", {}, "line 3"),
    ("a.urdf", "<robot/>", {"vision": True}, "xacro"),
    ("a.urdf.xacro", "<robot>\n<link>\n</robot>", {}, "line 3"),
    ("a.urdf.xacro", "{}<xacro:nothing/></robot>", {}, "nothing"),
    ("a.urdf.xacro", "{}${{1/0}}</robot>", {}, "a.urdf.xacro"),
    ("a.urdf.xacro", "{}<xacro:include filename='a.urdf.xacro'/></robot>", {}, "itself"),
    ("a.urdf.xacro", "{}<link name='${{9**9**9}}'/></robot>", {}, "does not come to an end"),
    ("a.urdf.xacro", "{}<link name='${{[0] * 10**10}}'/></robot>", {}, "2 GB"),
    ("a.urdf.xacro", '{}<link name="${{__import__(\'os\').getcwd()}}"/></robot>', {}, "expand"),
)  # fmt: skip


def test_a_description_that_cannot_be_read_says_why_and_has_an_end(tmp_path, monkeypatch):
    for name, content, arguments, words in UNREADABLE:
        monkeypatch.setattr(urdf, "PATIENCE", 1.0 if "end" in words else 30.0)
        (tmp_path / name).unlink(missing_ok=True)
        if content is not None:
            (tmp_path / name).write_text(content.format("<robot name='a' xmlns:xacro='http://x'>"))
        with pytest.raises(ModelError, match=words) as caught:
            read_urdf(tmp_path / name, arguments)
        assert name in str(caught.value) and "\n" not in str(caught.value)
    for robot, wrong in (("kinova_gen3", {"gripper": "robotiq"}), ("xarm7", {"inertials": "HT"})):
        with pytest.raises(ModelError, match="allowed: "):
            read_urdf(share_folder() / "urdf" / f"{robot}.urdf.xacro", wrong)


def test_names_that_are_none_are_told_with_those_that_are_known(write, tmp_path):
    (tmp_path / "a.yaml").write_text("extends: b.yaml\n")
    (tmp_path / "b.yaml").write_text("extends: a.yaml\n")
    for path, words in (
        ("kinova_gen", "kinova_gen3"), ("arm.urdf", "robot file"),
        (tmp_path / "a.yml", "a.yaml"), (tmp_path / "no" / "a.yaml", "folder"),
        (tmp_path / "a.yaml", "a.yaml -> b.yaml -> a.yaml"),
        (write("xacro_arguments: {vison: true}\n"), "vision"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            RobotFile.load(path)
    with pytest.raises(InputError, match="safety_warning"):
        RobotFile.load("kinova_gen3").limits_named("safety_warnin")


SMALL = """urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
effort: {source: torque}
uncertainty: {torque_absolute: 1.0}
"""


def test_who_only_identifies_need_not_repeat_the_description(write, tmp_path):
    (tmp_path / "arm.urdf").write_text(described())
    robot = RobotFile.load(write(SMALL + "home: [0.1, 9.0]\n", parent=""))
    assert robot.name == "arm"
    assert robot.limit_sets == {}
    assert robot.turn_limited == ()
    assert RobotModel.from_robot_file(robot).joints == ("shoulder", "elbow")
    for ask in (lambda: robot.limits, lambda: robot.limits_at("urdf", {})):
        with pytest.raises(ConfigurationError, match="acceleration"):
            ask()
    stated = "limits: {sets: {urdf: {acceleration: [5, 6], velocity: [1, 1]}}}\n"
    limits = RobotFile.load(write(SMALL + stated, parent="")).limits
    np.testing.assert_array_equal(limits.position_lower, [-3, -2])
    np.testing.assert_array_equal(limits.position_upper, [3, 2])
    np.testing.assert_array_equal(limits.torque, [60, 40])
    np.testing.assert_array_equal(limits.velocity, [1, 1])
    np.testing.assert_array_equal(limits.acceleration, [5, 6])


def test_a_cable_limits_the_whole_turn_in_every_set_and_in_the_turns_that_are_reported(write):
    path = write("turn_limits: {joint_3: {lower: -7.0, upper: 4.0}}")
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
                                 "turn_limits: {joint_3: {lower: -7.0, upper: 4.0}}"))  # fmt: skip
    limits = robot.limits_at("urdf", {"joint_3": 0})
    assert np.allclose(limits.position_upper[[0, 2, 4, 6]], np.pi)
    assert np.allclose(robot.limits_at("urdf", {"joint_3": 1}).position_upper[2], 4.0 - 2 * np.pi)
    assert limits.position_upper[3] == 2.57
    counted = RobotFile.load(
        write("command: {across_turn: refused}\njoint_states: {turns: counted}")
    )
    assert np.isinf(counted.limits_at("urdf", {}).position_upper[0])
