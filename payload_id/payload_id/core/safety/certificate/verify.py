"""Checking a saved certificate: is it of this arm, is it unchanged, and does the proof repeat?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...motion.trajectory import Trajectory
from ...version import VERSION
from ..margins.margin import CONSTRAINTS, Margin, Refusal
from .certificate import Certificate, digest_of
from .certify import certify
from .safety_case import SafetyCase
from .sampled_check import sampled_margins

LEAST_STEP = 1e-3  # [s] of a proof's slices: shorter ones take too long to repeat
DENSER = 3.0  # slices of the repeated proof are so many times shorter, and fall elsewhere
SAME = 1e-9  # relative and absolute difference of margins that rounding may make
TOUCH = 1e-6  # [m, or part of the limit] by which a sample may miss a proof: coal's precision


@dataclass(frozen=True)
class Verification:
    """What checking a certificate found.

    Attributes:
        differences: What is not as the certificate says, one sentence each; empty: verified.
        proved: What the repeated proof with denser slices leaves of each constraint, `Margin.left`.
        sampled: What sampled states leave at least, counted likewise.
        samples: Number of sampled states.
    """

    differences: tuple[str, ...]
    proved: Mapping[str, float]
    sampled: Mapping[str, float]
    samples: int

    @property
    def verified(self) -> bool:
        """Whether everything is as the certificate says."""
        return not self.differences


def verify(
    certificate: Certificate,
    case: SafetyCase,
    trajectory: Trajectory,
    samples: int = 2000,
    seed: int = 0,
) -> Verification:
    """Check a certificate against the case and the motion that came with it.

    The digests are computed anew; the proof is repeated, with the slices stated and with denser
    ones; margins are compared with states sampled by other means (`sampled_check`).

    Args:
        certificate: What is claimed.
        case: What it is claimed for.
        trajectory: The desired motion.
        samples: Number of sampled states.
        seed: Of the random numbers.
    """
    differences = unlike(certificate, case, trajectory)
    if differences:  # it is not for this case: nothing is left to prove
        return Verification(tuple(differences), {}, {}, 0)
    again = certify(case, trajectory, certificate.step)
    denser = certify(case, trajectory, certificate.step / DENSER)
    for outcome, how in ((again, "repeated"), (denser, "denser")):
        if isinstance(outcome, Refusal):
            differences.append(f"The {how} proof fails. {outcome}")
    if isinstance(again, Refusal) or isinstance(denser, Refusal):
        return Verification(tuple(differences), {}, {}, 0)
    proved = {m.constraint: m.left for m in denser.margins}
    sampled = sampled_margins(case, trajectory, samples, seed)
    differences += _margins(certificate, again, sampled)
    return Verification(tuple(differences), proved, sampled, samples)


def unlike(certificate: Certificate, case: SafetyCase, trajectory: Trajectory) -> list[str]:
    """Return where case, motion or version are not those that were certified, a sentence each."""
    found = {**case.digests, "trajectory": digest_of(trajectory.to_dict())}
    differences = [
        f"The {name.replace('_', ' ')} is not the one that was certified (sha256 "
        f"{found[name][:12]}..., certified {certificate.digests.get(name, 'none')[:12]}...)."
        for name in found
        if found[name] != certificate.digests.get(name)
    ]
    if certificate.duration != trajectory.duration:
        differences.append(
            f"The motion takes {trajectory.duration:g} s, the certificate says "
            f"{certificate.duration:g} s."
        )
    if certificate.version != VERSION:
        differences.append(
            f"The certificate is of version {certificate.version}, this program is {VERSION}: "
            "certify the motion again."
        )
    if not certificate.step >= LEAST_STEP:
        differences.append(
            f"Slices of {certificate.step:g} s are too short to repeat the proof; at least "
            f"{LEAST_STEP:g} s are asked for."
        )
    named = [margin.constraint for margin in certificate.margins]
    differences += [
        f"The certificate has {named.count(name)} margins of {name}."
        for name in CONSTRAINTS
        if named.count(name) > 1
    ]
    if certificate.assumptions != case.assumptions():
        differences.append("The assumptions are not those that the proof rests on.")
    return differences


def _margins(
    certificate: Certificate, again: Certificate, sampled: Mapping[str, float]
) -> list[str]:
    """Return where margins are not those of the repeated proof, or above sampled ones."""
    differences = []
    for constraint, unit in CONSTRAINTS.items():
        stated, repeated = certificate.margin(constraint), again.margin(constraint)
        if (stated is None) != (repeated is None):
            differences.append(f"The certificate's margin of {constraint} is missing or too much.")
        if stated is None or repeated is None:
            continue
        if _elsewhere(stated, repeated):
            differences.append(
                f"The margin of {constraint} is where the certificate does not say: {repeated}."
            )
        if not np.isclose(stated.value, repeated.value, rtol=SAME, atol=SAME):
            differences.append(
                f"The margin of {constraint} is {repeated.value:.6g} {unit}, the certificate says "
                f"{stated.value:.6g}."
            )
        if sampled.get(constraint, np.inf) < repeated.left - TOUCH:
            differences.append(
                f"A sampled state leaves {sampled[constraint]:.6g} of {constraint}, less than the "
                f"proved {repeated.left:.6g}: please report this with the file."
            )
    return differences


def _elsewhere(stated: Margin, repeated: Margin) -> bool:
    """Tell whether two margins name other joints or bodies, times or parts of a limit."""
    one, other = ((m.used, m.start, m.end) for m in (stated, repeated))
    same = np.allclose(one, other, rtol=SAME, atol=SAME, equal_nan=True)
    return stated.where != repeated.where or not same
