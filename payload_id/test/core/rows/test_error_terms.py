"""Each kind of error alone, at its extreme values, with all others absent: no interval misses."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from arms import Motion, Run, arm, draw_payload, noise, record, rows_of, windows
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.errors import InputError
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque.hat_rows import worth_it
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.differentiation import HALF_WIDTH, velocities
from payload_id.core.samples.joint_samples import Samples
from worst_errors import effects, left_over, moved, weights

SEEDS = range(2)
DRAWS = pytest.mark.parametrize(("seed", "kind"), [(0, "vertices"), (1, "correlated")])


def exact(name: str, seed: int) -> tuple[ArmModel, Samples, Array]:
    """Return an arm, a recording without any error, and its payload."""
    run = record(arm(name), seed, seconds=2.0)
    return run.model, run.samples, run.phi


def check(model: ArmModel, samples: Samples, phi: Array, uncertainty: Uncertainty) -> None:
    """The intervals contain the truth with the bound, and twice the bound widens them."""
    estimate = identify(samples, model, uncertainty)
    assert estimate.contains(phi).all(), estimate.message
    assert np.isfinite(estimate.half_width).all()
    wider = identify(samples, model, doubled(uncertainty))
    assert (wider.half_width > estimate.half_width).all()


def doubled(uncertainty: Uncertainty) -> Uncertainty:
    """Return twice the bounds on errors."""
    kept = ("stiction_velocity", "coverage", "prior")
    names = [entry.name for entry in fields(uncertainty) if entry.name not in kept]
    twice = {name: tuple(2 * np.ravel(getattr(uncertainty, name))) for name in names}
    return replace(uncertainty, **{k: v if len(v) != 1 else v[0] for k, v in twice.items()})


@pytest.mark.slow
@DRAWS
def test_stamps(seed: int, kind: str) -> None:
    model, samples, phi = exact("panda", seed)
    jitter = 2e-4
    u = noise(np.random.default_rng(seed), (len(samples), 1), kind)[:, 0]
    wrong = Samples(samples.stamp + jitter * u, samples.q, samples.dq, samples.tau)
    check(model, wrong, phi, Uncertainty(stamp_jitter=jitter))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "name"), [(0, "gen3"), (1, "ur10")])
def test_gravity(seed: int, name: str) -> None:
    model, samples, phi = exact(name, seed)
    error = 0.05
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 3)
    # The arm stands in gravity g; the estimator believes in g + error.
    believed = replace(model, gravity=model.gravity + error * signs)
    check(believed, samples, phi, Uncertainty(gravity_error=error))


@pytest.mark.parametrize("seed", SEEDS)
def test_tool(seed: int) -> None:
    model, samples, _ = exact("xarm7", seed)
    rng = np.random.default_rng(seed)
    bound = np.array([0.05] + [0.003] * 3 + [2e-4] * 6)
    payload = draw_payload(rng)
    error = bound * rng.choice([-1.0, 1.0], 10)
    run = record(model, seed, phi=payload + error)
    check(model, run.samples, payload, Uncertainty(tool=tuple(bound)))


@pytest.mark.slow
@DRAWS
@pytest.mark.parametrize("which", ["position_error", "velocity_error"])
def test_encoders(seed: int, which: str, kind: str) -> None:
    model, samples, phi = exact("gen3", seed)
    error = 2e-4 if which == "position_error" else 2e-3
    u = error * noise(np.random.default_rng(seed), samples.q.shape, kind)
    q = samples.q + (u if which == "position_error" else 0.0)
    dq = samples.dq + (u if which == "velocity_error" else 0.0)
    wrong = Samples(samples.stamp, q, dq, samples.tau)
    check(model, wrong, phi, Uncertainty(**{which: error}))


# The worst signs of single samples: 1 s at 100 Hz, the other terms zero

WORST = pytest.mark.parametrize(
    ("which", "quantity", "bound"),
    [
        ("stamp_jitter", "stamp", 2e-4),
        ("position_error", "q", 2e-4),
        ("velocity_error", "dq", 2e-3),
    ],
)


# With positions no better than this, velocities count at the ends of windows (`hat_rows.py`).
POOR_POSITION = 3e-5
LENGTH = 0.095  # of windows [s]: errors of the stamps do not move their ends to other samples


@lru_cache
def short_run() -> tuple[Run, list[Samples], Array]:
    """Return a run without errors, its windows, and a left inverse of its rows, (10, rows)."""
    run = record(arm("ur10"), 1, seconds=1.0, rate=100.0)
    rows = rows_of(run.model, Uncertainty(), run.samples, LENGTH)
    scale = run.phi.max() * np.array([1.0] + [0.1] * 3 + [0.01] * 6)
    return run, list(windows(run.samples, LENGTH)), scale[:, None] * np.linalg.pinv(rows.A * scale)


@lru_cache
def changes_of(quantity: str, bound: float) -> list[Array]:
    """Return what the error of each sample does to each row, for each window (N, C, n)."""
    run, cut, _ = short_run()
    row_source = MomentumRows.of(run.model, Uncertainty())
    channels = 1 if quantity == "stamp" else run.model.n
    return [effects(row_source, w, run.phi, moved(quantity, bound), channels) for w in cut]


def used(rows: RowBlock, phi: Array) -> Array:
    """Return how much of its bound each row needs for the truth, shape (m,)."""
    return np.abs(left_over(rows, phi)) / rows.bound(np.abs(phi))


def stated_at_ends(which: str, bound: float) -> Uncertainty:
    """Return one bound; beside that of velocities one that keeps rows from taking positions."""
    beside = {"position_error": POOR_POSITION} if which == "velocity_error" else {}
    stated = Uncertainty(**{which: bound, **beside})
    assert not worth_it(stated, np.linspace(0.0, LENGTH, 11), 6)
    return stated


@pytest.mark.slow
@WORST
def test_no_row_needs_more_than_its_bound_with_its_worst_signs(
    which: str, quantity: str, bound: float
) -> None:
    run, cut, _ = short_run()
    row_source, add = (
        MomentumRows.of(run.model, stated_at_ends(which, bound)),
        moved(quantity, bound),
    )
    changes = changes_of(quantity, bound)
    most = 0.0
    for joint in range(run.model.n):
        for window, change in zip(cut, changes, strict=True):
            u = (-1.0) ** joint * np.sign(change[:, :, joint])
            most = max(most, used(row_source.window(add(window, u)), run.phi)[joint])
    assert 0.3 < most <= 1.0  # the bound is needed, too


@pytest.mark.slow
@WORST
def test_worst_signs_for_each_parameter(which: str, quantity: str, bound: float) -> None:
    run, cut, L = short_run()
    pull = weights(run.samples, cut, changes_of(quantity, bound), L)
    stated = stated_at_ends(which, bound)
    for k in range(10):
        u = (-1.0) ** k * np.sign(pull[k])
        wrong = moved(quantity, bound)(run.samples, u)
        rows = rows_of(run.model, stated, wrong, LENGTH)
        assert (used(rows, run.phi) <= 1.0).all()
        error = L[k] @ left_over(rows, run.phi)
        assert abs(error) > 0.7 * np.abs(pull[k]).sum()  # the signs add up
        if k == 0:
            assert identify(wrong, run.model, stated).contains(run.phi).all()


def test_worst_corner_of_gravity_for_each_parameter() -> None:
    run, _, L = short_run()
    error, stated = 0.05, Uncertainty(gravity_error=0.05)
    corners = np.array(list(product((-1.0, 1.0), repeat=3)))
    believed = [replace(run.model, gravity=run.model.gravity + error * c) for c in corners]
    blocks = [rows_of(model, stated, run.samples) for model in believed]
    for rows, corner in zip(blocks, corners, strict=True):  # gravity is nuisance parameters
        left = rows.A @ run.phi - rows.B @ corner - rows.b
        assert (np.abs(left) <= rows.bound(np.abs(run.phi))).all()
    moves = np.array([L @ left_over(rows, run.phi) for rows in blocks])
    for corner in np.unique(np.abs(moves[:, [0, 9]]).argmax(axis=0)):
        assert identify(run.samples, believed[corner], stated).contains(run.phi).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_tool_that_is_wrong_in_every_parameter_at_once(sign: float) -> None:
    """The tool is one body with the payload: its error moves each parameter by itself."""
    bound = np.array([0.05] + [0.003] * 3 + [2e-4] * 6)
    payload = draw_payload(np.random.default_rng(4))
    run = record(arm("xarm7"), 4, phi=payload + sign * bound)
    check(run.model, run.samples, payload, Uncertainty(tool=tuple(bound)))


def rounded(q: Array, resolution: float) -> Array:
    """Return positions as an encoder shows them."""
    return resolution * np.round(q / resolution)


def differentiation_error(samples: Samples, position_error: float) -> Array:
    """Return the bound of docs/uncertainty.md on differentiated velocities, shape (n,)."""
    step = float(np.median(np.diff(samples.stamp)))
    half = max(2, round(HALF_WIDTH / step))
    jerk = np.abs(
        np.gradient(np.gradient(samples.dq, samples.stamp, axis=0), samples.stamp, axis=0)
    )
    width = (2 * half + 1) * step
    return np.asarray(width**2 * jerk.max(axis=0) / 40.0 + 3.0 * position_error / width)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rounded", "worst signs"])
def test_velocities_from_quantised_positions(kind: str) -> None:
    run, cut, L = short_run()
    true, resolution = run.samples, 2e-4
    half = resolution / 2
    N = len(true)
    inside = slice(2, N - 2)
    V = velocities(true.stamp, np.eye(N))  # dq = V q
    bound = differentiation_error(true, half)
    assert (
        np.abs(velocities(true.stamp, rounded(true.q, resolution)) - true.dq) <= 4 * bound
    ).all()
    if kind == "rounded":
        positions = [rounded(true.q, resolution)]
    else:
        pulls = weights(true, cut, changes_of("q", half), L)
        of_velocity = weights(true, cut, changes_of("dq", half), L)
        pulls += np.einsum("ts,ktj->ksj", V, of_velocity)
        positions = [true.q + half * np.sign(pull) for pull in pulls]
    stated = Uncertainty(position_error=half, velocity_error=tuple(bound))
    for k, q in enumerate(positions):
        wrong = replace(true, q=q, dq=velocities(true.stamp, q)).part(inside.start, inside.stop)
        assert (np.abs(wrong.dq - true.dq[inside]) <= bound).all()
        assert (used(rows_of(run.model, stated, wrong), run.phi) <= 1.0).all()
        if k == 0:
            assert identify(wrong, run.model, stated).contains(run.phi).all()


@pytest.mark.slow
@DRAWS
@pytest.mark.parametrize("which", ["torque_relative", "torque_absolute"])
def test_torque_noise(seed: int, which: str, kind: str) -> None:
    model, samples, phi = exact("ur10", seed)
    bound = 0.03 if which == "torque_relative" else 0.5
    size = np.abs(samples.tau) if which == "torque_relative" else np.ones_like(samples.tau)
    u = noise(np.random.default_rng(seed), samples.tau.shape, kind)
    wrong = Samples(samples.stamp, samples.q, samples.dq, samples.tau + bound * size * u)
    check(model, wrong, phi, Uncertainty(**{which: bound}))


@pytest.mark.slow
@DRAWS
def test_stiction(seed: int, kind: str) -> None:
    model, rng = arm("ur10"), np.random.default_rng(seed)
    motion = Motion.draw(model, rng, period=20.0)  # slow: near standstill for much of the time
    run = record(model, seed, motion=motion)
    coulomb, threshold = 1.0, 0.05
    dq = run.samples.dq
    assert 0.1 < np.mean(np.abs(dq) < threshold) < 0.9
    # Below the threshold friction may take any value up to its largest.
    sign = np.where(np.abs(dq) > threshold, np.sign(dq), noise(rng, dq.shape, kind))
    sticking = replace(run.samples, tau=run.samples.tau + coulomb * sign)
    bounds = Uncertainty(friction_coulomb=coulomb, stiction_velocity=threshold)
    check(model, sticking, run.phi, bounds)


@pytest.mark.slow
def test_gaussian_noise_stays_inside_at_least_as_often_as_stated() -> None:
    sigma, coverage, trials = 0.4, 0.8, 20
    model, samples, phi = exact("ur10", 1)
    samples, rng = samples.part(0, 251), np.random.default_rng(1)
    inside = 0
    for _ in range(trials):
        noisy = samples.tau + sigma * rng.normal(size=samples.tau.shape)
        estimate = identify(
            Samples(samples.stamp, samples.q, samples.dq, noisy),
            model,
            Uncertainty(torque_sigma=sigma, coverage=coverage),
        )
        inside += bool(estimate.contains(phi).all())
    assert inside >= coverage * trials


def test_gaussian_bound_is_far_below_the_hard_one() -> None:
    model, samples, _ = exact("ur10", 1)
    gaussian = identify(samples, model, Uncertainty(torque_sigma=0.1))
    hard = identify(samples, model, Uncertainty(torque_absolute=0.3))
    assert (gaussian.half_width < 0.7 * hard.half_width).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tool": (0.1,)}, "ten bounds"),
        ({"coverage": 1.0}, "below 1"),
        ({"stamp_jitter": -1e-3}, "not negative"),
        ({"torque_sigma": float("nan")}, "finite"),
    ],
)
def test_impossible_bounds_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Uncertainty(**wrong)


def test_torques_of_the_generator_are_those_of_the_model() -> None:
    """The checks above would be empty if the recording did not fit the model."""
    model, samples, phi = exact("ur10", 0)
    estimate = identify(samples, model, Uncertainty())
    assert np.abs(estimate.phi - phi).max() < 1e-4
