"""`payload-id policy`: write SROS 2 policy and DDS permissions of all nodes and roles."""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError
from ...files.configuration.whole_file import saved_file
from ...files.robots.robot_file import RobotFile
from ...files.teams.team_file import SHARE, TeamFile
from ...ros.access.domain import ros_domain
from ...ros.access.interfaces import NAMES, action_beside, set_point_topics, state_beside
from ...ros.access.permissions import permissions_xml
from ...ros.access.policy import enclaves, policy_xml
from ..common.arguments import add_verb

VALID = timedelta(days=3650)  # as the certificates of `ros2 security`


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    parser = add_verb(verbs, "policy", "write who may do what on a network, for SROS 2")
    parser.add_argument("folder", type=Path, help="where policy.xml and enclaves/ are put")
    parser.add_argument("--robot", default="kinova_gen3", help="robot file, or a shipped name")
    parser.add_argument("--team", default="", help="team file, or a shipped name; for payload_team")
    parser.add_argument(
        "--team-robot",
        default="",
        metavar="NAMESPACE",
        help="of the Omnid that payload_bridge moves by its team's topics, such as /omnid1",
    )
    parser.add_argument("--namespace", default="/", help="of the nodes (default: %(default)s)")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="WHAT=NAME",
        help=f"another name than the robot file's or the default; WHAT: {', '.join(NAMES)}",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the files; return the exit code."""
    robot = RobotFile.load(arguments.robot)
    names = {
        "joint_states_topic": robot.joint_states.topic,
        "trajectory_topic": robot.command.trajectory_topic,
        "speed_scaling_topic": robot.driver.speed_scaling_topic or "",
        "driver_topics": " ".join(sorted({x.topic for x in robot.driver.follows_while.values()})),
        "payload_service": robot.driver.payload.service or "",
        "payload_state_topic": robot.driver.payload.state_topic or "",
    }
    if robot.driver.controller_manager:
        names["controller_manager"] = robot.driver.controller_manager.lstrip("/")
    if arguments.team_robot:
        names |= {
            "set_point_topics": set_point_topics(arguments.team_robot),
            "trajectory_topic": "",
            "trajectory_action": "",
            "controller_state": "",
        }
    if arguments.team:
        team = TeamFile.load(arguments.team)
        names["team_topics"] = " ".join(x for robot in team.robots for x in robot.topics.values())
        names["team_shares"] = " ".join(f"{robot.namespace}/{SHARE}" for robot in team.robots)
    for entry in arguments.name:
        what, equals, name = entry.partition("=")
        if not equals:
            raise ConfigurationError(
                f"--name takes WHAT=NAME, such as planner=arm_2; not {entry!r}."
            )
        names[what] = name
    if topic := names["trajectory_topic"]:
        beside = {
            "trajectory_action": action_beside(topic),
            "controller_state": state_beside(topic),
        }
        names = beside | names
    found, domain = enclaves(names, arguments.namespace), ros_domain()
    begin = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0)
    policy = arguments.folder / "policy.xml"
    _write(policy, policy_xml(found))
    for enclave in found:
        path = arguments.folder / "enclaves" / enclave.path.lstrip("/") / "permissions.xml"
        _write(path, permissions_xml(enclave, domain, begin, begin + VALID))
    print(
        f"{policy}: {len(found)} enclaves, of nodes and of the roles reader, operator and mover\n"
        f"{arguments.folder / 'enclaves'}: the permissions that follow in domain {domain}, unsigned"
    )
    return 0


def _write(path: Path, text: str) -> None:
    with saved_file(path, "policy") as file:
        file.write(text.encode())
