"""Torques: whether they are measured, and go with the arm as described.

They go with it where some payload explains each within a quarter of it: the windows' rows are
consistent under bounds that are as wide. Where they are not, what may be false of them is asked as
it is of any inconsistent rows, of gross mistakes alone; their size, by one factor, before all else.
It needs no stated bounds on noise or links, so that it serves before any are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..bounds import Interval
from ..diagnosis import Evidence, Reprocessed, WindowBuffer, diagnose
from ..diagnosis.diagnose import CLEARLY
from ..diagnosis.hypotheses import Table
from ..diagnosis.hypotheses.efforts import KindOfEfforts, much_too_small
from ..diagnosis.hypotheses.gravity import Gravity
from ..diagnosis.hypotheses.joint_order import JointOrder
from ..diagnosis.hypotheses.torque_sign import TorqueSign
from ..diagnosis.hypotheses.units import TORQUES, Units
from ..errors import ModelError
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.row_block import RowBlock
from ..rows.windows import WindowCutter
from ..samples.differentiation import velocities
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .check_result import CheckResult, Verdict, listed

MOVED = 0.1  # [rad or m] with which a measured torque does not stay the same to the last bit
WINDOW = 0.1  # [s]
LEAST_SAMPLES = 8  # in a window
PART = 0.25  # of a torque, by which it may be off
FLOOR = 0.03  # likewise of the largest that the links take of any joint
STATED = "friction_coulomb", "friction_viscous", "torque_offset", "stiction_velocity", "prior"
ASKED = Table(
    ((TorqueSign(), Units()), (KindOfEfforts(), JointOrder(), Gravity())),
    "units and order of single joints, the payload frame, tools and masses of the description, "
    "encoder zeros, and what the efforts are",
)
SUBJECTS = {  # what a line of the result is called, by hypothesis
    TorqueSign.name: "effort sign", JointOrder.name: "order", Gravity.name: "gravity",
}  # fmt: skip


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
    size, masses = _size(samples, arm, effort), _masses(arm, uncertainty.link_relative)
    if masses.verdict is Verdict.WRONG:  # torques are not compared with such
        return [size, masses]
    length = max(WINDOW, LEAST_SAMPLES * samples.step)
    followed = velocities(samples.stamp, samples.q)  # measured ones are judged by themselves
    known = np.flatnonzero(np.isfinite(followed).all(axis=1))
    buffer = WindowBuffer()
    for window in WindowCutter(length).add(replace(samples.where(known), dq=followed[known])):
        buffer = buffer.with_window(window)
    if not buffer.windows:
        do = "Record at least a second without gaps."
        return [size, CheckResult("torques", Verdict.LOOK, "no stretch of 0.1 s", "some", do)]
    stated = {name: getattr(uncertainty, name) for name in STATED}
    arm = replace(arm, calibration=None, history=None)
    with one_thread():
        source = MomentumRows.of(arm, Uncertainty(**stated))
        rows = RowBlock.stack([source.window(window) for window in buffer.windows])
        factors = next(much_too_small(rows, arm.n, source.prior.typical), None)
        if factors is not None:
            return [size, _too_small(np.abs(factors)), masses]
        least = FLOOR * float(np.abs(rows.b - rows.reading).max()) / length
        loose = Uncertainty(torque_relative=PART, torque_absolute=least, **stated)
        return [size, *_judged(MomentumRows.of(arm, loose), buffer, length), masses]


def _too_small(factors: Array) -> CheckResult:
    """Say that efforts are far too small, with what is about right, of all joints or of each."""
    listed_factors = ", ".join(f"{factor:.2g}" for factor in factors)
    alike = len(factors) == 1
    named = [
        f"in {name}" for name, size in TORQUES.items() if alike and 0.8 < size / factors < 1.25
    ]
    of = " or ".join(named) or "at the motors' side of the gears, or currents, or external torques"
    found = f"some {listed_factors} times smaller than what the joints need: they are {of}"
    do = (
        f"Correct the driver, or multiply effort.sign in the robot file by {listed_factors} (for a "
        "table, effort_sign in the columns file)."
    )
    return CheckResult("units", Verdict.WRONG, found, "N m (or N), of the joints", do)


def _size(samples: Samples, arm: ArmModel, effort: Array) -> CheckResult:
    """Judge the size of torques by their limits, and whether they are measured."""
    largest, joints = np.abs(samples.tau).max(axis=0), arm.joints
    stuck = (np.ptp(samples.tau, axis=0) == 0.0) & (np.ptp(samples.q, axis=0) > MOVED)
    for bad, found, expected, do in (
        (
            stuck | (largest == 0.0), "{:.3g} throughout", "measured",
            "Switch on the driver's effort interface for these joints, or look at their sensors.",
        ),
        (
            largest > 1.5 * effort, "{:.3g} (limit {:.3g})", "within the limits",
            "Check unit and order of the efforts, and whether they are motor currents.",
        ),
    ):  # fmt: skip
        if bad.any():
            names = [f"{joints[j]} {found.format(largest[j], effort[j])}"
                     for j in np.flatnonzero(bad)]  # fmt: skip
            return CheckResult("torque size", Verdict.WRONG, listed(names), expected, do)
    sizes = [f"{largest[of].max():.3g} {unit}"
             for of, unit in ((arm.revolute, "N m"), (~arm.revolute, "N")) if of.any()]  # fmt: skip
    return CheckResult(
        "torque size", Verdict.GOOD, f"up to {' and '.join(sizes)}", "within the limits"
    )


def _judged(source: MomentumRows, buffer: WindowBuffer, length: float) -> Iterator[CheckResult]:
    """Give whether rows are consistent, else what is likely to be wrong with the torques."""
    rows = RowBlock.stack([source.window(window) for window in buffer.windows])
    joints, nothing = source.channels, np.full(source.p, -1)
    known, shape = Interval(*source.prior.box()), source.prior.shape()
    evidence = Evidence.of(rows, known, shape, 0, nothing, float("nan"))
    expected = f"each explained to within {PART:.0%} of it"
    if evidence.factor <= 1.0:
        text = f"sign, unit, order and gravity fit ({evidence.factor * PART:.0%} off at the most)"
        yield CheckResult("torques", Verdict.GOOD, text, expected)
        yield from _little(evidence, joints)
        return
    again = Reprocessed.of(evidence, source, buffer, length)
    found = diagnose(evidence, again, ASKED)
    if found.likely is None or found.likely.factor > CLEARLY * evidence.factor:
        worst = listed(list(dict.fromkeys(joints[span.joint] for span in found.spans)))
        text = f"up to {evidence.factor * PART:.0%} of them not explained, of {worst}"
        do = f"No single cause explains it: check {found.otherwise}."
        yield CheckResult("torques", Verdict.WRONG, text, expected, do)
        return
    what, _, remedy = found.likely.named(joints).partition(": ")
    subject = SUBJECTS.get(found.likely.cause, found.likely.cause)
    yield CheckResult(subject, Verdict.WRONG, what[0].lower() + what[1:], expected, remedy)


def _little(evidence: Evidence, joints: Sequence[str]) -> Iterator[CheckResult]:
    """Give which joints' efforts would be consistent with the opposite sign as well."""
    little = [
        joints[case.joint]
        for case in TorqueSign().relaxations(evidence)
        if case.joint is not None and evidence.refit(case.relaxation).factor <= 1.0
    ]
    if little:
        do = "Hold the payload out sideways of these joints, or push by hand and look."
        text = f"too little torque to test the sign of {listed(little)}"
        yield CheckResult("effort sign", Verdict.LOOK, text, "some torque", do)


def _masses(arm: ArmModel, link_relative: float) -> CheckResult:
    """Judge the description's masses and inertias, of which a relative error is stated."""
    mass = arm.link_phi[:, 0]
    without = [arm.joints[j] for j in np.flatnonzero(mass <= 0.0)]
    found = f"{mass.sum():.3g} kg move"
    expected = "every link weighed; a tool that stays mounted is in the description"
    try:
        arm.check_masses()
        arm.check_inertias(link_relative)
    except ModelError as error:
        return CheckResult("link masses", Verdict.WRONG, found, expected, str(error))
    if without:
        do = "Add <inertial> to the links that these joints move, from the vendor's data."
        text = f"{found}; nothing with mass moves with {listed(without)} alone"
        return CheckResult("link masses", Verdict.LOOK, text, expected, do)
    return CheckResult("link masses", Verdict.GOOD, found, expected)
