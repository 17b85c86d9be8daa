"""`./payload-id view`, or `python -m payload_id.ros.view.node`: the live view in the browser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

import rclpy
from rcl_interfaces.srv import GetParameters

from ...core.errors import ConfigurationError, PayloadIdError
from ...files.robots.arm_frames import ArmFrames
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..client.payload_client import PayloadClient
from ..client.waiting import NotAnsweredError, answer_of, impossible_names_told
from ..common.main_loop import start_ros, stop_signal
from ..common.timeouts import FOUND
from .arguments import NodeNames, add_arguments
from .session_auth import LOOPBACK, SessionAuth
from .tasks import Tasks
from .topic_cache import TopicCache


def serve(arguments: argparse.Namespace) -> int:
    """Serve the view until interrupted; return the exit code.

    Raises:
        PayloadIdError: The view cannot be started.
    """
    try:
        from .bodies import link_triangles
        from .live_arm import LiveArm
        from .page import Page
        from .web_server import WebServer, show_page
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The live view needs {error.name}, which is not installed here: pip install viser."
        ) from error

    ended = stop_signal()
    names = NodeNames(*(getattr(arguments, name) for name in vars(NodeNames())))
    others = names.estimator, names.planner, names.bridge
    start_ros()
    try:
        with impossible_names_told(), PayloadClient(*others) as client:
            robot = RobotFile.load(arguments.robot or robot_of(client, names.estimator))
            arm = LiveArm(
                robot,
                RobotModel.from_robot_file(robot),
                ArmFrames(robot.urdf),
                link_triangles(robot.urdf, robot.urdf_path.parent),
                TopicCache(client, robot, names),
                Tasks(client, names),
                SessionAuth(),
                arguments.allow_motion,
                arguments.host in LOOPBACK,
            )
            make_page = partial(Page, arm=arm)
            with WebServer(arm.poll, make_page, arguments.host, arguments.port) as server:
                print(greeting(arguments, server.address, arm.auth.token), flush=True)
                show_page(server.address)
                ended.wait()
    finally:
        rclpy.try_shutdown()
    return 0


def greeting(arguments: argparse.Namespace, address: str, token: str) -> str:
    """Return what the terminal says."""
    motion = (
        "Who has the token may MOVE THE ARM; each motion is confirmed on the page."
        if arguments.allow_motion
        else "The arm cannot be moved from it (--allow-motion lets it)."
    )
    return f"Live view: {address}\nToken for commands: {token}\n{motion} Ctrl-C ends the view."


def robot_of(client: PayloadClient, estimator: str) -> str:
    """Return the robot file that the estimator has.

    Raises:
        ConfigurationError: It does not say.
    """
    asking = client.node.create_client(GetParameters, f"{estimator}/get_parameters")
    try:
        answer = answer_of(asking, GetParameters.Request(names=["robot_file"]), FOUND)
    except NotAnsweredError as error:
        raise ConfigurationError(
            f"The estimator '{estimator}' does not say which robot file it has: {error} Start it, "
            "or name the robot with --robot."
        ) from error
    return str(answer.values[0].string_value)


def main(args: Sequence[str] | None = None) -> int:
    """Serve the view; returns the exit code."""
    parser = argparse.ArgumentParser(prog="view", description=__doc__)
    add_arguments(parser)
    try:
        return serve(parser.parse_args(args))
    except PayloadIdError as error:
        print(f"payload_id: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
