"""Whether the verdict names what is wrong with a wrench: random tools, motions and sensor frames.

    ./payload-id python benchmarks/wrench_faults.py

Faults: exchanged axes (each of three pairs, of force, of torque, of both), all signs reversed, and
gravity already taken out by the sensor. The last row is data without a fault: nothing may be named.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from random_tools import NOISE, random_tool, samples_of
from rich.console import Console
from rich.table import Table

from payload_id import WrenchUncertainty, identify_wrench
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import skew
from payload_id.core.samples.wrench_samples import WrenchSamples

SWAPS = {"x and y": [1, 0, 2], "y and z": [0, 2, 1], "x and z": [2, 1, 0]}
BOUNDS = WrenchUncertainty()


def exchanged(wrench: Array, order: list[int], force: bool, torque: bool) -> Array:
    """Return a wrench with exchanged axes."""
    return np.hstack([
        wrench[:, :3][:, order] if force else wrench[:, :3],
        wrench[:, 3:][:, order] if torque else wrench[:, 3:],
    ])  # fmt: skip


def compensated(samples: WrenchSamples, phi: Array) -> Array:
    """Return the wrench less the payload's weight."""
    force = -phi[0] * samples.gravity_in_sensor
    torque = -samples.gravity_in_sensor @ skew(phi[1:4]).T
    return samples.wrench - np.hstack([force, torque])


def faults(samples: WrenchSamples, phi: Array) -> dict[str, tuple[Array, str]]:
    """Return faulty wrenches, and the words that name the fault."""
    w = samples.wrench
    cases = {}
    for name, order in SWAPS.items():
        cases[f"force, {name}"] = exchanged(w, order, True, False), "axes of the force"
        cases[f"torque, {name}"] = exchanged(w, order, False, True), "axes of the torque"
        cases[f"both, {name}"] = exchanged(w, order, True, True), "axes of the force"
    cases["wrong sign"] = -w, "wrong sign"
    cases["compensated"] = compensated(samples, phi), "compensates gravity"
    cases["none"] = w, ""
    return cases


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10, help="number of tools")
    parser.add_argument("--seed", type=int, default=3000)
    parser.add_argument("--level", choices=NOISE, default="moderate")
    arguments = parser.parse_args()
    linear, angular, force, torque = NOISE[arguments.level]
    stated = replace(
        BOUNDS, force_sigma=force, torque_sigma=torque, linear_acceleration_sigma=linear,
        angular_acceleration_sigma=angular,
    )  # fmt: skip
    named: dict[str, list[bool]] = {}
    warned: dict[str, list[bool]] = {}
    missed = []
    for seed in range(arguments.seed, arguments.seed + arguments.trials):
        tool = random_tool(seed)
        samples = samples_of(tool, arguments.level, seed)
        for fault, (wrench, words) in faults(samples, tool.phi).items():
            found = identify_wrench(
                samples.with_wrench(wrench), stated, intervals="least_squares_image"
            )
            right = words in found.message if words else not found.diagnosis
            named.setdefault(fault, []).append(right)
            warned.setdefault(fault, []).append(found.status.value != "GOOD")
            if not right:
                missed.append(f"{seed} {fault}: {found.status.value} {found.message[:150]}")
    table = Table("fault", "named rightly", "status not GOOD")
    for fault, right in named.items():
        table.add_row(
            fault, f"{sum(right)} of {len(right)}", f"{sum(warned[fault])} of {len(right)}"
        )
    Console().print(table)
    print("\n".join(missed))


if __name__ == "__main__":
    main()
