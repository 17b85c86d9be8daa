"""What the robot file says of the driver, as watches of the bridge."""

from __future__ import annotations

from pathlib import PurePosixPath

from rclpy.node import Node

from ...files.robots.robot_file import RobotFile
from ..access.interfaces import state_beside
from ..execution.speed_slider import SpeedSlider
from ..execution.standing_arm import StandingArm
from ..supervision.claims_watch import ClaimsWatch
from ..supervision.condition_watch import condition_watches
from ..supervision.effort_watch import EffortWatch
from ..supervision.slider_watch import SliderWatch
from ..supervision.tracking_watch import TrackingWatch
from ..supervision.watch import Watch
from ..supervision.watches import Watches

USUAL_MANAGER = "controller_manager"


def manager_of(robot: RobotFile, stated: str) -> str:
    """Return the node of the controller manager, in the namespace of whoever asks.

    Args:
        robot: The robot file, which names it as without a namespace.
        stated: A parameter that goes before it; empty: none.
    """
    return stated or (robot.driver.controller_manager or USUAL_MANAGER).lstrip("/")


def is_manager_stated(robot: RobotFile, stated: str) -> bool:
    """Return whether there must be a controller manager: somebody says so."""
    return bool(stated or robot.driver.controller_manager)


def driver_watches(
    node: Node,
    robot: RobotFile,
    arm: StandingArm,
    manager: str,
    target: str,
    slider: SpeedSlider,
    partner: str | None = None,
) -> Watches:
    """Return all watches of an arm.

    Args:
        node: The node.
        robot: The robot file.
        arm: The arm as its joint states tell it.
        manager: Node of the controller manager.
        target: Full name of the controller's topic or action.
        slider: What the node hears of the speed slider.
        partner: A controller that has the arm in motion in that one's place.

    Raises:
        ConfigurationError: A condition of the robot file is about a field that its type lacks.
    """
    watches: list[Watch] = [
        *condition_watches(node, robot.driver),
        ClaimsWatch(node, manager, PurePosixPath(target).parent.name, robot.joints, partner),
        EffortWatch(robot.joints, robot.driver.effort_warning, arm.states),
        SliderWatch(node, slider),
    ]  # fmt: skip
    if partner is None:  # what a controller refers to that does not follow the motion is not it
        state, error = state_beside(target), arm.encoder_error
        watches.append(TrackingWatch(node, state, robot.joints, arm.continuous, error))
    return Watches(watches)
