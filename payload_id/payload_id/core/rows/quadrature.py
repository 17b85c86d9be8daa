"""Integrals and changes over one window of samples, and what the rules for them leave out."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, IntArray

LEAST_SAMPLES = 5  # in a window: differences at its two ends that do not share all their samples
SMOOTH = 1.5  # allowance for what derivatives do between the samples at which they are taken
HIGHER = 1.2  # allowance for curvature of what is taken at few samples, and between them
ROUNDING = 1e-12  # relative size of what floating-point sums leave out
BEND = (
    1.0 / 16.0
)  # part of |d4 f| h in what a bend or a jump between samples leaves; see `rough_part`
NEXT_TO_ENDS = 8.0  # by how much the two differences next to either end count more
QUIET = 7  # differences, of which a bend leaves more than a quarter untouched: all but four
MUCH = 6.0  # times what a quarter of Gaussian differences stay below: 2 standard deviations


def steps(stamp: Array) -> Array:
    """Return the times between stamps (numpy.diff without its overhead), shape (..., N - 1)."""
    return stamp[..., 1:] - stamp[..., :-1]


def trapezoid_weights(stamp: Array) -> Array:
    """Return w with sum w f(t) the trapezoid rule on stamps t, shape (..., N) [s]."""
    half = steps(stamp) / 2
    weight = np.zeros(stamp.shape)
    weight[..., :-1] += half
    weight[..., 1:] += half
    return weight


def end_samples(N: int) -> IntArray:
    """Return the first four and last four of N sample numbers."""
    return np.array([0, 1, 2, 3, N - 4, N - 3, N - 2, N - 1])


def cell_ends(count: int, cells: int) -> IntArray:
    """Return the numbers of samples at which about equal cells meet, the first and the last too."""
    return np.unique(np.linspace(0, count - 1, cells + 1).round().astype(int))


def fastest(dq: Array, ends: IntArray) -> IntArray:
    """Return the number of the sample of each cell at which the joints are fastest, shape (C,).

    Joints count in parts of the largest speed that each has.

    Args:
        dq: Velocities, shape (N, n).
        ends: Numbers of the samples at which cells meet, shape (C + 1,).
    """
    speed = relative_square(dq)
    return np.array([a + np.argmax(speed[a : b + 1]) for a, b in zip(ends, ends[1:], strict=False)])


def relative_square(dq: Array) -> Array:
    """Return the sum of squares of the joints' speeds over the largest of each, shape (N,)."""
    return np.asarray(((dq / np.maximum(np.abs(dq).max(axis=0), 1e-12)) ** 2).sum(axis=1))


def end_correction(stamp: Array, value: Array) -> tuple[Array, Array]:
    """Return h^2/12 (d2/dt2 W_m(t2) - d2/dt2 W_m(t1)) and a bound on what it leaves.

    The second differences lie a step inside the window, unequal steps weigh its parts unequally,
    and the stamps are rounded; third, second and first differences at the ends tell how much each
    may matter.

    Args:
        stamp: All stamps of one window or several, shape (..., N) [s].
        value: W_m (or what else is differentiated) at `end_samples`, shape (..., 8, k).

    Returns:
        correction, bound: shape (..., k) each.
    """
    step, square = steps(stamp), mean_square_step(stamp)
    uneven = np.abs(step * step * step - square[..., None] * step).sum(axis=-1)
    rounding = np.spacing(np.maximum(np.abs(stamp[..., 0]), np.abs(stamp[..., -1])))
    rounding, length = rounding[..., None], step.sum(axis=-1)[..., None]
    t = np.stack([stamp[..., :4], stamp[..., :-5:-1]])  # inwards from either end
    w = np.stack([value[..., :4, :], value[..., :-5:-1, :]])
    derivatives = _derivative_weights(t) @ (w - w[..., :1, :])
    first, second, third = (derivatives[..., k, :] for k in range(3))
    inward = np.abs((t[..., 1] + t[..., 2] - 2.0 * t[..., 0]) / 3.0)
    bound = ((square * inward + uneven) / 12.0)[..., None] * np.abs(third)
    bound += rounding * (np.abs(first) + length * np.abs(second))
    correction = (square / 12.0)[..., None] * (second[1] - second[0])
    return correction, np.abs(correction) + bound[0] + bound[1]


def rough_part(stamp: Array, value: Array, error: Array) -> Array:
    """Return a bound on what bends and jumps of f between samples leave of  int f dt.

    A jump J within a step h leaves up to h J/2 of the trapezoid rule, a slope that changes by s up
    to h^2 s/12 beside `end_correction`. Fourth differences add up to 8 J and to at least 2 h s;
    those of smooth f are (omega h)^4 f. So h/16 sum |d4 f| holds either, wherever it falls. Next to
    an end fewer of them see it, and one of them by its outermost sample only. What stated errors of
    samples explain is no bend, and what is there throughout the window is none either, but noise,
    which should have been stated.

    Args:
        stamp: Of one window or several, of at least 5 samples, shape (..., N) [s].
        value: f there, shape (..., N, n).
        error: Bound on its errors there, shape (..., N, n).

    Returns:
        bound: Shape (..., n) [unit of f times s].
    """
    count = stamp.shape[-1] - 4
    t = np.stack([stamp[..., k : k + count] for k in range(5)])
    apart = np.eye(5).reshape(5, 5, *[1] * stamp.ndim)
    between = t[:, None] - t[None] + apart
    # 1, -4, 6, -4, 1 if steps are
    even = 24.0 * ((t[4] - t[0]) / 4.0) ** 4 / between.prod(axis=1)
    even_of = even[..., None]
    seen = np.abs(sum(even_of[k] * value[..., k : k + count, :] for k in range(5)))
    explained = sum(np.abs(even_of[k]) * error[..., k : k + count, :] for k in range(5))
    if count >= QUIET:  # bends leave a part of the window as it is
        explained = np.maximum(explained, MUCH * _lower_quartile(seen))
    share = BEND * (t[1:] - t[:-1]).max(axis=0)
    ends = sorted({0, min(1, count - 1), max(count - 2, 0), count - 1})
    smaller = np.abs(even[[0, 4]][..., ends]).min(axis=0, initial=1.0)
    share[..., ends] *= NEXT_TO_ENDS / smaller
    return SMOOTH * weighted_sum(share, np.maximum(0.0, seen - explained))


def held_part(stamp: Array, value: Array) -> Array:
    """Return a bound on what one jump of f between any two samples leaves of  int f dt.

    f is held but for these jumps, so that they are what samples differ by: h/2 |f_{i+1} - f_i|
    each, with the allowance for what is not held. Errors of samples that are bounded by themselves
    may be in f_i: then it is a sum of samples with other weights.

    Args:
        stamp: Of one window or several, shape (..., N) [s].
        value: f there, shape (..., N, n).

    Returns:
        bound: Shape (..., n) [unit of f times s].
    """
    return SMOOTH * weighted_sum(0.5 * steps(stamp), np.abs(np.diff(value, axis=-2)))


def _lower_quartile(values: Array) -> Array:
    """Return the value below which a quarter of the samples lies, shape (..., 1, n)."""
    place = 0.25 * (values.shape[-2] - 1)
    k = int(place)
    ordered = np.partition(values, (k, k + 1), axis=-2)
    below, above = ordered[..., k : k + 1, :], ordered[..., k + 1 : k + 2, :]
    return np.asarray(below + (place - k) * (above - below))


def weighted_sum(weight: Array, values: Array) -> Array:
    """Return the sums of values, shape (..., N, n), times their weights, shape (..., N)."""
    return np.asarray((weight[..., None, :] @ values)[..., 0, :])


def mean_square_step(stamp: Array) -> Array:
    """Return h^2, the mean of squared steps over time, exact for equal ones, shape (...) [s2]."""
    step = steps(stamp)
    return np.asarray((step * step * step).sum(axis=-1) / step.sum(axis=-1))


def end_weights(stamp: Array) -> tuple[Array, Array]:
    """Return by how much errors of single samples enter corrected changes, at either end, (...)."""
    square = mean_square_step(stamp)
    sizes = []
    for t in (stamp[..., :3], stamp[..., :-4:-1]):
        before, after = np.abs(t[..., 1] - t[..., 0]), np.abs(t[..., 2] - t[..., 1])
        sizes.append(1.0 + square / 12 * 4.0 / (before * after))
    return sizes[0], sizes[1]


def _derivative_weights(t: Array) -> Array:
    """Return the weights of four values in first, second and third derivative, shape (..., 3, 4).

    By Newton's differences: the first derivative is that of the line through the first two values,
    the second that of the parabola through three, the third that of the cubic.
    """
    a, b, c = (1.0 / (t[..., k + 1] - t[..., k]) for k in range(3))
    near, far = 2.0 / (t[..., 2] - t[..., 0]), 2.0 / (t[..., 3] - t[..., 1])
    weights = np.zeros((*a.shape, 3, 4))
    line, parabola, cubic = (weights[..., k, :] for k in range(3))
    line[..., 0], line[..., 1] = -a, a
    parabola[..., 0], parabola[..., 1], parabola[..., 2] = near * a, -near * (a + b), near * b
    cubic[..., 1], cubic[..., 2], cubic[..., 3] = far * b, -far * (b + c), far * c  # the next one's
    cubic -= parabola
    cubic *= (3.0 / (t[..., 3] - t[..., 0]))[..., None]
    return weights


def sign_integral(step: Array, dq: Array, threshold: Array | float) -> tuple[Array, Array]:
    """Return the integral of sign(dq), and the time during which the sign is not known.

    Args:
        step: Times between samples, shape (..., N - 1) [s].
        dq: Velocities, shape (..., N, n).
        threshold: Speed below which the direction of friction is not known, shape (n,).

    Returns:
        integral, unknown: shape (..., n) [s] each.
    """
    sign = np.where(np.abs(dq) > threshold, np.sign(dq), 0.0)
    before, after = sign[..., :-1, :], sign[..., 1:, :]
    known = (after == before) & (after != 0.0)
    return weighted_sum(step, after * known), weighted_sum(step, ~known)
