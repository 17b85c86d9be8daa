"""Each kind of error alone, at its largest, and all at once: no row and no interval misses."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from arms import arm, draw_payload, joint_torques, windows
from erring_arm import ErringRun, arm_named, erring_run, worst_use
from payload_id.core.arrays import Array
from payload_id.core.errors import InputError
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.joint_torque.window_lengths import WindowLengths
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples

DRY = {"friction_coulomb": 1.0, "friction_viscous": 0.5}
COLUMNS = {  # constant in a run, and explained by parameters of the rows
    "links": {"link_relative": 0.1},
    "gravity": {"gravity_error": 0.2},
    "zeros": {"joint_zero": 4e-3},
    "delay": {"torque_delay": 3e-3},
    "sensors": {"torque_gain": 0.08, "torque_offset": 1.5},
    "friction": {"friction_coulomb": 4.0, "friction_viscous": 3.0, "rotor_inertia": 0.9},
    "asymmetry": {**DRY, "friction_coulomb_asymmetry": 0.8, "friction_viscous_asymmetry": 0.6},
    "ripple": {"torque_ripple": 0.7, "ripple_cycles": 37.0},
    "tool": {"tool": (0.05, *[0.003] * 3, *[2e-4] * 6)},
}
BOUNDED = {  # ... only partly, or not constant
    "load": {**DRY, "friction_load": 0.15},
    "stribeck": {**DRY, "friction_stribeck": 1.5, "stribeck_velocity": 0.15},
    "drift": {"torque_offset": 1.0, "torque_drift": 0.6},
    "stiction": {"friction_coulomb": 1.0, "stiction_velocity": 0.05},
    "late friction": {"friction_coulomb": 2.0, "torque_delay": 3e-3},
    "relative noise": {"torque_relative": 0.1, "torque_gain": 0.1},
    "absolute noise": {"torque_absolute": 0.3},
    "stamps": {"stamp_jitter": 2e-4, "torque_offset": 1.0},
    "positions": {"position_error": 2e-3},
    "velocities": {"velocity_error": 0.02, "position_error": 2e-3, **DRY, "rotor_inertia": 0.5},
    "tilt and zeros": {"gravity_error": 0.8, "joint_zero": 0.03},
}
JOINTS = ("asymmetry", "load", "stribeck", "ripple", "drift")
ALL = {**COLUMNS, **BOUNDED}
ALL["joints"] = {key: x for kind in JOINTS for key, x in ALL[kind].items()} | {
    "torque_gain": 0.04, "rotor_inertia": 0.05, "position_error": 2e-3, "velocity_error": 0.02,
    "torque_absolute": 0.05,
}  # fmt: skip
ALL["everything"] = {
    **ALL["joints"], "link_relative": 0.03, "gravity_error": 0.2, "joint_zero": 4e-3,
    "torque_delay": 3e-3, "torque_relative": 0.02, "stamp_jitter": 1e-4,
}  # fmt: skip
SLOW = ("stribeck", "stiction", "load", "late friction")  # what matters near standstill
EVERY_ARM = pytest.mark.parametrize(
    "name", ["elbow", "gantry", "ur10", "gen3", "branched", "panda", "xarm7"]
)


def case(name: str, kind: str, seed: int, **changes: object) -> ErringRun:
    """Return a run with one kind of error, at its extremes or not, new at every sample or not."""
    period = 25.0 if kind in SLOW and seed % 2 else 6.0
    bounds = ALL[kind] | {key: changes.pop(key) for key in [*changes] if key in STATED}
    noise = ("vertices", "correlated", "constant")[seed % 3]
    changes = {"extreme": seed % 4 != 3, "kind": noise, "period": period} | changes
    return erring_run(name, Uncertainty(**bounds), seed, **changes)


STATED = {entry.name for entry in fields(Uncertainty)}


@EVERY_ARM
def test_no_row_misses_the_truth(name: str) -> None:
    for seed, kind in enumerate(ALL):
        for run in (case(name, kind, seed), case(name, kind, seed + 1, rate=100.0)):
            assert run.used(run.rows()) <= 1.0, kind


@pytest.mark.parametrize("speed_error", [0.001, 0.02])
def test_no_row_of_any_length_misses_the_truth(speed_error: float) -> None:
    means = {"torque_absolute": 0.1, "torque_mean_window": 0.5, "torque_mean": 0.1}
    for seed, kind in enumerate([*JOINTS, "everything"]):
        changes = {"velocity_error": speed_error, "position_error": 2e-5, **means}
        run = case(("elbow", "gen3")[seed % 2], kind, seed, seconds=1.05, **changes)
        makes = WindowLengths(MomentumRows.of(run.model, run.stated), 0.1, (0.03, 0.7))
        rows = RowBlock.stack(makes.blocks(list(windows(run.samples))))
        assert {0.0, 0.03, 0.5, 0.7} <= {*rows.scale.tolist()}
        assert run.used(rows) <= 1.0, kind


@EVERY_ARM
def test_columns_leave_nearly_nothing_of_what_they_explain(name: str) -> None:
    for seed, kind in enumerate(COLUMNS):
        run = case(name, kind, seed, payload="none")
        rows = run.rows()
        size = np.linalg.norm(rows.b)
        assert np.linalg.norm(run.left(rows)) < 0.05 * size + 1e-4, kind


# Errors of single samples, each with the sign that moves a row most.

WORST = {
    "stamp": {"stamp_jitter": 1e-3},
    "q": {"position_error": 2e-3},
    "dq": {"velocity_error": 0.02, "position_error": 2e-3},
}


def use_of_the_worst_signs(
    name: str, bounds: dict[str, float], quantity: str, rate: float, seconds: float, group: int = 1
) -> float:
    """Return how much of its bound a row of one window needs; `group` samples err together."""
    run = erring_run(name, Uncertainty(), 1, rate=rate, seconds=seconds, period=4.0)
    stated = Uncertainty(**bounds)
    source, true = MomentumRows.of(run.model, stated), run.true

    def left(value: Array) -> tuple[Array, Array]:
        rows = source.window(replace(true, **{quantity: value}))
        return rows.A @ run.phi - rows.b, rows.bound(np.abs(run.phi))

    value = getattr(true, quantity)
    cells = [slice(k, k + group) for k in range(0, len(true), group)]
    groups = [(cell, *place) for cell in cells for place in np.ndindex(value.shape[1:])]
    key = {"stamp": "stamp_jitter", "q": "position_error", "dq": "velocity_error"}[quantity]
    return worst_use(left, value, groups, np.asarray(bounds[key]))


def test_no_row_needs_more_than_its_bound_with_the_worst_signs_and_some_much_of_it() -> None:
    for quantity, bounds in WORST.items():
        used = [
            use_of_the_worst_signs(name, bounds, quantity, 100.0, 0.1)
            for name in ("branched", "gantry")
        ]
        assert 0.3 < max(used) <= 1.0, quantity
    long = {"velocity_error": 0.01}
    assert use_of_the_worst_signs("elbow", long, "dq", 125.0, 3.0, group=25) <= 1.0


# At rest, where nothing but the error is to be seen.


def at_rest(name: str, seed: int, rate: float, seconds: float) -> tuple[Samples, Array]:
    """Return samples of an arm that holds a payload still, and the payload."""
    model, rng = arm_named(name), np.random.default_rng(seed)
    t, phi = np.arange(round(seconds * rate) + 1) / rate, draw_payload(rng)
    q = np.tile(rng.uniform(-1.0, 1.0, model.n), (len(t), 1))
    still = np.zeros_like(q)
    return Samples(t, q, still, joint_torques(model, model.link_phi, phi, q, still, still)), phi


@pytest.mark.parametrize("quantity", ["q", "dq"])
@pytest.mark.parametrize(
    ("name", "bounds", "rate", "seconds"),
    [
        ("panda", {"q": 2e-3, "dq": 0.05}, 500.0, 0.1),
        ("elbow", {"q": 1e-9, "dq": 0.2}, 1000.0, 0.5),
        ("elbow", {"q": 0.01, "dq": 0.1}, 100.0, 4.0),
    ],
)
def test_constant_errors_of_an_arm_at_rest(quantity, name, bounds, rate, seconds) -> None:
    stated = Uncertainty(position_error=bounds["q"], velocity_error=bounds["dq"])
    source, rng = MomentumRows.of(arm_named(name), stated), np.random.default_rng(0)
    for seed in range(8):
        samples, phi = at_rest(name, seed, rate, seconds)
        value = getattr(samples, quantity)
        wrong = bounds[quantity] * rng.choice([-1.0, 1.0], value.shape[1])
        rows = source.window(replace(samples, **{quantity: value + wrong}))
        assert (np.abs(rows.A @ phi - rows.b) <= rows.bound(np.abs(phi))).all()


def test_gaussian_noise_stays_inside_as_often_as_stated_and_costs_less_than_hard_bounds() -> None:
    coverage, trials, run = 0.8, 10, erring_run("branched", Uncertainty(), 1, rate=100.0)
    stated, rng = Uncertainty(torque_sigma=0.4, coverage=coverage), np.random.default_rng(1)
    found = [
        identify(
            replace(run.true, tau=run.true.tau + 0.4 * rng.normal(size=run.true.tau.shape)),
            run.model,
            stated,
        )
        for _ in range(trials)
    ]
    assert sum(bool(x.contains(run.phi).all()) for x in found) >= coverage * trials
    hard = identify(run.true, run.model, Uncertainty(torque_absolute=1.2))
    assert (found[0].half_width < hard.half_width).all()


def test_bounds_that_cannot_be_are_refused_by_name() -> None:
    gen3 = arm("gen3")
    for wrong in (
        {"tool": (0.1,)}, {"coverage": 1.0}, {"stamp_jitter": -1e-3}, {"friction_load": 1.0},
        {"torque_sigma": float("nan")}, {"torque_relative": (0.1, 0.2)},
        {"torque_gain": 0.5, "torque_relative": 0.6},
        {"ripple_cycles": 50.5, "torque_ripple": 0.1}, {"ripple_cycles": 0.0, "torque_ripple": 0.1},
        {"stribeck_velocity": 0.0, "friction_stribeck": 0.1},
    ):  # fmt: skip
        with pytest.raises(InputError, match=next(iter(wrong))):
            _ = MomentumRows.of(gen3, Uncertainty(**wrong)).run
