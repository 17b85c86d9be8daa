"""One robot's safety cases, what the certifier says of motions, and where certificates are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..core.control.robust_design import design_for, tube_level, undesigned_tube
from ..core.errors import InputError
from ..core.excitation.candidates.candidates import Family
from ..core.excitation.search.certifier import certifier, planning_limits
from ..core.excitation.search.verdict import Verdict
from ..core.motion.limits import MotionLimits
from ..core.motion.path_stop import PathStop
from ..core.motion.time_scaling import TimeScaled
from ..core.motion.trajectory import Trajectory, even_edges
from ..core.safety.certificate.certificate import Certificate
from ..core.safety.certificate.certified_motion import CertifiedStop
from ..core.safety.certificate.certify import STEP
from ..core.safety.certificate.safety_case import SafetyCase
from ..core.safety.clearance.convex_body import ConvexBody
from ..core.safety.margins.margin import Refusal
from ..core.safety.speed.speed_margins import speed_use
from ..core.safety.torque.arm_dynamics import ArmDynamics
from ..core.safety.torque.torque_margins import torque_margins
from ..core.safety.tube.tracking_tube import ROBUST, TrackingTube
from ..files.runs.certificate_file import save_certificate
from ..files.runs.signing_key import SigningKey
from .request import Documents, Goal, PlanningSettings
from .safety_cases import SafetyCases

SPEED_STEP = 0.02  # [s] slices on which speeds are looked at
TYPICAL = 12  # random motions that tell how slow single joints must be for the limits of speeds
CALM_ENOUGH = 0.25  # quantile of the slowing that they need
CALMINGS = 3  # times that they are drawn anew
ROOM = 0.97  # of what is left of a speed limit that is used
RAMP_FACTORS = (
    1.0,
    1.5,
    2.5,
)  # ramps that are tried, as multiples of the shortest
CALMER = (
    1.0,
    0.7,
    0.5,
    0.35,
    0.25,
    0.15,
)  # parts of the speed at which a robust design is looked for
DESIGNED = 2  # random motions, one of which must have one
HALF = 0.5  # size of others, as parts of candidates are planned, too [-]
DESIGN_ROOM = 1.3  # of a robust design, for the motion's stops and what goes on from it [-]


class MotionCertifier:
    """Certifies motions of one robot and keeps the certificates.

    Attributes:
        settings: What is the same for all plans.
        cases: What motions are certified against.
        robot: The robot file.
        model: The arm.
        geometry: Its bodies, with the payload's.
        key: Signs the certificates; None: nobody does.
    """

    def __init__(self, settings: PlanningSettings) -> None:
        """Read the robot file, and the key if certificates are signed.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self.settings = settings
        self.key = SigningKey.load(settings.signing_key) if settings.signing_key else None
        self.cases = SafetyCases(settings)
        self.robot, self.model = self.cases.robot, self.cases.model
        self.geometry = self.cases.geometry

    def case(self, goal: Goal, obstacles: tuple[ConvexBody, ...]) -> SafetyCase:
        """Return what a motion is certified against; by torques, without a tube yet.

        Raises:
            InputError: An interval is inverted or NaN, or there is no such set of limits.
        """
        payload = (goal.payload_lower, goal.payload_upper)
        case = self.cases.case(goal.limits, goal.turns, payload, obstacles)
        if not self.settings.by_torques:
            return case
        return with_tube(case, TrackingTube.exact(case.model.n))

    def designed(self, case: SafetyCase, motion: Trajectory) -> SafetyCase:
        """Return a case with the robust design for a motion and stops, where torques move the arm.

        Where the case has a tube already, the design is of its level.

        Raises:
            InputError: There is no such design.
        """
        tube, by = case.tube, self.settings
        if not by.by_torques or tube.reserve is not None:
            return case
        dynamics, sampling = ArmDynamics(case.model, case.box), self.cases.sampling(case.limits)
        level = None if tube.kind != ROBUST else tube_level(case.model, case.box, tube, sampling)
        motions = [motion]
        if not isinstance(motion, PathStop):
            motions.append(PathStop.within(motion, 0.5 * motion.duration, planning_limits(case)))
        made = design_for(dynamics, motions, by.robust_gain, sampling, level, DESIGN_ROOM)
        return with_tube(case, made)

    def limits_left(self, case: SafetyCase, scale: float) -> MotionLimits:
        """Return what the speed scale and the tube leave of the limits.

        Raises:
            InputError: They leave nothing.
        """
        full, tube = case.limits, case.tube
        scaled = replace(
            full, velocity=scale * full.velocity, acceleration=scale**2 * full.acceleration
        )
        left = {
            "velocity": scaled.velocity - tube.velocity,
            "acceleration": scaled.acceleration - tube.reference_acceleration,
            "position": full.position_upper - full.position_lower - 2 * tube.position,
        }
        for name, value in left.items():
            if (value <= 0.0).any():
                joint = self.model.joints[int(np.argmin(value))]
                stated = f"The tracking error that the robot file states (control.tracking_{name})"
                if tube.kind == ROBUST:
                    stated = "The robust controller's tube (robust_gain)"
                raise InputError(
                    f"{stated} leaves nothing of the {name} limit of {joint} in the set "
                    f"'{case.limits_name}' at a speed scale of {scale:g}; measure and lower it, or "
                    "choose another set of limits or a larger scale."
                )
        return planning_limits(replace(case, limits=scaled))

    def slow_enough(self, case: SafetyCase, motion: Trajectory) -> Trajectory:
        """Return a motion, slowed along its path as far as the limits of speeds ask for.

        Raises:
            InputError: The tracking error alone may break them.
        """
        if not case.speeds.any:
            return motion
        scale = self._slowing(case, motion)
        return motion if scale >= 1.0 else TimeScaled(motion, scale)

    def calm_limits(
        self, case: SafetyCase, limits: MotionLimits, family_of: Callable[[MotionLimits], Family]
    ) -> MotionLimits:
        """Return limits of single joints so low that most motions keep limits of speeds.

        Args:
            case: What motions are certified against.
            limits: Of single joints.
            family_of: Returns the motions that keep limits.

        Raises:
            InputError: The tracking error alone may break the limits of speeds.
        """
        if not case.speeds.any:
            return limits
        rng = np.random.default_rng(0)
        for _ in range(CALMINGS):
            family = family_of(limits)
            drawn = family.drawn(rng.uniform(-1.0, 1.0, (TYPICAL, family.size)))
            scales = [self._slowing(case, family.trajectory(x)) for x in drawn]
            scale = float(np.quantile(scales, CALM_ENOUGH))
            if scale >= 1.0:
                break
            limits = replace(limits, velocity=scale * limits.velocity)
        return limits

    def with_limits(
        self, case: SafetyCase, scale: float, family_of: Callable[[MotionLimits], Family]
    ) -> tuple[SafetyCase, MotionLimits]:
        """Return limits of single joints, by torques so calm that torques carry typical motions.

        Then the case has the tube that these need, with room for others.

        Args:
            case: What motions are certified against.
            scale: Part of the velocity limits that may be used [-].
            family_of: Returns the motions that keep limits.

        Raises:
            InputError: The tube leaves nothing of the limits, or not even slow motions have a
                design.
        """
        limits, by = self.limits_left(case, scale), self.settings
        if not by.by_torques:
            return case, limits
        why: InputError | None = None
        for part in CALMER:
            slow = replace(limits, velocity=part * limits.velocity,
                           acceleration=part**2 * limits.acceleration)  # fmt: skip
            family, rng = family_of(slow), np.random.default_rng(0)
            drawn = family.drawn(rng.uniform(-1.0, 1.0, (DESIGNED, family.size)))
            smaller = family.calm + HALF * (drawn - family.calm)
            carried: list[TrackingTube] = []
            for x in (*drawn, *smaller):
                if len(carried) == DESIGNED:
                    break
                try:
                    carried.append(self._carried(case, family.trajectory(x)))
                except InputError as error:
                    why = error
            if not carried:
                continue
            level = max(tube.design.level for tube in carried)
            sampling = self.cases.sampling(case.limits)
            tube = undesigned_tube(case.model, case.box, level, by.robust_gain, sampling)
            loose = with_tube(case, tube)
            left = self.limits_left(loose, scale)
            return loose, replace(
                left,
                velocity=np.minimum(left.velocity, slow.velocity),
                acceleration=np.minimum(left.acceleration, slow.acceleration),
            )
        raise InputError(f"Not even slow motions have a robust design. {why}")

    def _carried(self, case: SafetyCase, motion: Trajectory) -> TrackingTube:
        """Return the tube of the robust design for a motion that torque limits allow.

        Raises:
            InputError: There is no such design, or they do not.
        """
        case = self.designed(case, motion)
        found = torque_margins(case, motion, STEP)
        if isinstance(found, Refusal):
            raise InputError(found.sentence)
        return case.tube

    def _slowing(self, case: SafetyCase, motion: Trajectory) -> float:
        """Return the part of its speed at which a motion keeps the limits of speeds, at most 1."""
        ranges = motion.ranges(even_edges(motion, SPEED_STEP))
        still = replace(ranges, dq_lower=0.0 * ranges.dq_lower, dq_upper=0.0 * ranges.dq_upper)
        used, alone = speed_use(case, ranges), speed_use(case, still)
        scale = 1.0
        for name, tube in alone.items():
            if tube.max() >= 1.0:
                raise InputError(
                    "The tracking error that the robot file states (control.tracking_velocity, for "
                    f"slow motions times tracking_slow) may alone take {tube.max():.0%} of the "
                    f"{name} allowed; measure and lower it, or choose other speed_limits."
                )
            # What motion takes is at most in proportion to its speed.
            possible = ROOM * (1.0 - tube) / np.maximum(used[name] - tube, 1e-9)
            scale = min(scale, float(possible.min()))
        return scale

    def verdict(self, case: SafetyCase, motion: Trajectory) -> Verdict:
        """Return the certifier's answer, for a motion as the arm's controller interpolates it."""
        if coarse := self.cases.too_coarse(motion):
            return Verdict(False, None, coarse)
        try:
            return certifier(self.designed(case, motion))(motion)
        except InputError as error:
            return Verdict(False, None, str(error))

    def stops(
        self, name: str, case: SafetyCase, motion: Trajectory, until: float
    ) -> tuple[CertifiedStop, ...]:
        """Return certified stops every `stop_step` before a time [s]; those that exist."""
        step, found = self.settings.stop_step, []
        for moment in np.arange(step, until - 0.5 * step, step):
            stop = self._stop(case, motion, float(moment), _stop_name(name, float(moment)))
            if stop is not None:
                found.append(CertifiedStop(float(moment), stop))
        return tuple(found)

    def _stop(
        self, case: SafetyCase, motion: Trajectory, moment: float, name: str
    ) -> PathStop | None:
        """Return the shortest certified stop on the path; None if none was certified."""
        try:
            shortest = PathStop.within(motion, moment, planning_limits(case))
        except InputError:
            return None
        longest = 2.0 * (motion.duration - moment)
        for factor in RAMP_FACTORS:
            stop = PathStop(motion, moment, min(factor * shortest.ramp, longest))
            verdict = self.verdict(case, stop)
            if verdict.accepted:
                self.keep(name, case, stop, verdict.answer)
                return stop
        return None

    def keep(
        self, name: str, case: SafetyCase, motion: Trajectory, certificate: Certificate
    ) -> str:
        """Write a certificate, signed if there is a key; return its path."""
        path = Path(self.settings.folder) / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        cell = self.settings.cell_stated
        return str(save_certificate(path, certificate, case, motion, self.robot, cell, self.key))

    def documents(self, motion: str, name: str, stops: tuple[CertifiedStop, ...]) -> Documents:
        """Return certificates that were kept.

        Args:
            motion: Path of the motion's.
            name: Under which its stops were certified.
            stops: The stops.
        """
        folder = Path(self.settings.folder)
        paths = [folder / f"{_stop_name(name, stop.time)}.json" for stop in stops]
        return Documents(Path(motion).read_text(), tuple(path.read_text() for path in paths))


def with_tube(case: SafetyCase, tube: TrackingTube) -> SafetyCase:
    """Return a case with another tube; what was prepared and does not rest on it is kept."""
    made = replace(case, tube=tube)
    vars(made).update({x: y for x, y in vars(case).items() if x in ("scene", "overlap")})
    return made


def _stop_name(name: str, moment: float) -> str:
    """Return the name of a stop's certificate."""
    return f"{name}/stop_{moment:.2f}"
