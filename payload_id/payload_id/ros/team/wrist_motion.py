"""Motions of a team's wrists, planned from a report and made a message; nothing moves by them."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Twist
from trajectory_msgs.msg import MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint

from ...core.errors import InputError
from ...core.excitation.wrists import HeldTeam, WristLimits, WristPlan, plan_wrists
from ...files.teams.team_file import TeamFile
from ..common.conversions import duration_message, transform_message, vector
from .live_team import TeamReport

STEP = 0.02  # [s] between two points
AT_REST = 0.05  # [rad/s, m/s] of a wrist when a motion is planned from where it is


def planned(
    report: TeamReport, team: TeamFile, limits: WristLimits, seconds: float
) -> tuple[WristPlan, HeldTeam]:
    """Return a motion planned from a report with an estimate, and the team it is planned for.

    Args:
        report: The report.
        team: The team.
        limits: What the motion may not exceed.
        seconds: How long it takes [s].

    Raises:
        InputError: A grasp frame is not known, a robot moves or is silent, or nothing is possible.
    """
    newest = {n: m.newest for n, m in report.members.items() if m.newest is not None}
    moving = [n for n, samples in newest.items() if np.abs(samples.twist[-1]).max() > AT_REST]
    if moving:
        raise InputError(f"{', '.join(moving)} still moves: hold the payload still, ask again.")
    if report.estimate is None:
        raise InputError("There is no estimate yet: call ~/start and move.")
    held = HeldTeam.of(report.estimate, team.bounds, newest)
    return plan_wrists(held, limits, seconds), held


def sentence_of(plan: WristPlan) -> str:
    """Return what is said of a plan."""
    ratio = np.exp(plan.predicted[-1].against(plan.before))
    used = ", ".join(f"{name} {100 * part:.0f} %" for name, part in plan.usage.items())
    return (
        f"Planned {plan.duration:.0f} s of wrist motion; intervals are predicted to shrink to "
        f"{100 * ratio:.0f} % on the mean. Taken of the limits: {used}."
    )


def wrist_motion_message(
    plan: WristPlan, held: HeldTeam, team: TeamFile
) -> MultiDOFJointTrajectory:
    """Return the pose of every grasp frame {i} in {i0}, the robot's own level frame, over time.

    Args:
        plan: The motion.
        held: The team for which it was planned.
        team: Its team file, which names the grasp frames.
    """
    message = MultiDOFJointTrajectory()
    message.joint_names = [team.robot(name).grasp_frame for name in held.names]
    time, turns, places = plan.poses(held, STEP)
    for k, seconds in enumerate(time):
        point = MultiDOFJointTrajectoryPoint()
        point.time_from_start = duration_message(float(seconds))
        for turn, place in zip(turns, places, strict=True):
            point.transforms.append(transform_message(turn[k], place[k]))
            lo, hi = max(k - 1, 0), min(k + 1, len(time) - 1)
            speed = (place[hi] - place[lo]) / (time[hi] - time[lo])
            point.velocities.append(Twist(linear=vector(speed)))
        message.points.append(point)
    return message
