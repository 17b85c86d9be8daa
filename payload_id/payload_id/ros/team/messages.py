"""What a team's node publishes and answers, made of reports."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import TransformStamped
from payload_id_msgs.msg import GraspFrame as GraspFrameMessage
from payload_id_msgs.msg import GravityShare, TeamFinding, TeamMember
from payload_id_msgs.msg import TeamEstimate as TeamMessage
from tf2_msgs.msg import TFMessage

from ...core.arm.centre_of_mass import com_interval
from ...core.identification.status import IDENTIFIED
from ...core.team.estimate import GraspedPayload, GraspFrame, TeamEstimate
from ...files.teams.team_file import TeamFile
from ..common.conversions import pose_message, time_message, transform_message, vector
from .live_team import TeamReport

NAN = float("nan")
UNKNOWN = np.full(3, np.inf)


def team_message(
    report: TeamReport, team: TeamFile, members: Callable[[], list[TeamMember]]
) -> TeamMessage:
    """Return a report as a message.

    Args:
        report: The report.
        team: The team.
        members: Returns how its robots are doing.
    """
    message, estimate = TeamMessage(), report.estimate
    message.header.stamp = time_message(report.stamp_ns)
    message.header.frame_id = team.robots[0].grasp_frame
    message.status = getattr(TeamMessage, report.status.value)
    message.message, message.reference = report.message, team.names[0]
    message.phi, message.lower = np.full(10, NAN), np.full(10, -np.inf)
    message.upper = np.full(10, np.inf)
    message.centre = pose_message(np.full((3, 3), NAN), np.full(3, NAN))
    message.principal_moments = np.full(3, NAN)
    message.members = members()
    message.shares = shares_of(report, team)
    message.noise_factor = message.seconds = NAN
    message.solve_seconds = float(report.solve_seconds)
    if estimate is not None:
        _fill(message, estimate, team)
    return message


def _fill(message: TeamMessage, estimate: TeamEstimate, team: TeamFile) -> None:
    """Put an estimate into a message."""
    message.phi, message.lower, message.upper = estimate.phi, estimate.lower, estimate.upper
    message.identifiable = [bool(x) for x in estimate.identifiable]
    if (axes := estimate.axes) is not None:
        message.centre = pose_message(axes.rotation, axes.com)
        message.principal_moments = axes.moments
    message.frames = [frame_message(estimate.frames.get(name), name) for name in team.names]
    message.findings = [
        TeamFinding(
            fault=finding.fault.value,
            robots=list(finding.robots),
            sentence=finding.sentence,
            since=float(finding.since),
        )
        for finding in estimate.findings
    ]
    message.cannot = list(estimate.cannot)
    message.windows, message.holds = int(estimate.windows), int(estimate.holds)
    message.noise_factor, message.seconds = float(estimate.noise_factor), float(estimate.time)


def frame_message(frame: GraspFrame | None, name: str) -> GraspFrameMessage:
    """Return a grasp frame as a message; one that says that nothing is known for None."""
    message = GraspFrameMessage(robot=name)
    if frame is None:
        nothing = np.full((6, 6), NAN)
        frame = GraspFrame(name, nothing[:3, :3], nothing[0, :3], nothing, UNKNOWN, UNKNOWN,
                           NAN, NAN, np.inf)  # fmt: skip
    message.known = frame.known
    message.transform = transform_message(frame.rotation, frame.position)
    message.covariance = np.ravel(frame.covariance)
    message.rotation_bound, message.position_bound = frame.rotation_bound, frame.position_bound
    message.clock, message.clock_deviation = float(frame.clock), float(frame.clock_deviation)
    message.clock_bound = float(frame.clock_bound)
    return message


def frames_message(report: TeamReport, estimate: TeamEstimate, team: TeamFile) -> TFMessage:
    """Return the known grasp frames of the others in that of the first robot."""
    message = TFMessage()
    for name in team.names[1:]:
        frame = estimate.frames.get(name)
        if frame is not None and frame.known:
            one = TransformStamped(child_frame_id=team.robot(name).grasp_frame)
            one.header.frame_id = team.robots[0].grasp_frame
            one.header.stamp = time_message(report.stamp_ns)
            one.transform = transform_message(frame.rotation, frame.position)
            message.transforms.append(one)
    return message


def shares_of(report: TeamReport, team: TeamFile) -> list[GravityShare]:
    """Return what each robot carries, in the team's order."""
    found = {} if report.estimate is None else report.estimate.payload
    by_name = {payload.name: payload for payload in found.values()}
    return [share_message(report, team, name, by_name.get(name)) for name in team.names]


def share_message(
    report: TeamReport, team: TeamFile, name: str, payload: GraspedPayload | None
) -> GravityShare:
    """Return what a robot carries; a message that says why that is not known where it is not."""
    message = GravityShare(robot=name)
    message.header.stamp = time_message(report.stamp_ns)
    message.header.frame_id = team.robot(name).grasp_frame
    unknown = GraspedPayload(name, np.full(10, NAN), np.full(10, -np.inf), np.full(10, np.inf))
    known = payload or unknown
    mass, lower, upper = known.phi[0], known.lower[0], known.upper[0]
    interval = com_interval(known.lower, known.upper)
    com = known.phi[1:4] / mass if mass > 0.0 else np.full(3, NAN)
    ends = (-UNKNOWN, UNKNOWN) if interval is None else interval
    message.mass, message.mass_lower, message.mass_upper = map(float, (mass, lower, upper))
    message.com, message.com_lower, message.com_upper = map(vector, (com, *ends))
    shares = known.share, known.share_lower, known.share_upper
    message.share, message.share_lower, message.share_upper = map(float, shares)
    message.mass_share = float(known.share * mass)
    message.mass_share_lower, message.mass_share_upper = _product(
        (known.share_lower, known.share_upper), (max(float(lower), 0.0), float(upper))
    )
    is_usable = report.usable and bool(np.isfinite([mass, *com]).all())
    half_width = float(np.max(ends[1] - ends[0])) / 2
    message.valid = is_usable and half_width <= IDENTIFIED * team.prior.com_max
    if not message.valid:
        message.message = f"Not known: {report.status.words}. {report.message}".strip()
    if is_usable and not message.valid:
        message.message = (
            "The mass is known, but not where its centre is: the interval from this robot's grasp "
            f"is ± {half_width:.3g} m, and com_max of the team file alone says "
            f"± {team.prior.com_max:.3g} m. Hold the payload still in more orientations."
        )
    if not report.members[name].holds:
        message.valid = False
        message.message = f"{name} has let go of the payload: it carries nothing of it."
    return message


def _product(one: tuple[float, float], mass: tuple[float, float]) -> tuple[float, float]:
    """Return the interval of products; infinite ends give infinite ones."""
    if not np.isfinite([*one, *mass]).all():
        return -np.inf, np.inf
    ends = [a * b for a in one for b in mass]
    return min(ends), max(ends)
