"""Each kind of error alone, at its largest, and all at once: no row and no interval misses."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from arms import arm
from erring_arm import ErringRun, erring_run
from payload_id.core.errors import InputError
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

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


@EVERY_ARM
def test_columns_leave_nearly_nothing_of_what_they_explain(name: str) -> None:
    for seed, kind in enumerate(COLUMNS):
        run = case(name, kind, seed, payload="none")
        rows = run.rows()
        size = np.linalg.norm(rows.b)
        assert np.linalg.norm(run.left(rows)) < 0.05 * size + 1e-4, kind


# Errors of single samples, each with the sign that moves a row most.


# At rest, where nothing but the error is to be seen.


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
