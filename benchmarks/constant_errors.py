"""What constant errors cost when they are stated, and what velocities made of positions cost.

Half-width of the mass [kg], median of some random motions of 10 s, with noise of 0.1 N m, offsets
and Coulomb friction of 0.5 N m and links of 2 % stated. First table, at 250 Hz: one bound more at a
time. Second: velocities that are differences of an encoder's positions over two samples, or fitted
to them, at two rates and in windows of two lengths.

    ./payload-id python benchmarks/constant_errors.py --seeds 4
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import arm, record
from payload_id.core.arrays import Array
from payload_id.core.identification.identify import identify
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.differentiation import velocities
from payload_id.core.samples.joint_samples import Samples

FIRST_SEED = 40
USUAL = Uncertainty(
    torque_absolute=0.1, torque_offset=0.5, friction_coulomb=0.5, link_relative=0.02
)
DEGREE = float(np.deg2rad(0.1))
MORE: dict[str, dict[str, float]] = {
    "nothing more": {},
    "position_error 0.1 deg": {"position_error": DEGREE},
    "joint_zero 0.1 deg": {"joint_zero": DEGREE},
    "torque_delay 2 ms": {"torque_delay": 2e-3},
    "gravity_error 0.1 m/s2": {"gravity_error": 0.1},
    "friction_coulomb_asymmetry 0.25 N m": {"friction_coulomb_asymmetry": 0.25},
    "friction_load 5 %": {"friction_load": 0.05},
    "friction_stribeck 0.25 N m, 0.1 rad/s": {
        "friction_stribeck": 0.25, "stribeck_velocity": 0.1,
    },
    "torque_ripple 0.25 N m, 100 cycles": {"torque_ripple": 0.25, "ripple_cycles": 100.0},
    "... as torque_absolute": {"torque_absolute": 0.35},
    "torque_drift 0.25 N m": {"torque_drift": 0.25},
}  # fmt: skip
STEP = 1e-4  # [rad] of the encoder
SIDE = 10  # samples at either end that are left out
CASES = ((250.0, 0.1), (250.0, 0.5), (1000.0, 0.1), (1000.0, 0.5))  # rate [Hz], window [s]


def half_width(name: str, seed: int, stated: Uncertainty) -> float:
    """Return the half-width of the mass for a recording without errors [kg]."""
    run = record(arm(name), seed, seconds=10.0)
    return width_of(run.samples, name, stated, 0.1, run.phi)


def width_of(samples: Samples, name: str, stated: Uncertainty, window: float, phi: Array) -> float:
    """Return the half-width of the mass, and say so if an interval misses the truth [kg]."""
    found = identify(samples, arm(name), stated, window=window)
    if not found.contains(phi).all():
        print(f"MISSED: {name}, {stated}")
    return float(found.half_width[0])


def made_of_positions(
    name: str, seed: int, rate: float, fitted: bool
) -> tuple[Samples, Uncertainty, Array]:
    """Return a recording with velocities from rounded positions, and its bounds."""
    run = record(arm(name), seed, seconds=10.0, rate=rate)
    q = STEP * np.round(run.samples.q / STEP)
    dq = velocities(run.samples.stamp, q) if fitted else np.gradient(q, run.samples.stamp, axis=0)
    inside = slice(SIDE, -SIDE)  # fits err more at the recording's ends
    largest = tuple(float(x) for x in np.abs(dq - run.samples.dq)[inside].max(axis=0))
    stated = replace(USUAL, position_error=STEP / 2, velocity_error=largest)
    made = replace(run.samples, q=q, dq=dq).part(SIDE, len(q) - SIDE)
    return made, stated, run.phi


def of_velocities(name: str, seed: int, rate: float, window: float) -> tuple[float, ...]:
    """Return half-widths: velocities exact, as differences, and fitted [kg]."""
    run = record(arm(name), seed, seconds=10.0, rate=rate)
    exact = replace(USUAL, position_error=STEP / 2)
    found = [width_of(run.samples, name, exact, window, run.phi)]
    for fitted in (False, True):
        samples, stated, phi = made_of_positions(name, seed, rate, fitted)
        found.append(width_of(samples, name, stated, window, phi))
    return tuple(found)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--arms", nargs="+", default=["gen3", "ur10"])
    parser.add_argument("--only", choices=("errors", "velocities"))
    given = parser.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + given.seeds)
    console = Console(width=110)
    if given.only != "velocities":
        table = Table("half-width of the mass [kg]", *given.arms)
        for label, more in MORE.items():
            stated = replace(USUAL, **more)
            widths = [np.median([half_width(x, s, stated) for s in seeds]) for x in given.arms]
            table.add_row(label, *(f"{x:.3f}" for x in widths))
            print(label, *(f"{x:.3f}" for x in widths), flush=True)
        console.print(table)
    if given.only != "errors":
        table = Table("arm", "rate [Hz]", "window [s]", "exact", "differences", "fitted")
        for name in given.arms:
            for rate, window in CASES:
                found = np.median([of_velocities(name, s, rate, window) for s in seeds], axis=0)
                table.add_row(name, f"{rate:g}", f"{window:g}", *(f"{x:.3f}" for x in found))
                print(name, rate, window, *(f"{x:.3f}" for x in found), flush=True)
        console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
