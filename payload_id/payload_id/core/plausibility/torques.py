"""Torques: their size, sign, order and unit, gravity, and the links' masses."""

from __future__ import annotations

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..rows.joint_torque.uncertainty import Uncertainty
from ..samples.joint_samples import Samples
from .agreement import Agreement, Misfit, Reading
from .line import Line, Verdict, listed
from .readings import likeliest

AGREE = 0.25  # misfit up to which torques go with the description
FINE = 0.05  # misfit below which no other reading is looked for
UNRELATED = 0.4  # rho of one joint whose torque has nothing to do with the description
MOVED = 0.1  # [rad or m] with which a measured torque does not stay the same to the last bit
TOLD = 1.2  # times the misfit that a reversed sign must leave to be seen
REMEDY = {
    "effort sign": "Multiply effort.sign in the robot file (for a table, effort_sign in the "
    "columns file) by {factor}.",
    "units": "Correct the driver, or the columns file: {what}.",
    "kind of efforts": "Record the torques that the joints apply; where they are a part of these, "
    "multiply effort.sign in the robot file (for a table, effort_sign in the columns file) by the "
    "gears' ratios.",
    "order": "Correct the order of the names in the columns file, or of the driver's joints.",
    "gravity": "State 'gravity' in the robot file as the base is mounted; torques must be "
    "measured, not compensated.",
}
EXPECTED = {
    "effort sign": "positive about the joint's axis",
    "units": "N m and rad (N and m)",
    "kind of efforts": "what the joints apply to the arm",
    "order": "columns in the order of the joints",
    "gravity": "as the robot file states it",
}


def torques(
    samples: Samples, arm: ArmModel, uncertainty: Uncertainty, effort: Array
) -> tuple[list[Line], Agreement | None]:
    """Return what torques tell.

    Args:
        samples: Of n joints.
        arm: As the robot file describes it.
        uncertainty: Bounds of friction and offsets.
        effort: Largest torques, inf where none is stated, shape (n,) [N m or N].
    """
    lines = [_size(samples, arm, effort)]
    agreement = Agreement.of(samples, arm, uncertainty)
    if not agreement.windows:
        do = "Record at least a second without gaps."
        return [*lines, Line("torques", Verdict.LOOK, "no stretch of 0.1 s", "some", do)], None
    return [*lines, *judged(agreement)], agreement


def _size(samples: Samples, arm: ArmModel, effort: Array) -> Line:
    """Judge the size of torques by their limits, and whether they are measured."""
    tau = samples.tau
    largest = np.abs(tau).max(axis=0)
    stuck = (np.ptp(tau, axis=0) == 0.0) & (np.ptp(samples.q, axis=0) > MOVED)
    over = largest > 1.5 * effort
    turns = arm.axis_angular.any(axis=1)
    sizes = [f"{largest[of].max():.3g} {unit}" for of, unit in ((turns, "N m"), (~turns, "N"))
             if of.any()]  # fmt: skip
    found = f"up to {' and '.join(sizes)}"
    if (largest == 0.0).any():
        none = listed([arm.joints[j] for j in np.flatnonzero(largest == 0.0)])
        do = "Switch on the driver's effort interface for these joints."
        return Line("torque size", Verdict.WRONG, f"{none}: zero throughout", "measured", do)
    if stuck.any():
        names = [f"{arm.joints[j]}: {largest[j]:.3g} throughout" for j in np.flatnonzero(stuck)]
        do = "These efforts are stuck while the joints move: look at the driver and the sensors."
        return Line("torque size", Verdict.WRONG, listed(names), "measured", do)
    if over.any():
        names = [f"{arm.joints[j]} {largest[j]:.3g} (limit {effort[j]:.3g})"
                 for j in np.flatnonzero(over)]  # fmt: skip
        do = "Check unit and order of the efforts, and whether they are motor currents."
        return Line("torque size", Verdict.WRONG, listed(names), "within the limits", do)
    return Line("torque size", Verdict.GOOD, found, "within the limits")


def judged(agreement: Agreement) -> list[Line]:
    """Return what the fit of the described arm tells, and which other reading is likelier."""
    stated, arm = agreement.misfit(), agreement.arm
    found_other = None if stated.value <= FINE else likeliest(agreement)
    lines = []
    if found_other is not None:
        other, misfit = found_other
        found = f"{other.sentence} (misfit {_percent(misfit)}, as read {_percent(stated)})"
        lines.append(
            Line(other.subject, Verdict.WRONG, found, EXPECTED[other.subject],
                 remedy(other))
        )  # fmt: skip
    elif stated.value > AGREE:
        found = f"misfit {_percent(stated)}; {_worst(stated, arm)}"
        do = (
            "No other sign, unit (of all joints alike) or direction of gravity and no two joints "
            "exchanged explain it: check units and order of single joints, the payload frame, "
            "tools and masses of the description, encoder zeros, and what the efforts are."
        )
        lines.append(Line("torques", Verdict.WRONG, found, f"below {AGREE:.0%}", do))
    else:
        found = f"sign, unit, order and gravity fit (misfit {_percent(stated)})"
        lines.append(Line("torques", Verdict.GOOD, found, f"below {AGREE:.0%}"))
        lines += _single(stated, agreement)
    return [*lines, masses(agreement, stated if found_other is None else None)]


def _single(stated: Misfit, agreement: Agreement) -> list[Line]:
    """Return which joints tell too little, or do not fit although the whole does."""
    arm = agreement.arm
    little = [
        name for name, told in zip(arm.joints, signs_told(agreement), strict=True) if not told
    ]
    bad = [f"{arm.joints[j]} {stated.joints[j]:.0%}" for j in np.flatnonzero(
        stated.joints > UNRELATED) if arm.joints[j] not in little]  # fmt: skip
    lines = []
    if bad:
        do = "Check sign and offset of these joints, friction in the robot file, and the order."
        lines.append(Line("single joints", Verdict.LOOK, listed(bad), f"below {UNRELATED:.0%}", do))
    if little:
        do = "Hold the payload out sideways of these joints, or push by hand and look."
        found = f"too little torque to test the sign of {listed(little)}"
        lines.append(Line("effort sign", Verdict.LOOK, found, "some torque", do))
    return lines


def remedy(reading: Reading) -> str:
    """Return what to do where samples should be read so."""
    factors = [f"{factor:g}" for factor in reading.factor]
    text = factors[0] if len(set(factors)) == 1 else f"[{', '.join(factors)}]"
    what = ["position_unit"] if reading.hypothesis is not None else []
    what += [f"effort_sign, which is a factor, times {text}"] if text != "1" else []
    said = REMEDY[reading.subject].replace("{factor}", text)
    return said.replace("{what}", ", and ".join(what))


def signs_told(agreement: Agreement) -> list[bool]:
    """Tell of each joint whether its effort reversed would be seen."""
    quick = agreement.screened()
    stated, told = quick.misfit().value, []
    for j in range(agreement.arm.n):
        factor = tuple(-1.0 if k == j else 1.0 for k in range(agreement.arm.n))
        told.append(quick.misfit(Reading(factor=factor)).value > TOLD * stated + FINE / 2)
    return told


def masses(agreement: Agreement, stated: Misfit | None) -> Line:
    """Judge the description's masses, and say which mass the fit sees at the payload frame."""
    arm = agreement.arm
    mass = arm.link_phi[:, 0]
    without = [arm.joints[j] for j in np.flatnonzero(mass <= 0.0)]
    found = f"{mass.sum():.3g} kg move"
    if stated is not None:
        found += f", and about {stated.phi[0]:.2g} kg seen at {arm.payload_frame}"
    expected = "every link weighed; a tool that stays mounted is in the description"
    if without:
        do = "Add <inertial> to the links that these joints move, from the vendor's data."
        text = f"{found}; nothing with mass moves with {listed(without)} alone"
        return Line("link masses", Verdict.LOOK, text, expected, do)
    return Line("link masses", Verdict.GOOD, found, expected)


def _worst(misfit: Misfit, arm: ArmModel) -> str:
    """Name the joints that fit least."""
    worst = np.argsort(-misfit.joints)[:3]
    return ", ".join(f"{arm.joints[j]} {misfit.joints[j]:.0%}" for j in worst)


def _percent(misfit: Misfit) -> str:
    return f"{misfit.value:.0%}"
