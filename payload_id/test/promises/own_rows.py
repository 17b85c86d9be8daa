"""The rows of docs/proofs.md from Pinocchio's regressors, and the interval that they leave.

What is here shares no line with the product: rows are made of `computeJointTorqueRegressor` at each
sample, and bounds on phi are the optima of linear or semidefinite programs of SciPy and CVXPY.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

import cvxpy as cp
import numpy as np
import pinocchio as pin
from scipy.optimize import linprog

from payload_id import Recording, Uncertainty

from .arms import TO_PINOCCHIO, Arm, phi_of
from .errors import slides

STEP = 1e-5  # [s] of a derivative along the motion
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of the second moments in phi
QUANTILE = 5.33  # of the normal distribution, for 100 000 rows and 99 %


@dataclass(frozen=True)
class Rows:
    """|A phi + B u - b| <= d + E |phi| with |u| <= 1."""

    A: np.ndarray
    B: np.ndarray
    b: np.ndarray
    d: np.ndarray
    E: np.ndarray


@dataclass(frozen=True)
class Regressors:
    """Coefficients of the bodies' parameters and of the payload's, in the order of phi."""

    arm: Arm

    def __post_init__(self) -> None:
        model, weightless = self.arm.model.copy(), self.arm.model.copy()
        weightless.gravity.linear = np.zeros(3)
        object.__setattr__(self, "_models", (model, weightless))
        object.__setattr__(self, "_data", model.createData())
        object.__setattr__(self, "_payload", of_payload(self.arm))

    def torque(self, q, dq, ddq, weightless: bool = False) -> np.ndarray:
        """Return the coefficients of the joints' torques, those of phi last, (n, 10 n + 10)."""
        model, q = self._models[weightless], self.arm.configuration(q)
        links = pin.computeJointTorqueRegressor(model, self._data, q, dq, ddq)
        return np.hstack([links, links[:, -10:] @ self._payload])

    def momentum(self, q, dq) -> np.ndarray:
        """Return those of the momenta."""
        return self.torque(q, 0 * q, dq, weightless=True)

    def force(self, q, dq) -> np.ndarray:
        """Return those of the momenta's rates less the torques, which no acceleration enters."""
        ahead, back = (self.momentum(q + sign * STEP * dq, dq) for sign in (1, -1))
        return (ahead - back) / (2 * STEP) - self.torque(q, dq, 0 * q)

    def gravity(self, q, axis: int) -> np.ndarray:
        """Return what gravity of 1 m/s2 along an axis of the base adds to the torques."""
        model = self._models[0]
        model.gravity.linear = np.eye(3)[axis]
        added = self.torque(q, 0 * q, 0 * q)
        model.gravity.linear = np.asarray(self.arm.file.gravity)
        return added


def of_payload(arm: Arm) -> np.ndarray:
    """Return what parameters about the payload frame are about the last joint's, (10, 10)."""
    frame = arm.model.frames[arm.model.getFrameId(arm.file.payload_frame)]
    assert frame.parentJoint == arm.n
    body = phi_of(1.0, np.zeros(3), np.eye(3))
    columns = []
    for step in [*np.eye(10), np.zeros(10)]:
        moved = pin.Inertia.FromDynamicParameters((body + step)[TO_PINOCCHIO])
        columns.append(frame.placement.act(moved).toDynamicParameters())
    return np.array([column - columns[-1] for column in columns[:-1]]).T


def own_rows(
    arm: Arm,
    recording: Recording,
    bounds: Uncertainty,
    window: float = 0.1,
    apart: float | None = None,
) -> Rows:
    """Return the rows of a recording in steps that divide the window; it begins anew so often."""
    step = np.median(np.diff(recording.stamp))
    length, every = (round(x / step) for x in (window, apart or window))
    regressors = Regressors(arm)
    starts = range(0, len(recording) - length, every)
    blocks = [_window(regressors, recording, bounds, slice(k, k + length + 1)) for k in starts]
    return Rows(*(np.concatenate(x) for x in zip(*blocks, strict=True)))


def joined(rows: Rows, n: int, count: int, seconds: float, mean: np.ndarray | float) -> Rows:
    """Return rows of so many neighbouring windows, of which one ends with every window.

    Args:
        rows: Of the windows, n of each.
        n: Number of joints.
        count: Number of windows that are joined.
        seconds: That they cover.
        mean: What the mean of the noise stays within over that [N m].
    """
    found = []
    for last in range(count, len(rows.b) // n + 1):
        parts = [slice(j * n, (j + 1) * n) for j in range(last - count, last)]
        total = {f.name: sum(getattr(rows, f.name)[x] for x in parts) for f in fields(Rows)}
        found.append(Rows(**{**total, "d": np.minimum(total["d"], mean * seconds)}))
    return stacked(found)


def _window(of: Regressors, recording: Recording, bounds: Uncertainty, part: slice):
    arm, n = of.arm, of.arm.n
    each = {
        name: np.broadcast_to(np.asarray(getattr(bounds, name), dtype=float), n)
        for name in (
            "torque_relative torque_absolute torque_gain torque_offset friction_coulomb "
            "friction_viscous rotor_inertia friction_coulomb_asymmetry friction_viscous_asymmetry "
            "torque_ripple ripple_cycles torque_drift position_error velocity_error joint_zero "
            "torque_delay torque_sigma"
        ).split()
    }
    t, q, dq, tau = (getattr(recording, x)[part] for x in ("stamp", "q", "dq", "tau"))
    weight = np.zeros(len(t))
    weight[:-1] += np.diff(t) / 2
    weight[1:] += np.diff(t) / 2
    seconds = t[-1] - t[0]
    momentum = np.array([of.momentum(*x) for x in zip(q, dq, strict=True)])
    force = np.array([of.force(*x) for x in zip(q, dq, strict=True)])
    whole = momentum[-1] - momentum[0] - np.tensordot(weight, force, 1)
    links = arm.links()
    theta, half = links.ravel(), (bounds.link_relative * np.abs(links)).ravel()
    half = half + _shifted(np.abs(links) * (1 + bounds.link_relative), bounds.link_shift)

    gain = 1 / (1 - each["torque_gain"])
    relative = each["torque_relative"] * gain
    absolute = each["torque_absolute"] + relative * each["torque_offset"]
    noise = (relative * np.abs(tau) + absolute) / (1 - relative)
    torque, d = weight @ tau, gain * (weight @ noise)
    d = d + gain * QUANTILE * each["torque_sigma"] * np.linalg.norm(weight)
    d += gain * each["torque_drift"] / 2 * seconds

    B = [whole[:, k] * half[k] for k in np.flatnonzero(half)]
    b = torque - whole[:, :-10] @ theta

    def constant(column: np.ndarray, size: np.ndarray, one_sided: bool = False) -> None:
        for j in np.flatnonzero(size):
            unit = np.eye(n)[j] * column[j] * size[j]
            B.append(unit / 2 if one_sided else unit)
            if one_sided:
                b[:] -= unit / 2

    moves = np.abs(dq) > bounds.stiction_velocity + each["velocity_error"]
    signs = np.where(moves, np.sign(dq), 0.0)
    constant(weight @ signs, each["friction_coulomb"], one_sided=True)
    d += each["friction_coulomb"] * (weight @ ~moves)
    constant(weight @ dq, each["friction_viscous"], one_sided=True)
    d += each["friction_viscous"] * each["velocity_error"] * seconds
    constant(dq[-1] - dq[0], each["rotor_inertia"], one_sided=True)
    d += each["rotor_inertia"] * 2 * each["velocity_error"]
    constant(np.full(n, seconds), gain * each["torque_offset"])
    constant(-torque, gain - 1)
    constant(np.full(n, seconds), each["friction_coulomb_asymmetry"] / 2)
    constant(weight @ np.abs(dq), each["friction_viscous_asymmetry"] / 2)
    phase = each["ripple_cycles"] * np.where(slides(arm), 2 * np.pi, 1.0) * q
    constant(weight @ np.sin(phase), each["torque_ripple"])
    constant(weight @ np.cos(phase), each["torque_ripple"])
    constant(tau[-1] - tau[0], each["torque_delay"])
    tool = np.asarray(bounds.tool if bounds.tool else np.zeros(10))
    B += [whole[:, -10:][:, k] * tool[k] for k in np.flatnonzero(tool)]

    spread = np.zeros_like(whole)  # of the coefficients
    if bounds.gravity_error:
        for axis in range(3):
            part = np.tensordot(weight, [of.gravity(x, axis) for x in q], 1)
            B.append(bounds.gravity_error * part[:, :-10] @ theta)
            spread += bounds.gravity_error * np.abs(part)
        constant_spread = spread
    else:
        constant_spread = 0 * spread
    for j in np.flatnonzero(each["joint_zero"]):
        moved = each["joint_zero"][j] * np.eye(n)[j]
        ahead, back = (
            of.momentum(q[-1] + s * moved, dq[-1]) - of.momentum(q[0] + s * moved, dq[0])
            - np.tensordot(weight, [of.force(x + s * moved, v) for x, v in
                                    zip(q, dq, strict=True)], 1)
            for s in (1, -1)
        )  # fmt: skip
        slope = (ahead - back) / 2
        B.append(-slope[:, :-10] @ theta)
        constant_spread = constant_spread + np.abs(slope)
    if bounds.stamp_jitter:
        f = np.gradient(momentum, t, axis=0)
        jitter = np.abs(f[0] + f[1]) / 2 + np.abs(f[-1] + f[-2]) / 2
        spread = bounds.stamp_jitter * (jitter + np.abs(f[2:] - f[:-2]).sum(axis=0) / 2)
    else:
        spread = 0 * constant_spread
    for k, (x, v) in enumerate(zip(q, dq, strict=True)):
        for name, at in (("position_error", 0), ("velocity_error", 1)):
            for j in np.flatnonzero(each[name]):
                step = each[name][j] * np.eye(n)[j]
                moved = (x + step, v) if at == 0 else (x, v + step)
                spread = spread + weight[k] * np.abs(of.force(*moved) - force[k])
                if k in (0, len(q) - 1):
                    spread = spread + np.abs(of.momentum(*moved) - momentum[k])
    d += constant_spread[:, :-10] @ half + spread[:, :-10] @ (np.abs(theta) + half)
    E = (spread + constant_spread)[:, -10:]
    return whole[:, -10:], np.array(B).reshape(-1, n).T, b, d, E


def _shifted(largest: np.ndarray, shift: float) -> np.ndarray:
    """Return by how much parameters in Pinocchio's order change when bodies are shifted."""
    found = []
    for m, *h, _, _, _, _, _, _ in largest:
        pair = [[(a + b) * shift + m * shift**2 for a in h] for b in h]
        xx, xy, yy = pair[1][1] + pair[2][2], pair[0][1], pair[0][0] + pair[2][2]
        xz, yz, zz = pair[0][2], pair[1][2], pair[0][0] + pair[1][1]
        found.append([0.0, *[m * shift] * 3, xx, xy, yy, xz, yz, zz])
    return np.ravel(found)


def prior_box(bounds: Uncertainty) -> np.ndarray:
    """Return the box before any data, shape (2, 10)."""
    m, r = bounds.prior.mass_max, bounds.prior.com_max
    second = [m * r * r * (1.0 if i == j else 0.5) for i, j in PAIRS]
    lower = [0.0, *[-m * r] * 3, *[0.0 if i == j else -0.5 * m * r * r for i, j in PAIRS]]
    return np.array([lower, [m, *[m * r] * 3, *second]])


def own_interval(rows: Rows, bounds: Uncertainty, passes: int = 5) -> np.ndarray:
    """Return what rows and the box leave for each parameter, shape (2, 10)."""
    box, p = prior_box(bounds), rows.B.shape[1]
    for _ in range(passes if rows.E.any() else 1):
        lower, upper = box
        slope = (np.abs(upper) - np.abs(lower)) / (upper - lower)  # of the chord over |phi|
        start = np.abs(lower) - slope * lower
        A = np.vstack(
            [
                np.hstack([rows.A - rows.E * slope, rows.B]),
                np.hstack([-rows.A - rows.E * slope, -rows.B]),
            ]
        )
        wide = rows.d + rows.E @ start
        b = np.concatenate([rows.b + wide, wide - rows.b])
        limits = [*zip(lower, upper, strict=True), *[(-1, 1)] * p]
        box = np.array(
            [
                [-s * linprog(-s * np.eye(10 + p)[k], A, b, bounds=limits).fun for k in range(10)]
                for s in (-1, 1)
            ]
        )
    return box


def own_factor(rows: Rows, phi: np.ndarray) -> float:
    """Return by what all bounds have to be multiplied for a known payload to explain rows."""
    p = rows.B.shape[1]
    width = (rows.d + rows.E @ np.abs(phi))[:, None]
    rest = rows.b - rows.A @ phi
    A = np.vstack([np.hstack([rows.B, -width]), np.hstack([-rows.B, -width])])
    limits = [*[(-1, 1)] * p, (0, None)]
    found = linprog(np.eye(p + 1)[-1], A, np.concatenate([rest, -rest]), bounds=limits)
    return float(found.fun)


def stacked(parts: Iterable[Rows]) -> Rows:
    """Return rows of several kinds or runs, whose u is the same."""
    return Rows(*(np.concatenate([getattr(x, f.name) for x in parts]) for f in fields(Rows)))


@dataclass(frozen=True)
class Body:
    """Variables of a semidefinite program: a body within the prior, phi = scale x."""

    x: cp.Variable
    scale: np.ndarray
    limits: list[cp.Constraint]


def body_within(bounds: Uncertainty, box: np.ndarray | None = None) -> Body:
    """Return a body within the prior: its box, or a smaller one, its ball, J(phi) >= 0."""
    (lower, upper), x = prior_box(bounds) if box is None else box, cp.Variable(10)
    scale = np.maximum(np.abs(lower), np.abs(upper))
    phi = cp.multiply(scale, x)
    rows = [[phi[4], phi[5], phi[6]], [phi[5], phi[7], phi[8]], [phi[6], phi[8], phi[9]]]
    inertia, h = cp.bmat(rows), cp.reshape(phi[1:4], (3, 1), order="C")
    sigma = 0.5 * cp.trace(inertia) * np.eye(3) - inertia
    J = cp.bmat([[sigma, h], [h.T, cp.reshape(phi[0], (1, 1), order="C")]])
    ball = 0.5 * cp.trace(inertia) <= phi[0] * bounds.prior.com_max**2
    return Body(x, scale, [x >= lower / scale, x <= upper / scale, J >> 0, ball])


def own_hull(
    rows: Rows, bounds: Uncertainty, known: Callable[[cp.Expression], list] | None = None
) -> np.ndarray:
    """Return what rows without errors of A, the prior and J(phi) >= 0 leave, shape (2, 10).

    Args:
        rows: All of them.
        bounds: With the prior.
        known: What else is known of the payload, as constraints on phi.
    """
    body = body_within(bounds, own_interval(rows, bounds))
    u, f = cp.Variable(rows.B.shape[1]), cp.Parameter(10)
    left = (rows.A * body.scale) @ body.x + rows.B @ u - rows.b
    explained = [cp.abs(cp.multiply(1 / rows.d, left)) <= 1, cp.abs(u) <= 1]
    more = known(cp.multiply(body.scale, body.x)) if known else []
    program = cp.Problem(cp.Maximize(f @ body.x), [*body.limits, *explained, *more])
    ends = np.empty((2, 10))
    for k in range(10):
        for end, sign in enumerate((-1, 1)):
            f.value = sign * np.eye(10)[k]
            with warnings.catch_warnings():  # "may be inaccurate", in the fourth digit
                warnings.simplefilter("ignore", UserWarning)
                ends[end, k] = sign * program.solve(solver=cp.CLARABEL) * body.scale[k]
    return ends


def own_noise_factor(rows: Rows, bounds: Uncertainty) -> tuple[float, np.ndarray]:
    """Return the smallest factor on all d with which some body explains the rows.

    Beside it how much each row asks for it: the part by which the factor falls, for a row's bound
    that is larger by a small part.
    """
    body, u, s = body_within(bounds), cp.Variable(rows.B.shape[1]), cp.Variable()
    left = (rows.A * body.scale) @ body.x + rows.B @ u - rows.b
    explained = cp.abs(cp.multiply(1 / rows.d, left)) <= s
    program = cp.Problem(cp.Minimize(s), [*body.limits, explained, cp.abs(u) <= 1])
    factor = float(program.solve(solver=cp.CLARABEL))
    return factor, np.abs(explained.dual_value)


def own_image(rows: Rows, bounds: Uncertainty) -> np.ndarray:
    """Return the image of the noise box under least squares without weights, shape (2, 10)."""
    L = np.linalg.pinv(rows.A)
    middle, size = L @ rows.b, np.abs(L) @ rows.d + np.abs(L @ rows.B).sum(axis=1)
    lower, upper = prior_box(bounds)
    return np.array([np.maximum(middle - size, lower), np.minimum(middle + size, upper)])


def inside(rows: Rows, phi: np.ndarray) -> bool:
    """Whether a payload explains rows within their bounds, but for a thousandth."""
    return own_factor(rows, phi) <= 1.001
