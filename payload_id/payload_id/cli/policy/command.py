"""`payload-id policy`: write SROS 2 policy and DDS permissions of all nodes and roles."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path, PurePosixPath
from typing import Annotated

from ...core.errors import ConfigurationError
from ...files.configuration.atomic_write import save
from ..common.options import Robot, argument, option

MORE = "Seldom needed"
VALID = timedelta(days=3650)  # as the certificates of `ros2 security`


def policy(
    folder: Annotated[
        Path,
        argument(parser=Path, metavar="FOLDER", help="where policy.xml and enclaves/ are put"),
    ],
    robot: Robot = "kinova_gen3",
    namespace: Annotated[str, option("of the nodes (default: /)", metavar="NAME")] = "/",
    team: Annotated[
        str, option("team file, or a shipped name; for payload_team", metavar="FILE")
    ] = "",
    team_robot: Annotated[
        str,
        option(
            "of the Omnid that payload_bridge moves by its team's topics, such as /omnid1",
            metavar="NAMESPACE",
            panel=MORE,
        ),
    ] = "",
    name: Annotated[
        list[str],
        option(
            "another name than the robot file's or the default, such as planner=arm_2; a wrong "
            "one lists all that there are",
            metavar="WHAT=NAME",
            panel=MORE,
        ),
    ] = [],  # noqa: B006  # is not changed
) -> int:
    """Write who may do what on a network, for SROS 2."""
    from ...files.robots.robot_file import RobotFile
    from ...files.teams.team_file import SHARE, TeamFile
    from ...ros.access.domain import ros_domain
    from ...ros.access.interfaces import set_point_topics
    from ...ros.access.permissions import permissions_xml
    from ...ros.access.policy import enclaves, policy_xml

    arm = RobotFile.load(robot or "kinova_gen3")
    driver = arm.driver
    names = {
        "joint_states": arm.joint_states.topic,
        "joint_trajectory": arm.command.trajectory_topic,
        "speed_scaling": driver.speed_scaling_topic or "",
        "driver_topics": " ".join(sorted({x.topic for x in driver.follows_while.values()})),
        "payload_service": driver.payload.service or "",
        "payload_state": driver.payload.state_topic or "",
    }
    if driver.controller_manager:
        names["controller_manager"] = driver.controller_manager
    # All of the arm lies in the namespace of the nodes.
    names = {what: " ".join(x.lstrip("/") for x in said.split()) for what, said in names.items()}
    if team_robot:
        names |= {"set_point_topics": set_point_topics(team_robot)}
        names |= dict.fromkeys(("joint_trajectory", "controller"), "")
    if team:
        holding = TeamFile.load(team).robots
        names["team_topics"] = " ".join(x for one in holding for x in one.topics.values())
        names["team_shares"] = " ".join(f"{one.namespace}/{SHARE}" for one in holding)
    for entry in name:
        what, equals, text = entry.partition("=")
        if not equals:
            raise ConfigurationError(
                f"--name takes WHAT=NAME, such as planner=arm_2; not {entry!r}."
            )
        names[what] = text
    names = {"controller": str(PurePosixPath(names["joint_trajectory"]).parent)} | names
    found, domain = enclaves(names, namespace), ros_domain()
    begin = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0)
    policy = folder / "policy.xml"
    save(policy, policy_xml(found), "policy")
    for enclave in found:
        path = folder / "enclaves" / enclave.path.lstrip("/") / "permissions.xml"
        save(path, permissions_xml(enclave, domain, begin, begin + VALID), "policy")
    print(
        f"{policy}: {len(found)} enclaves, of nodes and of the roles reader, operator and mover\n"
        f"{folder / 'enclaves'}: the permissions that follow in domain {domain}, unsigned"
    )
    return 0
