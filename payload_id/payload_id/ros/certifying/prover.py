"""Proving saved certificates anew, with one's own robot file, cell, bounds and obstacles.

What a certificate says is not believed: it must have been given for the very case that this node
has, and its proof is repeated. So a motion that is followed is safe in the case of who follows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Array
from ...core.errors import InputError
from ...core.motion.motion_state import AT_REST
from ...core.motion.path_stop import PathStop
from ...core.motion.trajectory import Trajectory
from ...core.safety.certificate.certificate import digest_of
from ...core.safety.certificate.certified_motion import CertifiedMotion, CertifiedStop
from ...core.safety.certificate.certify import certify
from ...core.safety.certificate.safety_case import SafetyCase
from ...core.safety.certificate.verify import unlike
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.margins.margin import Refusal
from ...core.safety.torque.parameter_box import ParameterBox
from ...files.runs.certificate_file import SavedCertificate, certificate_in
from ...planning.case_settings import CaseSettings
from ...planning.safety_cases import SafetyCases


@dataclass(frozen=True)
class ProofRequest:
    """Prove a motion and its stops.

    Attributes:
        certificate: Of the motion, as it is saved.
        stops: Of its stops, likewise.
        obstacles: Of now, in the base frame.
    """

    certificate: str
    stops: tuple[str, ...]
    obstacles: tuple[ConvexBody, ...]


@dataclass(frozen=True)
class VerifiedMotion:
    """A motion that is proved.

    Attributes:
        motion: The motion with its stops.
        limits: Name of the set of joint limits.
        turns: Whole turns that it was proved for.
        payload_lower: Least phi, shape (10,).
        payload_upper: Largest phi, shape (10,).
        box: All that was uncertain of arm and payload.
        torque_limit: Of the set of limits, shape (n,) [N m or N].
    """

    motion: CertifiedMotion
    limits: str
    turns: dict[str, int]
    payload_lower: Array
    payload_upper: Array
    box: ParameterBox
    torque_limit: Array


class Prover:
    """Repeats proofs for one robot."""

    def __init__(self, settings: CaseSettings) -> None:
        """Read the robot file.

        Raises:
            PayloadIdError: A file cannot be used, or there is no collision geometry.
        """
        self._cases = SafetyCases(settings)

    def __call__(self, request: ProofRequest | None) -> VerifiedMotion | None:
        """Return what is proved; for None, get ready.

        Raises:
            InputError: It is not proved; says why.
        """
        if request is None:
            return None
        saved = certificate_in(request.certificate, "the motion's certificate")
        motion = saved.trajectory
        case = self._prove(saved, request.obstacles, "The motion")
        stops = []
        for number, text in enumerate(request.stops):
            what = f"stop {number}"
            stop = certificate_in(text, f"the certificate of {what}")
            stops.append(CertifiedStop(*_stop_of(stop.trajectory, motion, what)))
            if _setting(stop) != _setting(saved):
                raise InputError(f"{what.capitalize()} was not certified for what its motion was.")
            self._prove(stop, request.obstacles, what.capitalize())
        stops.sort(key=lambda stop: stop.time)
        box = case.box  # this node's own numbers, none that only the text says
        return VerifiedMotion(
            CertifiedMotion(motion, tuple(stops), case.tube), case.limits_name,
            dict(case.turns), box.payload_lower, box.payload_upper, box, case.limits.torque,
        )  # fmt: skip

    def _prove(
        self, saved: SavedCertificate, obstacles: tuple[ConvexBody, ...], what: str
    ) -> SafetyCase:
        """Return what a motion is proved against; raise unless it is, and ends at rest."""
        motion, box = saved.trajectory, saved.box
        if not saved.intact:
            raise InputError(f"{what}: its certificate was changed after it was given.")
        if not 0.0 < motion.duration < np.inf:
            raise InputError(f"{what} takes {motion.duration:g} s, which no motion does.")
        if saved.joints != self._cases.model.joints:
            raise InputError(
                f"{what} is of the joints {', '.join(saved.joints)}; this arm's are "
                f"{', '.join(self._cases.model.joints)}."
            )
        payload = (box.payload_lower, box.payload_upper)
        case = self._cases.case(
            saved.certificate.limits, saved.turns, payload, obstacles, saved.tube
        )
        if differences := unlike(saved.certificate, case, motion):
            raise InputError(
                f"{what} was certified for something else than what holds here. "
                f"{' '.join(differences)}"
            )
        said = saved.case(self._cases.model).digests
        if other := [name for name, digest in case.digests.items() if said[name] != digest]:
            raise InputError(
                f"{what}: what its certificate says of its {' and '.join(other)} is not what its "
                "digests are of. It was changed; have the motion certified again."
            )
        if coarse := self._cases.too_coarse(motion):
            raise InputError(f"{what}: {coarse}")
        outcome = certify(case, motion, saved.certificate.step, told=1.0)
        if isinstance(outcome, Refusal):
            raise InputError(f"{what}: its proof does not repeat. {outcome.sentence}")
        if (np.abs(motion.at(np.array([motion.duration])).dq) > AT_REST).any():
            raise InputError(f"{what} does not end at rest.")
        return case


def _stop_of(stop: Trajectory, motion: Trajectory, what: str) -> tuple[float, PathStop]:
    """Return when a stop leaves its motion [s], and the stop, of this very motion."""
    of_motion = isinstance(stop, PathStop) and digest_of(stop.motion.to_dict()) == digest_of(
        motion.to_dict()
    )
    if not isinstance(stop, PathStop) or not of_motion:
        raise InputError(f"The certificate of {what} is not of a stop on this motion.")
    return stop.leaves, PathStop(motion, stop.leaves, stop.ramp)


def _setting(saved: SavedCertificate) -> tuple[object, ...]:
    """Return what the certificates of a motion and of its stops must have in common."""
    tube = digest_of(saved.tube.to_dict())
    return saved.certificate.limits, dict(saved.turns), saved.box.digest, tube
