"""Bounds on noise, friction and offsets that recordings with known payloads show, times a margin.

A cautious bound on every sample lets the hull choose an error of one sign over a whole run; noise
does not do that. What it does is measured: u, all that is constant and has a box (links, friction,
offsets), is fitted to each recording, and the largest mean of what is left,

    max |B u + A phi - b| / L   over all windows of length L of one joint,

times the margin is stated as `torque_mean` of that length. The bound on a sample by itself stays as
it was, unless it was below that. What else makes rows err is in what is left, too: noise in
proportion to the torque, errors of velocities, stamps, encoders' zeros and the direction of gravity
were measured with the rest, and are stated as none (a constant part of the torque is
`torque_gain`). The fit takes with it what looks like a link or friction, and another motion may
have more: the margin answers for both. Under a larger torque than that of the recordings, which is
kept as `torque_mean_load`, errors may be larger in proportion.

Friction, rotor inertia and offsets are looked for far beyond their stated bounds, and stated wider
where the margin needs it; within them the calibration proves how large they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..history.recorded_windows import recorded_windows
from ..rows.joint_torque.momentum import MomentumRows
from ..rows.joint_torque.nuisance import group_slice
from ..rows.joint_torque.uncertainty import LISTS, Uncertainty
from ..rows.joint_torque.window_lengths import WindowLengths
from ..rows.row_block import RowBlock
from ..samples.joint_samples import Samples
from ..statistics.nuisance_fit import nuisance_fit
from ..statistics.statistics import Statistics
from ..threads import one_thread

MEASURED_WITH = (
    "torque_relative", "velocity_error", "stamp_jitter", "joint_zero", "gravity_error"
)  # fmt: skip
OF_JOINTS = ("friction_coulomb", "friction_viscous", "rotor_inertia", "torque_offset")
MARGIN = 2.0  # of what was seen: another motion, and a payload, may have more
WIDER = 10.0  # times their stated bounds that these are looked for
LENGTHS = (0.1, 0.2, 0.5, 1.0, 2.0)  # [s]; more of them narrow intervals by less than 2 %


def with_measured_noise(
    uncertainty: Uncertainty,
    recordings: Sequence[Samples],
    payloads: Sequence[Array],
    model: ArmModel,
    margin: float,
) -> Uncertainty:
    """Return the bounds with what recordings show, times a margin.

    Args:
        uncertainty: All bounds; those on the noise's means are replaced.
        recordings: At least one.
        payloads: Inertial parameters of what was carried in each, NaN where unknown, shape (10,)
            each.
        model: The arm.
        margin: How many times what was seen is stated.

    Raises:
        RecordingError: A recording holds no window of the shortest length.
    """
    lists: dict[str, Any] = dict.fromkeys(LISTS, ())
    nothing: dict[str, Any] = dict.fromkeys(MEASURED_WITH, 0.0)
    stated = {name: uncertainty.per_joint(name, model.n) for name in OF_JOINTS}
    wide: dict[str, Any] = {name: tuple((WIDER * x).tolist()) for name, x in stated.items()}
    source = MomentumRows.of(model, replace(uncertainty, **lists, **nothing, **wide))
    with one_thread():
        shown = [
            _shown(source, samples, np.asarray(payload, dtype=float))
            for samples, payload in zip(recordings, payloads, strict=True)
        ]
    largest, parameters, load = (np.max(part, axis=0) for part in zip(*shown, strict=True))
    seen = ~np.isnan(largest).any(axis=1)  # a recording may be too short for the longest
    means = margin * largest[seen]
    absolute = np.maximum(uncertainty.per_joint("torque_absolute", model.n), means[0])
    for name, bound in zip(OF_JOINTS, margin * parameters, strict=True):
        wide[name] = tuple(np.maximum(stated[name], bound).tolist())
    return replace(
        uncertainty,
        torque_absolute=tuple(absolute.tolist()),
        **nothing,
        **wide,
        **lists
        | {
            "torque_mean_window": tuple(np.array(LENGTHS)[seen].tolist()),
            "torque_mean": tuple(means.ravel().tolist()),
            "torque_mean_load": tuple(load.tolist()),
        },
    )


def _shown(source: MomentumRows, samples: Samples, payload: Array) -> tuple[Array, Array, Array]:
    """Return what a fit to one recording shows.

    Returns:
        means: The largest of what is left, shape (L, n) [N m or N]; NaN: there is no window of
            that length.
        parameters: Magnitudes of those in `OF_JOINTS`, shape (4, n).
        load: Largest torque, as a magnitude, shape (n,) [N m or N].
    """
    makes = WindowLengths(source, LENGTHS[0], LENGTHS[1:])
    windows = recorded_windows(source, samples, LENGTHS[0], "a recording")
    rows = RowBlock.stack(makes.blocks(windows)).with_payload(payload)
    fitted = Statistics.empty(source.p, source.growth).add(rows.of_own_data(), source.prior.typical)
    fit = nuisance_fit(fitted.channels, fitted.counts, fitted.errors, fitted.gain)
    B, b = rows.unbiased()
    left = B @ fit.x[: source.p] + rows.A @ fit.x[source.p :] - b
    means = np.abs(left) / rows.duration
    result = np.full((len(LENGTHS), source.model.n), np.nan)
    for k, length in enumerate(LENGTHS):
        of_length = np.isclose(rows.scale, 0.0 if k == 0 else length)
        for joint in range(source.model.n):
            mine = means[of_length & (rows.joint == joint)]
            result[k, joint] = mine.max() if len(mine) else np.nan
    psi, n = source.nuisance.at(fit.x), source.model.n
    parameters = np.abs([psi[group_slice(name, n)] for name in OF_JOINTS])
    return result, parameters, np.abs(source.fitted(samples).tau).max(axis=0)
