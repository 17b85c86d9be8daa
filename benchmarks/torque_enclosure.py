"""How tight and how fast the enclosure of the joint torques is, and whether it ever fails.

For each arm, random Bezier pieces of 3 s are enclosed with K slices. "slice" is the width of the
enclosure over the sampled range in the same slice, the mean over slices; "peak" the same for the
largest and the least torque of the whole piece. The sampled range is found by climbing from corner
to corner of tube and box, from many starts (`torque_samples.TorqueSampler.extremes`). "N m" is the
mean width of the widest joint, "ms" the processor's time on one core for the bounds that a
certificate needs. "violations" counts states, drawn inside and at corners, that are outside the
enclosure in any joint, for any theta, for the middle of the box, or in the disturbance.

    ./payload-id python benchmarks/torque_enclosure.py --trials 3 --samples 100000
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import EVERY_ARM, arm, draw_payload
from payload_id import Uncertainty
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.torque.slice_torque_bounds import SliceTorqueBounds, slice_torque_bounds
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.threads import one_thread
from torque_samples import TorqueSampler

DURATION = 3.0  # [s]
# Links 3 %, friction and rotors as a calibrated arm might have them.
ARM = Uncertainty(link_relative=0.03, friction_coulomb=0.5, friction_viscous=0.2, rotor_inertia=0.1)
TUBES = {  # position [rad], velocity, reference velocity [rad/s], reference acceleration [rad/s2]
    "exact": (0.0, 0.0, 0.0, 0.0),
    "position": (0.005, 0.05, 0.05, 0.5),
    "robust": (0.005, 0.1, 0.05, 1.0),  # V_M = 0.0125 J, 10 kg m2, K_r = 10 /s
    "wide": (0.01, 0.2, 0.1, 2.0),  # V_M = 0.05 J
}
BOXES = ("mass 15 %", "table I", "point")


def piece_of(model: ArmModel, rng: np.random.Generator) -> BezierPiece:
    """Return a random piece that starts moving and ends at rest."""
    n = model.n
    start = MotionState(
        rng.uniform(-1.5, 1.5, n), rng.uniform(-0.4, 0.4, n), rng.uniform(-0.5, 0.5, n)
    )
    return BezierPiece(start, rng.uniform(-1.0, 1.0, n), DURATION)


def box_of(model: ArmModel, kind: str, rng: np.random.Generator) -> ParameterBox:
    """Return one of `BOXES`."""
    phi = draw_payload(rng)
    if kind == "table I":
        return ParameterBox.table_1(model, ARM)
    if kind == "point":
        known = replace(ARM, link_relative=0.0, friction_coulomb=0.0, friction_viscous=0.0)
        return ParameterBox.around(model, (phi, phi), replace(known, rotor_inertia=0.0))
    return ParameterBox.around(model, (phi - 0.15 * np.abs(phi), phi + 0.15 * np.abs(phi)), ARM)


def tube_of(kind: str, n: int) -> TrackingTube:
    """Return one of `TUBES`."""
    return TrackingTube(*(np.full(n, x) for x in TUBES[kind]), "robust", ("A benchmark's.",))


def ratios(
    sampler: TorqueSampler, enclosure: SliceTorqueBounds, every: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean over slices, and of the whole piece, of enclosed over sampled range, (n,)."""
    slices = range(0, len(enclosure.lower), every)
    least, most = (np.array(ends) for ends in zip(*map(sampler.extremes, slices), strict=True))
    low, high = enclosure.lower[::every], enclosure.upper[::every]
    each = (high - low) / (most - least)
    whole = (high.max(0) - low.min(0)) / (most.max(0) - least.min(0))
    return each.mean(axis=0), whole


def violations(
    sampler: TorqueSampler, enclosure: SliceTorqueBounds, count: int, rng: np.random.Generator
) -> int:
    """Return how many of `count` sampled states are outside."""
    outside = 0
    for _ in range(count):
        k, at = sampler.random(rng)
        outside += not (
            (enclosure.lower[k] <= at.full).all()
            and (at.full <= enclosure.upper[k]).all()
            and (enclosure.nominal_lower[k] <= at.nominal).all()
            and (at.nominal <= enclosure.nominal_upper[k]).all()
            and (np.abs(at.full - at.nominal) <= enclosure.disturbance[k]).all()
        )
    return outside


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2, help="pieces for each row")
    parser.add_argument("--samples", type=int, default=100_000, help="sampled states in all")
    parser.add_argument("--slices", type=int, default=128, help="slices of a piece")
    parser.add_argument("--parts", type=int, default=16, help="ranges of the motion in a slice")
    parser.add_argument("--every", type=int, default=16, help="sample the range in each n-th slice")
    parser.add_argument("--arms", nargs="*", default=EVERY_ARM)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    edges = np.linspace(0.0, DURATION, options.slices + 1)
    table = Table(title=f"{options.slices} slices of {DURATION} s; width over sampled range")
    for head in (
        "arm",
        "box",
        "tube",
        "slice",
        "worst",
        "peak",
        "worst",
        "N m",
        "ms",
        "violations",
    ):
        table.add_column(head)
    rows = [(name, box, tube) for name in options.arms for box in BOXES for tube in TUBES]
    rows = [row for row in rows if row[1] != "table I" or row[0] == "gen3"]
    count = -(-options.samples // (len(rows) * options.trials))
    total = 0
    for name, box_kind, tube_kind in rows:
        model, parts, wrong, took, widths = arm(name), [], 0, [], []
        for trial in range(options.trials):
            rng = np.random.default_rng([options.seed, trial])
            piece, box = piece_of(model, rng), box_of(model, box_kind, rng)
            tube = tube_of(tube_kind, model.n)
            fine = np.linspace(0.0, DURATION, options.slices * options.parts + 1)
            ranges = piece.ranges(fine)
            for _ in range(3):
                start = time.process_time()
                with one_thread():
                    enclosure = slice_torque_bounds(model, ranges, tube, box, options.parts)
                    enclosure.commanded(tube)
                took.append(time.process_time() - start)
            sampler = TorqueSampler(model, box, tube, piece, edges)
            parts.append(ratios(sampler, enclosure, options.every))
            wrong += violations(sampler, enclosure, count, rng)
            widths.append((enclosure.upper - enclosure.lower).mean(axis=0).max())
        total += wrong
        each, whole = (np.array(part) for part in zip(*parts, strict=True))
        figures = (each.mean(), each.max(), whole.mean(), whole.max(), np.mean(widths))
        cells = [f"{x:.3g}" for x in figures]
        table.add_row(name, box_kind, tube_kind, *cells, f"{1e3 * min(took):.0f}", str(wrong))
    console = Console(width=120)
    console.print(table)
    console.print(f"{count * len(rows) * options.trials} states sampled, {total} outside.")


if __name__ == "__main__":
    main()
