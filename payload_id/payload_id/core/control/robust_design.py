"""From what is uncertain and how the controller is clocked to the tube that it guarantees.

V_M is the level of the tube and |r_j| <= rho_j = sqrt(2 V_M / d_j), d_j the inertia of each joint.
The input, asked at each step for dV/dt <= alpha (V_c - V), lets V rise in a period T by at most
T sigma more (`safety/tube/sampling_reserve.py`); V_c = V_M - sigma / alpha keeps V <= V_M.
docs/proofs.md has the proof.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..errors import InputError
from ..motion.trajectory import Trajectory
from ..safety.torque.arm_dynamics import ArmDynamics
from ..safety.torque.design_margins import proved_inertia
from ..safety.torque.parameter_box import ParameterBox
from ..safety.torque.slice_torque_bounds import slice_torque_bounds
from ..safety.torque.torque_change import SLICE, torque_change
from ..safety.tube.sampling_reserve import SamplingReserve
from ..safety.tube.tracking_tube import TrackingTube

LEAST_LEVEL = 0.5  # V_c is at least this part of V_M [-]
ROOM = 1.05  # for other slices than these [-]
ITERATIONS = 30  # of the search for the largest reserve
UNUSABLE = 1e6  # [N m or N] a search that comes so far has no fixed point
GROWTH = 1.01  # the reserve is taken so much above the fixed point that it is a bound [-]
ROUNDING = 1e-9  # part by which constants are on the safe side of what is proved [-]


def robust_design(
    model: ArmModel,
    box: ParameterBox,
    level: float,
    gain: Array | float,
    disturbance: Array | float,
    torque_change: Array | float,
    period: float = 1e-3,
    rate: float = 200.0,
    start: Array | float | None = None,
) -> TrackingTube:
    """Return the tube of the robust controller, with its constants as `reserve`.

    Whether they hold for a motion and a box is proved with its certificate (`design_margins`).

    Args:
        model: The arm.
        box: What is uncertain; the rotors' inertias must be above 0.
        level: V_M, which decides how wide the tube is [J].
        gain: K_r, shape (n,) [1/s].
        disturbance: Largest |w_j| in the motions to come, shape (n,) [N m or N].
        torque_change: delta, a bound of how much RNEA(theta_0; ...) and the bound of |w| change
            within a period, taken together (the sign of friction changes at once), and of |C r|,
            shape (n,) [N m or N].
        period: T, time between two steps of the controller [s].
        rate: alpha [1/s].
        start: Largest |r_j| where a motion begins, shape (n,) [rad/s or m/s]; None: as much as V_M
            allows, shared by the joints.

    Raises:
        InputError: The rotors' inertia is unknown, or the tube is too narrow for the period.
    """
    n = model.n
    given = (gain, disturbance, torque_change)
    K, w, delta = (np.broadcast_to(np.asarray(x, dtype=float), (n,)) for x in given)
    rotor = _smallest_rotor(box)
    _check(level=np.array(level), disturbance=w, torque_change=delta)
    if not 0 < rate * period <= 1:
        raise InputError(
            "A robust design needs torques that follow the state within 1 / rate; found a rate of "
            f"{rate:g} /s and torques that take {period:g} s."
        )
    d, upper = proved_inertia(model, box)
    d, upper = d * (1.0 - ROUNDING), upper * (1.0 + ROUNDING)
    if not np.isfinite(upper).all():
        raise InputError("A joint that turns before one that slides has no bounded inertia here.")
    even = 1.0 / np.sqrt(upper)
    begin = even if start is None else np.broadcast_to(np.asarray(start, dtype=float), (n,))
    # V_c only matters through its smallest value here; what is kept is not below it.
    least = SamplingReserve(w, delta, np.zeros(n), rotor, d, upper, begin, level,
                            LEAST_LEVEL * level, rate, period)  # fmt: skip
    if start is None:
        most = (1.0 - ROUNDING) * np.sqrt(level / least.start_energy)
        least = replace(least, start=most * even)
    for _ in range(ITERATIONS):
        least = replace(least, largest=np.minimum(GROWTH * least(w), UNUSABLE))
    margin = (1.0 + ROUNDING) * float(least.rise(w)) / rate
    if not ((least(w) <= least.largest).all() and margin <= (1.0 - LEAST_LEVEL) * level):
        raise InputError(
            f"A tube of V_M = {level:g} J is too narrow for a period of {period:g} s: the sampling "
            f"alone takes {margin:.3g} J of it at rate {rate:g} 1/s. Raise level or rate, shorten "
            "the period, or move so that the disturbance is smaller."
        )
    reserve = replace(least, full_level=(level - margin) * (1.0 - ROUNDING))
    return TrackingTube.passivity_based(level, K, d, (), reserve)


def undesigned_tube(
    model: ArmModel, box: ParameterBox, level: float, gain: Array | float
) -> TrackingTube:
    """Return the tube that every design of a level and a gain has, whatever the motion.

    Args:
        model: The arm.
        box: What is uncertain; the rotors' inertias must be above 0.
        level: V_M [J].
        gain: K_r, shape (n,) [1/s].

    Raises:
        InputError: The rotors' inertia is unknown.
    """
    _smallest_rotor(box)
    d = proved_inertia(model, box)[0] * (1.0 - ROUNDING)
    return TrackingTube.passivity_based(level, np.broadcast_to(gain, (model.n,)), d)


def design_for(
    dynamics: ArmDynamics,
    trajectory: Trajectory,
    level: float,
    gain: Array | float,
    period: float = 1e-3,
    room: float = 1.0,
) -> TrackingTube:
    """Return the tube of the design for one motion; see `robust_design`.

    The disturbance is the certifier's own bound over the tube, which depends on level and gain
    only. The change of torque within a period is `torque_change`'s, a bound over the tube, too: it
    depends on how fast r may change, and that on it, so that a fixed point is searched.

    Args:
        dynamics: The arm, and what is uncertain.
        trajectory: The motion.
        level: V_M [J].
        gain: K_r, shape (n,) [1/s].
        period: T [s].
        room: Disturbance and change are designed so many times as large, for other motions that
            the same design shall serve: the stops on this one, and what goes on from it [-].

    Raises:
        InputError: As `robust_design`; or there is no such fixed point.
    """
    model, box = dynamics.model, dynamics.box
    tube = undesigned_tube(model, box, level, gain)
    edges = np.linspace(0.0, trajectory.duration, int(trajectory.duration / SLICE) + 2)
    enclosure = slice_torque_bounds(model, trajectory.ranges(edges), tube, box)
    w = room * ROOM * enclosure.disturbance.max(axis=0)
    bound = torque_change(model, box, trajectory, tube, period)
    delta = room * bound(np.zeros(model.n))
    for _ in range(ITERATIONS):
        made = robust_design(model, box, level, gain, w, delta, period)
        found = room * bound(made.design.fastest)
        if (found <= delta).all():
            return made
        delta = np.maximum(delta, GROWTH * found)
    raise InputError(
        f"A period of {period:g} s is too long for this motion: the faster the controller acts, "
        "the more its torque changes within a period. Shorten it."
    )


def _check(**given: Array) -> None:
    """Raise unless all are finite and none is negative."""
    for name, value in given.items():
        if not np.isfinite(value).all() or (value < 0).any():
            raise InputError(
                f"The robust controller's '{name}' must be finite and not negative; found "
                f"{value.tolist()!r}."
            )


def _smallest_rotor(box: ParameterBox) -> Array:
    """Return the rotors' smallest inertias, shape (n,), all above 0."""
    rotor = box.rotor_inertia_lower
    if not (rotor > 0).all():
        raise InputError(
            "The tube of the robust controller needs rotor inertias above 0; the smallest found "
            f"are {rotor.tolist()} kg m2. Without rotors the tube is as wide as the small inertia "
            "of the wrist makes it, which is of no use: give rotor inertias, or use the arm's own "
            "position controller with a stated tube."
        )
    return np.asarray(rotor)
