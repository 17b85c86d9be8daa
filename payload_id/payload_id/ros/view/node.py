"""`./payload-id view`: the live view of running nodes in the browser."""

from __future__ import annotations

from functools import partial

from rcl_interfaces.srv import GetParameters

from ...core.errors import ConfigurationError
from ...files.robots.arm_frames import ArmFrames
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_model import RobotModel
from ..client.payload_client import PayloadClient
from ..client.waiting import NotAnsweredError, answer_of, impossible_names_told
from ..common.main_loop import ros_running, stop_signal
from ..common.timeouts import FOUND
from .node_names import NodeNames
from .session_auth import LOOPBACK, SessionAuth
from .tasks import Tasks
from .topic_cache import TopicCache


def serve(robot: str, names: NodeNames, host: str, port: int, allow_motion: bool) -> int:
    """Serve the view until interrupted; return the exit code.

    Args:
        robot: Robot file, or the name of a shipped one; empty: that of the running estimator.
        names: Of the nodes.
        host: Address to listen on.
        port: 0: any that is free.
        allow_motion: Whether who has the token may MOVE THE ARM.

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
    others = names.estimator, names.planner, names.bridge
    with ros_running(), impossible_names_told(), PayloadClient(*others) as client:
        file = RobotFile.load(robot or robot_of(client, names.estimator))
        arm = LiveArm(
            file,
            RobotModel.from_robot_file(file),
            ArmFrames(file.urdf),
            link_triangles(file.urdf, file.urdf_path.parent),
            TopicCache(client, file, names),
            Tasks(client, names),
            SessionAuth(),
            allow_motion,
            host in LOOPBACK,
        )
        with WebServer(arm.poll, partial(Page, arm=arm), host, port) as server:
            print(greeting(server.address, arm.auth.token, allow_motion), flush=True)
            show_page(server.address)
            ended.wait()
    return 0


def greeting(address: str, token: str, allow_motion: bool) -> str:
    """Return what the terminal says."""
    motion = (
        "Who has the token may MOVE THE ARM; each motion is confirmed on the page."
        if allow_motion
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
