"""`./payload-id view`, or `python -m payload_id.ros.view.node`: the live view in the browser."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from functools import partial

import rclpy
from rcl_interfaces.srv import GetParameters

from ...core.errors import ConfigurationError, PayloadIdError
from ...files.robots.robot_file import RobotFile
from ..client.payload_client import PayloadClient
from ..client.waiting import NotAnsweredError, impossible_names_told, wait_for
from ..common.main_loop import start_ros
from .arguments import add_arguments
from .session.guard import Guard, is_loopback
from .session.heard import Heard
from .session.names import Names
from .session.tasks import Tasks

ANSWER = 10.0  # [s] in which the estimator says which robot file it has


def serve(arguments: argparse.Namespace) -> int:
    """Serve the view until interrupted; return the exit code.

    Raises:
        PayloadIdError: The view cannot be started.
    """
    try:
        from .page.page import Page
        from .server import Server
        from .session.desk import Desk
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The live view needs {error.name}, which is not installed here: pip install viser."
        ) from error

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    names = Names(*(getattr(arguments, name) for name in vars(Names())))
    start_ros()
    try:
        with impossible_names_told(), PayloadClient(names.estimator) as client:
            robot = RobotFile.load(arguments.robot or robot_of(client, names.estimator))
            planner = PlannerClient(client.node, names.planner, names.bridge)
            guard, tasks = Guard(), Tasks(client, planner, names)
            desk = Desk(
                robot, guard, Heard(client, robot, names), tasks, planner,
                arguments.allow_motion, is_loopback(arguments.host),
            )  # fmt: skip
            server = Server(desk.look, partial(Page, desk=desk), arguments.host, arguments.port)
            try:
                print(greeting(arguments, server.port, guard.token), flush=True)
                server.run(ended)
            finally:
                server.close()
    finally:
        rclpy.try_shutdown()
    return 0


def greeting(arguments: argparse.Namespace, port: int, token: str) -> str:
    """Return what the terminal says."""
    shown = "[::1]" if arguments.host == "::1" else arguments.host
    motion = (
        "Operators may MOVE THE ARM; each motion is confirmed on the page."
        if arguments.allow_motion
        else "The arm cannot be moved from it (--allow-motion lets it)."
    )
    return (
        f"Live view: http://{shown}:{port}\n"
        f"Token for commands: {token}\n"
        f"{motion} Ctrl-C ends the view; the nodes go on."
    )


def robot_of(client: PayloadClient, estimator: str) -> str:
    """Return the robot file that the estimator has.

    Raises:
        ConfigurationError: It does not say.
    """
    asking = client.node.create_client(GetParameters, f"{estimator}/get_parameters")
    try:
        wait_for(asking.service_is_ready, ANSWER, "the estimator")
        future = asking.call_async(GetParameters.Request(names=["robot_file"]))
        wait_for(future.done, ANSWER, "the estimator's robot file")
        return str(future.result().values[0].string_value)
    except NotAnsweredError as error:
        raise ConfigurationError(
            f"The estimator '{estimator}' does not say which robot file it has: {error} Start it, "
            "or name the robot with --robot."
        ) from error
    finally:
        client.node.destroy_client(asking)


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
