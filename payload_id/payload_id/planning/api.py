"""`plan` and `certify` from Python: what the planner does, without nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Array, real_numbers
from ..core.body.payload_prior import PayloadPrior
from ..core.errors import ConfigurationError, InputError, PayloadIdError, UnknownNameError
from ..core.excitation.criteria import DEFAULT
from ..core.motion.motion_state import AT_REST
from ..core.motion.trajectory import Trajectory
from ..core.rows.joint_torque.uncertainty import Uncertainty
from ..core.safety.certificate.certificate import Certificate
from ..core.safety.certificate.certified_motion import CertifiedStop
from ..core.safety.certificate.certify import certify as prove
from ..core.safety.clearance.convex_body import ConvexBody
from ..core.safety.margins.margin import Refusal
from ..core.safety.speed.speed_limits import PRESETS, SpeedLimits
from ..core.threads import one_thread
from ..files.cells.cell_file import Cell
from ..files.robots.robot_file import RobotFile
from ..files.runs.certificate_file import save_certificate
from ..files.runs.signing_key import SigningKey
from .case_settings import CLEARANCE, POINT_RATE, CaseSettings, payload_volume
from .request import Figures, Goal, PlanningSettings, PlanRequest, Refused
from .safety_cases import SafetyCases
from .worker import PlanningWorker

MOTION = "motion.json"  # of a plan's folder
OF_THE_PRIOR = "as the prior says"


class NotCertifiedError(PayloadIdError):
    """No motion was certified; the sentence says which constraint, where, and by how much."""


@dataclass(frozen=True)
class MotionPlan:
    """A motion that was planned and certified, with its stops.

    Attributes:
        motion: From rest to rest: `.duration` [s], `.at(times)` gives `.q`, `.dq`, `.ddq`.
        stops: Certified ways to end it early, by increasing time.
        certificate: Of the motion.
        figures: What a person wants to know of it.
        certificates: Those of motion and stops as they are saved, by the names of their files.
    """

    motion: Trajectory
    stops: tuple[CertifiedStop, ...]
    certificate: Certificate
    figures: Figures
    certificates: dict[str, str]

    def save(self, folder: Path | str) -> Path:
        """Write the certificates into a new folder; return the motion's.

        Raises:
            ConfigurationError: There is such a folder already, or it cannot be written.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True)
            for name, text in self.certificates.items():
                (folder / name).write_text(text, "utf-8")
        except OSError as error:
            raise ConfigurationError(
                f"The plan cannot be written into {folder}: {error.strerror}. Name a new folder."
            ) from error
        return folder / MOTION


def plan(
    robot: RobotFile | Path | str,
    *,
    cell: Path | str,
    start: ArrayLike | None = None,
    duration: float = 6.0,
    limits: str = "",
    payload_box: Sequence[float] | None = None,
    payload_box_centre: Sequence[float] = (0.0, 0.0, 0.0),
    payload: tuple[ArrayLike, ArrayLike] | None = None,
    prior: PayloadPrior | None = None,
    uncertainty: Uncertainty | None = None,
    obstacles: Sequence[ConvexBody] = (),
    speeds: SpeedLimits | str = "full",
    clearance: float = CLEARANCE,
    family: str = "fourier",
    criterion: str = DEFAULT,
    speed_scale: float = 1.0,
    time_budget: float = 4.0,
    seed: int = 0,
    stop_step: float = 0.25,
    by_torques: bool = False,
    key: Path | str = "",
) -> MotionPlan:
    """Return a motion that teaches the payload's parameters, certified, with certified stops.

    Args:
        robot: Robot file, its path, or a shipped name.
        cell: Path of a cell file, or "none, " and the reason why nothing stands around the arm.
        start: Pose to begin in, shape (n,) [rad or m]; None: the robot file's home.
        duration: Length of the motion at full speed [s].
        limits: Set of joint limits of the robot file; empty: the one it uses.
        payload_box: Lengths of a box in the payload frame that contains the payload [m]; None: no
            volume is checked.
        payload_box_centre: Its centre in that frame [m].
        payload: Ends of phi, shape (10,) each, such as an estimate's `lower` and `upper`; None: the
            prior's.
        prior: Of the payload; None: the robot file's.
        uncertainty: Bounds on the arm; None: the robot file's.
        obstacles: Beside those of the cell, in the base frame.
        speeds: Limits of speeds in space, or the name of a preset: collaborative, reduced, full.
        clearance: Distance that bodies keep where there is no cell file [m].
        family: "fourier", "there_and_back", "bezier" or "wave".
        criterion: What is made small.
        speed_scale: Part of the velocity limits that may be used [-].
        time_budget: Computing time [s]; infinite: until enough was tried, with the same answer on
            every machine.
        seed: Of what is drawn at random.
        stop_step: Time between two certified stops [s].
        by_torques: Whether the robust controller moves the arm, not its own position controller.
        key: Private key (PEM) that signs the certificates; empty: they are not signed.

    Raises:
        NotCertifiedError: No motion was certified.
        PayloadIdError: A file cannot be used, or a value is impossible.
    """
    robot = _robot(robot)
    bounds = _bounds(robot, uncertainty, prior)
    ends = _ends(payload)
    goal = Goal(
        family, criterion, duration, speed_scale, time_budget, seed, _limits(robot, limits),
        *ends, OF_THE_PRIOR if payload is None else "as stated",
    )  # fmt: skip
    volume = payload_volume(payload_box, payload_box_centre)
    settings = _settings(robot, bounds, cell, clearance, speeds, volume)
    settings = replace(settings, by_torques=by_torques)
    with TemporaryDirectory() as folder, one_thread():
        worker = PlanningWorker(
            PlanningSettings(**vars(settings), stop_step=stop_step, folder=folder,
                             signing_key=str(key))
        )  # fmt: skip
        answer = worker.plan(PlanRequest("plan", goal, _start(robot, start), tuple(obstacles)))
        if isinstance(answer, Refused):
            raise NotCertifiedError(answer.sentence)
        files = sorted(Path(folder, "plan").glob("*.json"))
        texts = {file.name: file.read_text("utf-8") for file in files}
    motion = answer.motion
    return MotionPlan(motion.trajectory, motion.stops, answer.certificate, answer.figures, texts)


def certify(
    robot: RobotFile | Path | str,
    motion: Trajectory,
    *,
    cell: Path | str,
    limits: str = "",
    payload_box: Sequence[float] | None = None,
    payload_box_centre: Sequence[float] = (0.0, 0.0, 0.0),
    payload: tuple[ArrayLike, ArrayLike] | None = None,
    prior: PayloadPrior | None = None,
    uncertainty: Uncertainty | None = None,
    obstacles: Sequence[ConvexBody] = (),
    speeds: SpeedLimits | str = "full",
    clearance: float = CLEARANCE,
    save_as: Path | str | None = None,
    key: Path | str = "",
) -> Certificate | Refusal:
    """Prove that a motion from rest to rest is safe at every instant, or say what is not kept.

    Args:
        robot: Robot file, its path, or a shipped name.
        motion: `motion_through`, a `FourierSeries`, or that of a plan or a certificate.
        cell: Path of a cell file, or "none, " and the reason why nothing stands around the arm.
        limits: Set of joint limits of the robot file; empty: the one it uses.
        payload_box: Lengths of a box that contains the payload, as for `plan` [m].
        payload_box_centre: Its centre [m].
        payload: Ends of phi, shape (10,) each; None: the prior's.
        prior: Of the payload; None: the robot file's.
        uncertainty: Bounds on the arm; None: the robot file's.
        obstacles: Beside those of the cell, in the base frame.
        speeds: Limits of speeds in space, or the name of a preset.
        clearance: Distance that bodies keep where there is no cell file [m].
        save_as: File into which the certificate is saved; None: it is not.
        key: Private key (PEM) that signs it; empty: it is not signed.

    Raises:
        InputError: The motion is not of this arm, or does not begin and end at rest.
        PayloadIdError: A file cannot be used, or a value is impossible.
    """
    robot = _robot(robot)
    bounds = _bounds(robot, uncertainty, prior)
    volume = payload_volume(payload_box, payload_box_centre)
    settings = _settings(robot, bounds, cell, clearance, speeds, volume)
    signing = SigningKey.load(key) if key else None
    cases = SafetyCases(settings)
    case = cases.case(_limits(robot, limits), {}, _ends(payload), tuple(obstacles))
    _check_rest(motion, robot.joints)
    with one_thread():
        outcome = prove(case, motion)
    if isinstance(outcome, Refusal):
        return outcome
    if coarse := cases.too_coarse(motion):
        raise InputError(coarse)
    if save_as is not None:
        save_certificate(save_as, outcome, case, motion, robot, settings.cell_stated, signing)
    return outcome


def _robot(robot: RobotFile | Path | str) -> RobotFile:
    """Return the robot file."""
    return robot if isinstance(robot, RobotFile) else RobotFile.load(robot)


def _bounds(
    robot: RobotFile, uncertainty: Uncertainty | None, prior: PayloadPrior | None
) -> Uncertainty:
    """Return the bounds, with another prior of the payload where one is given."""
    bounds = robot.uncertainty if uncertainty is None else uncertainty
    return bounds if prior is None else replace(bounds, prior=prior)


def _limits(robot: RobotFile, name: str) -> str:
    """Return the name of a set of joint limits that the robot file has."""
    name = name or robot.limits_used
    robot.limits_named(name)
    return name


def _ends(payload: tuple[ArrayLike, ArrayLike] | None) -> tuple[Array, Array]:
    """Return the ends of the payload's parameters; infinite: as the prior says."""
    if payload is None:
        return np.full(10, -np.inf), np.full(10, np.inf)
    lower, upper = payload
    return np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)


def _settings(
    robot: RobotFile,
    uncertainty: Uncertainty,
    cell: Path | str,
    clearance: float,
    speeds: SpeedLimits | str,
    volume: tuple[ConvexBody, ...],
) -> CaseSettings:
    """Return what proofs rest on."""
    if isinstance(speeds, str):
        if speeds not in PRESETS:
            raise UnknownNameError("preset of speed limits", speeds, PRESETS)
        speeds = PRESETS[speeds]
    stated = str(cell)
    around = Cell.of(stated, clearance)
    if not around.reason:  # whoever verifies may do so from another folder
        stated = str(Path(stated).expanduser().resolve())
    return CaseSettings(str(robot.path), uncertainty, around, stated, speeds, None, volume,
                        POINT_RATE)  # fmt: skip


def _start(robot: RobotFile, start: ArrayLike | None) -> Array:
    """Return the pose to begin in."""
    if start is None:
        if robot.home is None:
            raise InputError(f"The robot file of '{robot.name}' has no home; state a start.")
        return np.asarray(robot.home)
    q = real_numbers(start, "start")
    if q.shape != (robot.n,):
        raise InputError(f"The start needs {robot.n} positions, as the arm has; found {q.shape}.")
    return q


def _check_rest(motion: Trajectory, joints: Sequence[str]) -> None:
    """Raise unless a motion is of these joints, and begins and ends at rest."""
    ends = motion.at(np.array([0.0, motion.duration])).dq
    if ends.shape[1] != len(joints):
        raise InputError(f"The motion is of {ends.shape[1]} joints; the arm has {len(joints)}.")
    for which, speed in zip(("begin", "end"), np.abs(ends), strict=True):
        worst = int(np.argmax(speed))
        if speed[worst] > AT_REST:
            raise InputError(
                f"The motion does not {which} at rest: {joints[worst]} moves by {speed[worst]:.3g} "
                "rad/s or m/s. Certified by itself is what goes from rest to rest."
            )
