"""Torques: their size, sign, order and unit, gravity, and the links' masses.

The readings of the table of hypotheses are judged by the misfit that each leaves, with the
efforts as they are and reversed; the one that leaves clearly less than the recording as it is read
is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..diagnosis.hypotheses.efforts import Efforts
from ..diagnosis.hypotheses.gravity import Gravity
from ..diagnosis.hypotheses.joint_order import JointOrder
from ..diagnosis.hypotheses.torque_sign import TorqueSign
from ..diagnosis.hypotheses.units import Units
from ..diagnosis.hypothesis import AS_READ, Hypothesis, Reading, Recorded
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples
from .check_result import CheckResult, Verdict, listed
from .misfit import Misfit, chosen_windows, misfit, reread, rows_of, some_of

AGREE = 0.25  # misfit up to which torques go with the description
FINE = 0.05  # misfit below which no other reading is looked for
UNRELATED = 0.4  # rho of one joint whose torque has nothing to do with the description
MOVED = 0.1  # [rad or m] with which a measured torque does not stay the same to the last bit
BETTER = 0.6  # part of the misfit that another reading must leave at the most
SIMPLER = 0.8  # part that a less simple reading must leave to be taken instead
HELPS = 0.9  # part that one more reversed sign must leave; one of k leaves sqrt(1 - 1 / k)
CLEAR = 0.25  # part that ends the search among the simple ones
MOST = 0.15  # misfit that another reading may leave; a good description leaves about half of it
CANDIDATES = 4  # of the quick fits that are looked at closely
# Of which kind readings are asked, the simple ones first; each family has its price in freedom.
FAMILIES: tuple[tuple[Hypothesis, ...], ...] = ((Units(), Efforts()), (Gravity(), JointOrder()))
# What a result is called, what is expected, and what to do.
SAID = {
    TorqueSign.name: (
        "effort sign", "positive about the joint's axis",
        "Multiply effort.sign in the robot file (for a table, effort_sign in the columns file) by "
        "{factor}.",
    ),
    Units.name: (
        "units", "N m and rad (N and m)", "Correct the driver, or the columns file: {what}.",
    ),
    Efforts.name: (
        "kind of efforts", "what the joints apply to the arm",
        "Record the torques that the joints apply; where they are a part of these, multiply "
        "effort.sign in the robot file (for a table, effort_sign in the columns file) by the "
        "gears' ratios.",
    ),
    JointOrder.name: (
        "order", "columns in the order of the joints",
        "Correct the order of the names in the columns file, or of the driver's joints.",
    ),
    Gravity.name: (
        "gravity", "as the robot file states it",
        "State 'gravity' in the robot file as the base is mounted; torques must be measured, not "
        "compensated.",
    ),
}  # fmt: skip


class Candidate(NamedTuple):
    """A reading of a recording, with signs of the efforts.

    Attributes:
        name: Of the hypothesis.
        what: What it says, without a full stop.
        free: The smaller the simpler.
        reading: What samples and arm are then.
        sign: Of the efforts, n numbers.
    """

    name: str
    what: str
    free: int
    reading: Reading
    sign: Array


Found = tuple[Candidate, Misfit]


def torques(
    samples: Samples, arm: ArmModel, uncertainty: Uncertainty, effort: Array
) -> list[CheckResult]:
    """Return what torques tell.

    Args:
        samples: Of n joints.
        arm: As the robot file describes it.
        uncertainty: Bounds of friction and offsets.
        effort: Largest torques, inf where none is stated, shape (n,) [N m or N].
    """
    size = _size(samples, arm, effort)
    if not (arm.link_phi[:, 0] > 0.0).any() or arm.doubt:
        do = arm.doubt or "Add <inertial> elements to the URDF, or use a force-torque sensor."
        text = f"{arm.link_phi[:, 0].sum():.3g} kg move; torques are not compared with that"
        return [size, CheckResult("link masses", Verdict.WRONG, text, "those of such an arm", do)]
    recorded = chosen_windows(samples, arm, uncertainty)
    if not recorded.stretches:
        do = "Record at least a second without gaps."
        return [size, CheckResult("torques", Verdict.LOOK, "no stretch of 0.1 s", "some", do)]
    stated = misfit(recorded.source, rows_of(recorded))
    found = None if stated.value <= FINE else likeliest(recorded, stated)
    return [size, *_judged(recorded, stated, found), _masses(arm, None if found else stated)]


def _size(samples: Samples, arm: ArmModel, effort: Array) -> CheckResult:
    """Judge the size of torques by their limits, and whether they are measured."""
    tau = samples.tau
    largest = np.abs(tau).max(axis=0)
    stuck = (np.ptp(tau, axis=0) == 0.0) & (np.ptp(samples.q, axis=0) > MOVED)
    over = largest > 1.5 * effort
    turns = arm.revolute
    sizes = [f"{largest[of].max():.3g} {unit}" for of, unit in ((turns, "N m"), (~turns, "N"))
             if of.any()]  # fmt: skip
    found = f"up to {' and '.join(sizes)}"
    if (largest == 0.0).any():
        none = listed([arm.joints[j] for j in np.flatnonzero(largest == 0.0)])
        do = "Switch on the driver's effort interface for these joints."
        return CheckResult("torque size", Verdict.WRONG, f"{none}: zero throughout", "measured", do)
    if stuck.any():
        names = [f"{arm.joints[j]}: {largest[j]:.3g} throughout" for j in np.flatnonzero(stuck)]
        do = "These efforts are stuck while the joints move: look at the driver and the sensors."
        return CheckResult("torque size", Verdict.WRONG, listed(names), "measured", do)
    if over.any():
        names = [f"{arm.joints[j]} {largest[j]:.3g} (limit {effort[j]:.3g})"
                 for j in np.flatnonzero(over)]  # fmt: skip
        do = "Check unit and order of the efforts, and whether they are motor currents."
        return CheckResult("torque size", Verdict.WRONG, listed(names), "within the limits", do)
    return CheckResult("torque size", Verdict.GOOD, found, "within the limits")


def _judged(recorded: Recorded, stated: Misfit, found: Found | None) -> Iterator[CheckResult]:
    """Give what the fit of the described arm tells, and which other reading is likelier."""
    below = f"below {AGREE:.0%}"
    if found is not None:
        other, left = found
        subject, expected, do = SAID[other.name]
        text = f"{other.what} (misfit {left.value:.0%}, as read {stated.value:.0%})"
        yield CheckResult(subject, Verdict.WRONG, text, expected, _remedy(do, other))
    elif stated.value > AGREE:
        worst = listed([f"{recorded.source.model.joints[j]} {stated.joints[j]:.0%}"
                        for j in np.argsort(-stated.joints)[:3]])  # fmt: skip
        do = (
            "No other sign, unit (of all joints alike) or direction of gravity and no two joints "
            "exchanged explain it: check units and order of single joints, the payload frame, "
            "tools and masses of the description, encoder zeros, and what the efforts are."
        )
        text = f"misfit {stated.value:.0%}; {worst}"
        yield CheckResult("torques", Verdict.WRONG, text, below, do)
    else:
        text = f"sign, unit, order and gravity fit (misfit {stated.value:.0%})"
        yield CheckResult("torques", Verdict.GOOD, text, below)
        yield from _single(recorded, stated)


def _single(recorded: Recorded, stated: Misfit) -> Iterator[CheckResult]:
    """Give which joints tell too little, or do not fit although the whole does."""
    source, some = recorded.source, some_of(recorded)
    rows, n = rows_of(some), source.model.n
    least = misfit(source, rows, quick=True).value / SIMPLER + FINE / 2
    told = [misfit(source, rows, _flip(np.ones(n), j), quick=True).value > least for j in range(n)]
    joints = list(zip(source.model.joints, told, stated.joints, strict=True))
    bad = [f"{name} {left:.0%}" for name, seen, left in joints if seen and left > UNRELATED]
    if bad:
        do = "Check sign and offset of these joints, friction in the robot file, and the order."
        text = f"below {UNRELATED:.0%}"
        yield CheckResult("single joints", Verdict.LOOK, listed(bad), text, do)
    little = [name for name, seen, _ in joints if not seen]
    if little:
        do = "Hold the payload out sideways of these joints, or push by hand and look."
        text = f"too little torque to test the sign of {listed(little)}"
        yield CheckResult("effort sign", Verdict.LOOK, text, "some torque", do)


def likeliest(recorded: Recorded, stated: Misfit) -> Found | None:
    """Return the reading that leaves clearly less than the one as it is; None if there is none."""
    source, some, best = recorded.source, some_of(recorded), list[Found]()
    whole, few = rows_of(recorded), rows_of(some)
    for number, family in enumerate(FAMILIES):
        tried = list(_candidates(family, some, number + 1))
        if number == 0:
            tried += _signs(source, few)
        rows = {id(x.reading): reread(some, x.reading, few) for x in tried}
        left = [misfit(source, rows[id(x.reading)], x.sign, quick=True).value for x in tried]
        for k in np.argsort(left, kind="stable")[:CANDIDATES]:
            close = reread(recorded, tried[k].reading, whole)
            best.append((tried[k], misfit(source, close, tried[k].sign)))
        best = _best(stated, best)
        if best and best[0][1].value < CLEAR * stated.value:
            break
    return best[0] if best else None


def _best(stated: Misfit, found: Sequence[Found]) -> list[Found]:
    """Return the best of some, if any, the simpler one where two leave about as much."""
    best: list[Found] = []
    for candidate, left in sorted(found, key=lambda pair: (pair[0].free, pair[1].value)):
        if left.value <= min(BETTER * stated.value, MOST) and (
            not best or left.value < SIMPLER * best[0][1].value
        ):
            best = [(candidate, left)]
    return best


def _candidates(
    family: Sequence[Hypothesis], recorded: Recorded, price: int
) -> Iterator[Candidate]:
    """Give the readings of some hypotheses, with efforts as they are and reversed."""
    n = recorded.source.model.n
    for hypothesis in family:
        for reading in hypothesis.readings(recorded):
            way, rate, _ = _factors(reading, n)
            if not np.array_equal(way, rate):
                continue  # velocities are those of the positions here
            what, _ = reading.words(reading.value)
            what = what[0].lower() + what[1:]
            free = price + (0 if isinstance(hypothesis, Gravity) else reading.free)
            yield Candidate(hypothesis.name, what, free, reading, np.ones(n))
            what += ", and all efforts have the opposite sign"
            yield Candidate(hypothesis.name, what, free + 1, reading, -np.ones(n))


def _factors(reading: Reading, n: int) -> tuple[Array, Array, Array]:
    """Return by what a reading multiplies positions, velocities and torques, shape (n,) each."""
    one = np.ones((2, n))
    made = reading.of_samples(Samples(np.arange(2.0), one, one, one), reading.value)
    return made.q[0], made.dq[0], made.tau[0]


def _signs(source: MomentumRows, rows: RowBlock) -> Iterator[Candidate]:
    """Give all signs reversed or none, then one more reversed as long as that helps."""
    joints, n = source.model.joints, source.model.n
    for start in (np.ones(n), -np.ones(n)):
        sign, best = start, misfit(source, rows, start, quick=True).value
        while True:
            trials = [_flip(sign, j) for j in range(n)]
            left = [misfit(source, rows, trial, quick=True).value for trial in trials]
            k = int(np.argmin(left))
            if not left[k] < HELPS * best:
                break
            sign, best = trials[k], left[k]
        names = [name for name, each in zip(joints, sign, strict=True) if each < 0]
        if names:
            who = f"the effort of {', '.join(names)} has"
            what = f"{'all efforts have' if len(names) == n else who} the opposite sign"
            yield Candidate(TorqueSign.name, what, 1, AS_READ, sign)


def _flip(sign: Array, joint: int) -> Array:
    """Return signs with one more reversed."""
    return np.where(np.arange(len(sign)) == joint, -sign, sign)


def _remedy(do: str, found: Candidate) -> str:
    """Return what to do where samples should be read so."""
    way, _, torque = _factors(found.reading, len(found.sign))
    factors = [f"{factor:g}" for factor in torque * found.sign]
    text = factors[0] if len(set(factors)) == 1 else f"[{', '.join(factors)}]"
    what = [] if (way == 1.0).all() else ["position_unit"]
    what += [f"effort_sign, which is a factor, times {text}"] if text != "1" else []
    return do.replace("{factor}", text).replace("{what}", ", and ".join(what))


def _masses(arm: ArmModel, stated: Misfit | None) -> CheckResult:
    """Judge the description's masses, and say which mass the fit sees at the payload frame."""
    mass = arm.link_phi[:, 0]
    without = [arm.joints[j] for j in np.flatnonzero(mass <= 0.0)]
    found = f"{mass.sum():.3g} kg move"
    if stated is not None:
        found += f", and about {stated.phi[0]:.2g} kg seen at {arm.payload_frame}"
    expected = "every link weighed; a tool that stays mounted is in the description"
    if without:
        do = "Add <inertial> to the links that these joints move, from the vendor's data."
        text = f"{found}; nothing with mass moves with {listed(without)} alone"
        return CheckResult("link masses", Verdict.LOOK, text, expected, do)
    return CheckResult("link masses", Verdict.GOOD, found, expected)
