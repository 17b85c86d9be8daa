"""Profiles: what is stated of drivers holds together, limits are the tightest of their sources."""

from __future__ import annotations

import numpy as np
import pytest

from described_arms import described
from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.package_data import shipped
from payload_id.files.drivers.driver_facts import Condition, named_within, namespace_of
from payload_id.files.robots.robot_file import RobotFile, robot_names
from payload_id.files.robots.robot_keys import RobotProfile

GENERIC = """extends: package://payload_id/config/robots/generic.yaml
urdf: arm.urdf
joints: [shoulder, elbow]
payload_frame: tool
effort: {source: torque}
uncertainty: {torque_absolute: 1.0}
"""
GEN3 = "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
DEG = np.pi / 180


def test_every_profile_loads_and_one_without_description_says_what_to_add():
    assert {"kinova_gen3", "xarm7", "omnid", "ur10e", "fr3", "iiwa14"} < set(robot_names())
    for name in shipped("robots"):
        profile = RobotProfile.load(name)
        assert profile.name == name and bool(profile.urdf) == (name in robot_names())
        if not profile.urdf:
            with pytest.raises(ConfigurationError, match=rf"{name}\.yaml.*'urdf'"):
                RobotFile.load(name)
            continue
        robot = RobotFile.load(name)
        assert robot.joints == profile.joints
        assert robot.driver.controller == profile.driver.controller
        if name not in ("omnid", "fr3_like_torque"):  # which are told of no load
            assert f'link name="{robot.driver.payload.frame}"' in robot.urdf
            assert robot.driver.payload.rated_mass is not None


def test_a_profile_is_extended_by_a_description(tmp_path):
    (tmp_path / "arm.urdf").write_text(described())
    path = tmp_path / "mine.yaml"
    path.write_text(GENERIC)
    robot = RobotFile.load(path)
    assert robot.joints == ("shoulder", "elbow")
    assert robot.driver.controller.name == "joint_trajectory_controller"
    np.testing.assert_array_equal(robot.driver.goal.path, [0.05, 0.05])


def test_what_drivers_execute_is_as_they_do_and_unknown_stays_unknown():
    gen3, xarm, omnid = (RobotProfile.load(x) for x in ("kinova_gen3", "xarm7", "omnid"))
    np.testing.assert_array_equal(gen3.effort.sign, -np.ones(7))
    assert gen3.driver.ignored == ("velocity", "effort")
    assert gen3.driver.executes("position") is True and gen3.driver.executes("effort") is False
    assert xarm.driver.executes("effort") is False
    assert xarm.driver.goal.path.shape == xarm.driver.goal.end.shape == (7,)
    assert (xarm.driver.goal.path < 1.0).all()  # the driver's own on joints 1 to 6
    assert [step.service for step in xarm.driver.reset.values()] == [
        f"/xarm/{name}" for name in ("clean_error", "motion_enable", "set_mode", "set_state")
    ]
    assert omnid.driver.executes("effort") is None is omnid.driver.payload.target


def test_a_condition_judges_numbers_and_flags():
    ready = Condition(
        topic="/xarm/robot_states", type="xarm_msgs/msg/RobotMsg", field="state", allowed=(1, 2)
    )
    assert [ready.holds(x) for x in (1, 2, 4)] == [True, True, False]
    fault = RobotProfile.load("kinova_gen3").driver.follows_while["no_fault"]
    assert fault.holds(False) and not fault.holds(True)


# What sources say, in the order joint 1 to 7: position_lower, position_upper, velocity,
# acceleration, effort; transcribed from them, not from the robot files. Deg as they are stated.
GEN3_ENDS = {"description": (2.24, 2.57, 2.09), "ros2_control": (2.41, 2.66, 2.23),
             "guide": (128.9 * DEG, 147.8 * DEG, 120.3 * DEG)}  # fmt: skip


def test_gen3_limits_in_use_are_the_tightest_of_their_sources():
    limits = RobotFile.load("kinova_gen3").limits
    for ends in GEN3_ENDS.values():
        assert (limits.position_upper[[1, 3, 5]] <= np.array(ends)).all()
        assert (limits.position_lower[[1, 3, 5]] >= -np.array(ends)).all()
    for speed in (np.repeat([1.3963, 1.2218], (4, 3)), np.repeat([100, 180], (4, 3)) * DEG):
        assert (limits.velocity <= speed).all()
    assert (limits.torque <= np.repeat([39.0, 9.0], (4, 3))).all()
    # The guide states hundredths of a degree: 572.95 deg/s2 are 9.99986 rad/s2.
    guide = np.repeat([297.94, 572.95], (4, 3)) * DEG
    assert (limits.acceleration <= guide + 0.01 * DEG).all()
    assert limits.position_upper[1] == min(x[0] for x in GEN3_ENDS.values())


def test_xarm7_limits_in_use_are_the_tightest_of_their_sources():
    limits = RobotFile.load("xarm7").limits
    rounding = 1e-5  # the description's numbers have five decimals
    upper = np.array([360, 120, 360, 225, 360, 180, 360]) * DEG
    lower = np.array([-360, -118, -360, -11, -360, -97, -360]) * DEG
    assert (limits.position_upper <= upper + rounding).all()
    assert (limits.position_lower >= lower - rounding).all()
    assert (limits.velocity <= min(3.14, 180 * DEG)).all()
    assert (limits.acceleration <= 1146 * DEG).all()
    assert (limits.torque <= [50, 50, 30, 30, 30, 20, 20]).all()


def test_names_of_a_driver_are_found_in_the_namespace_of_its_topic(tmp_path):
    for name, there in {
        "/set_load": "/left/set_load", "set_load": "/left/set_load",
        "/left/set_load": "/left/set_load", "/leftover/set_load": "/left/leftover/set_load",
        "~/set_load": "~/set_load", "": "",
    }.items():  # fmt: skip
        assert named_within(name, "/left") == there and named_within(name, "") == name
    for topic, namespace in {
        "/left/controller/trajectory": "/left", "/cell/left/controller/trajectory": "/cell/left",
        "/controller/trajectory": "", "/my_controller/trajectory": "", "/elsewhere": "",
    }.items():  # fmt: skip
        for name in ("/controller/trajectory", "controller/trajectory"):
            assert namespace_of(topic, name) == namespace
    path = tmp_path / "left.yaml"
    topic = "/left/joint_trajectory_controller/joint_trajectory"
    path.write_text(f"{GEN3}command: {{trajectory_topic: {topic}}}\n")
    assert RobotFile.load(path).command.trajectory_topic == topic
