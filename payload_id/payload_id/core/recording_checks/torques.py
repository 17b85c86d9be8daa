"""Torques: whether they are measured, and go with the arm as described.

They go with it where some payload explains them within what the robot file states: what an
identification says of them is asked here, so that no verdict disagrees.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..diagnosis.hypotheses.torque_sign import TorqueSign
from ..errors import ModelError
from ..identification.online import OnlineIdentifier
from ..identification.problem import Problem, Solved
from ..identification.settings import Settings
from ..identification.status import FAILED, Status
from ..rows.joint_torque.uncertainty import Uncertainty
from ..samples.joint_samples import Samples
from ..threads import one_thread
from .check_result import CheckResult, Verdict, listed

MOVED = 0.1  # [rad or m] with which a measured torque does not stay the same to the last bit
EXPECTED = "explained by some payload within what the robot file states"


def torques(
    samples: Samples, arm: ArmModel, uncertainty: Uncertainty, effort: Array
) -> list[CheckResult]:
    """Return what torques tell.

    Args:
        samples: Of n joints.
        arm: As the robot file describes it.
        uncertainty: What is stated.
        effort: Largest torques, inf where none is stated, shape (n,) [N m or N].
    """
    size, masses = _size(samples, arm, effort), _masses(arm, uncertainty.link_relative)
    if masses.verdict is Verdict.WRONG:  # torques are not compared with such
        return [size, masses]
    online = OnlineIdentifier(arm, Settings(uncertainty))
    online.add(samples)
    problem = online.problem()
    return [size, *_explained(problem, problem.solve()), masses]


def _explained(problem: Problem, solved: Solved) -> Iterator[CheckResult]:
    """Give whether some payload explains the torques, else what is likely to be wrong with them."""
    found, joints = solved.estimate, problem.row_source.channels
    if found.status not in FAILED:
        what, _, do = problem.without_confidence().partition(". ")
        verdict = Verdict.LOOK if what else Verdict.GOOD
        fit = what or "sign, unit, order and gravity fit"
        yield CheckResult("torques", verdict, fit, EXPECTED, do)
        yield from _little(problem)
        return
    if solved.diagnosis is None or solved.diagnosis.likely is None:
        what, _, do = found.message.partition(". ")
        about = found.cause or ("samples" if found.status is Status.NO_DATA else "torques")
        yield CheckResult(about, Verdict.WRONG, what, EXPECTED, do)
        return
    expected = EXPECTED
    for finding in (solved.diagnosis.likely, *solved.diagnosis.equally):
        what, _, do = finding.named(joints).partition(": ")
        what = what[0].lower() + what[1:]
        yield CheckResult(finding.cause, Verdict.WRONG, what, expected, do)
        expected = "this or the line above: the data do not tell which"


def _little(problem: Problem) -> Iterator[CheckResult]:
    """Give which joints' efforts would be consistent with the opposite sign as well."""
    evidence, joints = problem.evidence(float("nan")), problem.row_source.channels
    with one_thread():
        little = [
            joints[case.joint]
            for case in TorqueSign().relaxations(evidence)
            if case.joint is not None and evidence.refit(case.relaxation).factor <= 1.0
        ]
    if little:
        do = "Hold the payload out sideways of these joints, or push by hand and look."
        text = f"too little torque to test the sign of {listed(little)}"
        yield CheckResult("effort sign", Verdict.LOOK, text, "some torque", do)


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
