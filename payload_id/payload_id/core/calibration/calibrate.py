"""Calibrating an arm from runs of it alone, and with payloads whose mass at least is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import scipy

from ..arm.arm_model import ArmModel
from ..arm.calibration import ArmEquations, Calibration
from ..arrays import Array, IntArray
from ..errors import InputError, SolverError
from ..history import KnownLoad, KnownRun
from ..history.learning import of_the_arm_alone
from ..history.recorded_windows import believed_windows
from ..rows.joint_torque.calibrated import arm_rows
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.nuisance import JOINT_GROUPS, group_slice
from ..rows.joint_torque.torque_bound import largest_gain
from ..rows.joint_torque.uncertainty import Uncertainty
from ..rows.joint_torque.window_lengths import WindowLengths
from ..rows.nuisance import Nuisance
from ..rows.quadrature import ROUNDING
from ..samples.joint_samples import Samples
from ..statistics.statistics import Statistics
from ..statistics.triangular_factor import factor_of
from ..statistics.variance_components import LEAST_VARIANCE, UNIFORM_VARIANCE
from ..threads import one_thread
from .calibration_result import HELD_OUT, ArmValidation, CalibrationResult, Options
from .equations import joint_factors, window_equations
from .fit import ArmFit, Consistency
from .identifiability import Identifiability, base_parameters, structural_rank
from .nuisance_box import UnitBox, unit_box

ROW_LIMIT = 2000  # rows that a calibration keeps; the rest only enter its box and its factor
UNCONSTRAINED = (
    "The solver found no physically consistent links inside the box, so that the point estimate of "
    "the links was made without that constraint and a link of it may be no rigid body. Intervals "
    "do not rest on it; see link_phi() before using it in a simulator."
)


def calibrate(
    recordings: Sequence[Samples],
    model: ArmModel,
    uncertainty: Uncertainty,
    options: Options | None = None,
    payloads: Sequence[Array] | None = None,
) -> CalibrationResult:
    """Return what recordings of a bare arm (or one with a known payload) say of the arm.

    Args:
        recordings: At least one; all with the same constant psi.
        model: The arm as described, with any tool that it carried.
        uncertainty: What is assumed about sensors, links, friction.
        options: How to calibrate.
        payloads: Inertial parameters of the payload in each recording, NaN where unknown, shape
            (10,) each; None for no payload. One recording at least must know all.

    Raises:
        InputError: Nothing is uncertain, or there is no recording with a payload that is known.
        RecordingError: The recordings do not fit the arm, hold no window or no torques, or
            velocities that are not those of their positions.
    """
    options = options or Options()
    model.check_inertias(uncertainty.link_relative)
    row_source = MomentumRows.of(replace(model, calibration=None), uncertainty)
    stated = row_source.of_arm
    if not recordings or not stated.p:
        raise InputError(
            "There is nothing to calibrate: give at least one recording, and state in "
            "'uncertainty' what is not known exactly (link_relative, friction, torque_offset, ...)."
        )
    with one_thread():
        carried = [np.zeros(10)] * len(recordings) if payloads is None else payloads
        runs = [
            _equations(k, row_source, samples, options, np.asarray(payload, dtype=float))
            for k, (samples, payload) in enumerate(zip(recordings, carried, strict=True), 1)
        ]
        width = 15 * model.n + 10
        parts = [own for own, _ in runs if own.C.shape[1] == width]
        if not parts:
            raise InputError(
                "Of every payload only a part is known. Add a recording of the bare arm: it tells "
                "the arm's own weight from that of what it carries."
            )
        own = ArmEquations.stack(parts)
        whole = [ArmEquations.stack([own, *more]) for own, more in runs]
        every = ArmEquations.stack([replace(run, C=run.C[:, :width]) for run in whole])
        unknown = scipy.linalg.block_diag(*(run.C[:, width:] for run in whole))
        box = unit_box(arm_rows(every, stated), unknown)
        lower, upper = _in_units(stated, box)
        problem = _problem(model, uncertainty, options, lower, upper)
        factors, counts = joint_factors(own, model.n), np.bincount(own.joint, minlength=model.n)
        if unknown.any():
            more, count = _of_partly_known(recordings, carried, row_source, options.window)
            factors, counts = np.concatenate([factors, more[None]]), np.append(counts, count)
        factor = factor_of(*factors)
        # Rows whose bounds had to be so many times as large count so much less: those of torques in
        # other units would be out of the solver's range.
        times = float(np.fmax(box.noise_factor, 1.0))
        estimate, constrained = _estimate(problem, factor / times, int(counts.sum()), stated)
        validation = _validate(parts, problem, stated, times)
        found = _identifiability(model, stated, problem.scale(), factor)
    calibration = Calibration(
        digest=model.digest,
        joints=model.joints,
        lower=lower,
        upper=upper,
        estimate=estimate,
        uncertainty=uncertainty.to_dict(),
        equations=_nearest(every, np.flatnonzero(~unknown.any(axis=1)), box.slack),
        factors=factors,
        counts=counts,
        effort=model.effort,
    )
    return CalibrationResult(
        calibration=calibration,
        stated=stated,
        validation=validation,
        identifiability=found,
        noise_factor=box.noise_factor,
        blame=box.blame,
        windows=sum(len(own) for own, _ in runs) // model.n,
        samples=sum(len(samples) for samples in recordings),
        notes=() if constrained else (UNCONSTRAINED,),
    )


def _of_partly_known(
    recordings: Sequence[Samples],
    payloads: Sequence[Array],
    row_source: MomentumRows,
    window: float,
) -> tuple[Array, float]:
    """Return what runs with partly known payloads say of psi, the rest of these estimated along.

    Returns:
        factor: R factor of rows [C t], each as wide as a bound that its noise fills, shape
            (15 n + 11, 15 n + 11).
        count: Number of rows that it stands for.
    """
    runs = [
        KnownRun.of(f"recording {k}", samples, KnownLoad(np.asarray(payload)), row_source, window)
        for k, (samples, payload) in enumerate(zip(recordings, payloads, strict=True), 1)
    ]
    nuisance, largest = row_source.of_arm, row_source.prior.box()[1]
    of_a_run = np.arange(row_source.p) >= nuisance.p
    shared = zip(runs, of_the_arm_alone(runs, of_a_run, largest), strict=True)
    partly = [told for run, told in shared if not run.load.known.all()]
    told = reduce(Statistics.joined, partly)
    rows = np.sqrt(UNIFORM_VARIANCE) * told.channels[-1]
    C = np.zeros((len(rows), len(nuisance.centre)))
    uncertain = np.flatnonzero(nuisance.uncertain)
    C[:, uncertain] = rows[:, : nuisance.p] / nuisance.half_width[uncertain]
    t = rows[:, -1] + C @ nuisance.centre
    return factor_of(np.column_stack([C, t])), float(told.counts[-1])


def _nearest(equations: ArmEquations, alone: IntArray, slack: Array) -> ArmEquations:
    """Return the rows of the arm alone that are nearest to being active, in their order."""
    nearest = np.argsort(slack[alone], kind="stable")[:ROW_LIMIT]
    return equations.take(alone[np.sort(nearest)])


def _equations(
    number: int, row_source: MomentumRows, samples: Samples, options: Options, payload: Array
) -> tuple[ArmEquations, list[ArmEquations]]:
    """Return the equations of all windows of one recording, and those of other lengths.

    The others repeat the data of the windows: they narrow the box and do not count in estimates.
    """
    lengths = WindowLengths(row_source, options.window, options.scales)
    own: list[ArmEquations] = []
    others: list[ArmEquations] = []
    windows = believed_windows(row_source, samples, options.window, f"recording {number}")
    for window, seen in windows:
        for scale, terms in lengths.terms(window):
            found = window_equations(row_source, terms, payload)
            known = ~seen.of_rows(found.joint, found.start, found.end)
            (others if scale else own).append(found.take(known))
    return ArmEquations.stack(own), others


def _in_units(nuisance: Nuisance, box: UnitBox) -> tuple[Array, Array]:
    """Return the box of all candidates in physical units, rounded outwards."""
    lower, upper = nuisance.centre.copy(), nuisance.centre.copy()
    half = nuisance.half_width[nuisance.uncertain]
    slip = ROUNDING * nuisance.largest[nuisance.uncertain]
    lower[nuisance.uncertain] += half * box.lower - slip
    upper[nuisance.uncertain] += half * box.upper + slip
    return np.maximum(lower, _stated(nuisance, -1.0)), np.minimum(upper, _stated(nuisance, 1.0))


def _stated(nuisance: Nuisance, side: float) -> Array:
    """Return the lower (-1) or upper (1) ends of what is stated of the candidates."""
    return np.asarray(nuisance.centre + side * nuisance.half_width)


def _problem(
    model: ArmModel, uncertainty: Uncertainty, options: Options, lower: Array, upper: Array
) -> ArmFit:
    """Return the least-squares problem within the box."""
    return ArmFit(
        psi0=np.concatenate([model.link_phi.ravel(), np.zeros(5 * model.n + 10)]),
        lower=lower,
        upper=upper,
        consistency=Consistency.ELLIPSOID if len(options.ellipsoids) else Consistency.FULL,
        ellipsoids=options.ellipsoids,
        prior=options.prior,
        relative=max(uncertainty.link_relative, 1e-6),
        rest_size=_rest_sizes(uncertainty, model.n),
    )


def _rest_sizes(uncertainty: Uncertainty, n: int) -> Array:
    """Return how large the joints' and the tool's parameters may be, shape (5 n + 10,)."""
    gain = largest_gain(uncertainty.per_joint("torque_gain", n)) - 1.0
    sizes = [uncertainty.per_joint(group, n) for group in JOINT_GROUPS[:-1]]
    return np.concatenate([*sizes, gain, uncertainty.tool or np.zeros(10)])


def _estimate(problem: ArmFit, factor: Array, rows: int, nuisance: Nuisance) -> tuple[Array, bool]:
    """Return the point estimate, and whether its links were held to physical consistency.

    They are not where the solver finds nothing consistent in a box thinner than its accuracy. The
    prior is as strong as the rows' residual and the stated box suggest.
    """
    freedom = rows - nuisance.p
    variance = UNIFORM_VARIANCE
    if freedom >= 10:
        # Residual of the unconstrained fit, in units of the rows' bounds.
        columns = factor[:, :-1][:, nuisance.uncertain]
        scaled = columns * nuisance.half_width[nuisance.uncertain]
        right = factor[:, -1] - factor[:, :-1] @ nuisance.centre
        left = right - scaled @ np.linalg.lstsq(scaled, right, rcond=1e-10)[0]
        variance = max(float(left @ left / freedom), LEAST_VARIANCE)
    pulled = replace(problem, pull=float(np.sqrt(variance / UNIFORM_VARIANCE)))
    try:
        return pulled.solve(factor), problem.consistency is not Consistency.NONE
    except SolverError:
        return replace(pulled, consistency=Consistency.NONE).solve(factor), False


def _validate(
    parts: Sequence[ArmEquations], problem: ArmFit, nuisance: Nuisance, times: float
) -> ArmValidation:
    """Fit the first part of every recording with wider bounds, and judge the rest."""
    train, test = [], []
    for part in parts:
        border = part.start.min() + (1.0 - HELD_OUT) * (part.end.max() - part.start.min())
        train.append(part.take(part.end <= border))
        test.append(part.take(part.start >= border))
    first, last = ArmEquations.stack(train), ArmEquations.stack(test)
    n = problem.n
    # The box was made with the rows that are held out as well; here the stated one counts.
    wide = replace(problem, lower=_stated(nuisance, -1.0), upper=_stated(nuisance, 1.0))
    links, rest = problem.psi0[: 10 * n], slice(10 * n, None)
    lower, upper = (np.append(links, end[rest]) for end in (wide.lower, wide.upper))
    friction_only = replace(wide, lower=lower, upper=upper, consistency=Consistency.NONE)
    factor = factor_of(*joint_factors(first, n)) / times
    friction, _ = _estimate(friction_only, factor, len(first), nuisance)
    everything, _ = _estimate(wide, factor, len(first), nuisance)
    return ArmValidation(
        nominal=_rms_per_joint(last, problem.psi0, n),
        nominal_links=_rms_per_joint(last, friction, n),
        calibrated=_rms_per_joint(last, everything, n),
        rows=len(last),
    )


def _rms_per_joint(equations: ArmEquations, psi: Array, n: int) -> Array:
    """Return the root mean square residual of each joint's rows, NaN without rows, (n,) [N m]."""
    residual = equations.residual(psi)
    groups = [residual[equations.joint == joint] for joint in range(n)]
    return np.array([np.sqrt(np.mean(r**2)) if len(r) else np.nan for r in groups])


def _identifiability(
    model: ArmModel, nuisance: Nuisance, scale: Array, factor: Array
) -> Identifiability:
    """Return which combinations of the arm's uncertain parameters the rows determine.

    The tool's errors cannot be told from the last link. Gains are left out: all torques and all
    other parameters times one factor fit as well, and only the stated boxes tell such a factor.
    """
    uncertain = nuisance.uncertain[: 15 * model.n].copy()
    scale = scale[: 15 * model.n]
    uncertain[group_slice("torque_gain", model.n)] = False
    names = tuple(np.array(nuisance.every)[: 15 * model.n][uncertain].tolist())
    base, unseen = base_parameters(factor[:, : 15 * model.n][:, uncertain], scale[uncertain], names)
    possible = structural_rank(model, uncertain, scale)
    return Identifiability(base, unseen, possible, len(names))
