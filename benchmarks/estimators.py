"""How long each estimator takes on this machine: `./payload-id python benchmarks/estimators.py`.

Medians after 10 000 samples at 1 kHz of a simulated 7-joint arm (torques, 70 to 88 nuisance
parameters) and of a force-torque sensor (12 nuisance parameters), with the shape of a box of 56
point masses, and what taking in one sample costs. For comparison: the LMI on all 10 000 samples'
rows took 1.67 s with MOSEK in [NGK, Sec. V]. "On rows" solves it so here, without statistics.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import cvxpy as cp
import numpy as np
from workshop_tools import NOISE, TYPICAL

from payload_id import RobotFile, RobotModel, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PSEUDO_INERTIA_BASIS, from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.estimators import ESTIMATORS, estimator_named
from payload_id.core.identification.kept_rows import FOLD
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.row_source import RowSource
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows, newton_euler_regressor
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.statistics.statistics import Statistics
from payload_id.core.threads import one_thread

SAMPLES = 10_000
PHI = from_mass_com_inertia(1.5, [0.02, -0.01, 0.05], np.diag([0.004, 0.003, 0.002]))
LOWER, UPPER = PayloadPrior().box()
LIMITS = {"lmi": 15.0, "entropic": 15.0, "point_masses": 15.0}  # [ms]


def box() -> Shape:
    """Return a box around the payload with 56 point masses: 1400 cm3 at 0.04 per cm3."""
    corners = np.array(np.meshgrid([-0.1, 0.1], [-0.1, 0.1], [-0.0175, 0.0175])).reshape(3, -1).T
    return Shape.from_hull(corners + [0.02, -0.01, 0.05])


def torque_recording(seed: int) -> tuple[RowSource, Samples]:
    """Return rows' row_source and samples of an arm in which the payload explains all torques."""
    rng = np.random.default_rng(seed)
    robot = RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    t = np.arange(SAMPLES + 1) / 1000.0
    w = 2 * np.pi * np.array([0.15, 0.3, 0.45])
    size = 0.4 * rng.normal(size=(3, model.n)) / np.arange(1, 4)[:, None]
    q = robot.home + np.sin(np.outer(t, w)) @ size
    dq = (np.cos(np.outer(t, w)) * w) @ size
    tau = rng.normal(size=q.shape)  # what is measured does not change what it costs
    return MomentumRows.of(model, Uncertainty(torque_relative=0.025, link_relative=0.05)), Samples(
        t, q, dq, tau
    )


def wrench_recording(seed: int) -> tuple[RowSource, WrenchSamples]:
    """Return rows' row_source and samples of a sensor that carries the payload."""
    rng = np.random.default_rng(seed)
    t = np.arange(SAMPLES + 1) / 1000.0
    wave = np.sin(np.outer(t, 2 * np.pi * rng.uniform(0.2, 0.8, 9)) + rng.uniform(0, 6, 9))
    omega, alpha, linear = 1.5 * wave[:, :3], 3.0 * wave[:, 3:6], wave[:, 6:]
    rotation = np.linalg.qr(rng.normal(size=(len(t), 3, 3)))[0]
    rotation *= np.sign(np.linalg.det(rotation))[:, None, None]
    proper = linear - np.array([0.0, 0.0, -9.80665]) @ rotation
    s = NOISE["moderate"]
    wrench = newton_euler_regressor(proper, omega, alpha) @ PHI
    wrench += rng.normal(size=wrench.shape) * np.repeat(s[2:], 3)
    uncertainty = WrenchUncertainty(
        force_sigma=s[2],
        torque_sigma=s[3],
        linear_acceleration_sigma=s[0],
        angular_acceleration_sigma=s[1],
        force_drift=0.01,
        torque_drift=0.001,
    )
    return NewtonEulerRows.of(uncertainty), WrenchSamples(t, rotation, omega, alpha, linear, wrench)


def median(work: Callable[[], object], repetitions: int) -> float:
    """Return the median processor time of some work [ms], whatever else the machine does."""
    durations = []
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        durations.append(time.process_time() - begin)
    return 1e3 * statistics.median(durations)


def accumulated(blocks: list[RowBlock], gain: Array) -> Statistics:
    """Return the statistics of blocks, folded in as a live run does."""
    result = Statistics.empty(gain.shape[1], gain)
    for first in range(0, len(blocks), FOLD):
        result = result.add(RowBlock.stack(blocks[first : first + FOLD]), TYPICAL * UPPER)
    return result


def explained(block: RowBlock, seed: int) -> RowBlock:
    """Return rows that the payload and errors of a tenth of their bounds explain."""
    error = np.random.default_rng(seed).uniform(-0.1, 0.1, len(block)) * block.d
    return replace(block, b=block.A @ PHI + error)


def on_rows(rows: RowBlock) -> None:
    """Solve the LMI on all rows with a modelling tool, as without sufficient statistics."""
    d = rows.bound(TYPICAL * UPPER)[:, None]
    x = cp.Variable(10)
    J = sum(x[k] * PSEUDO_INERTIA_BASIS[k] for k in range(10))
    cost = cp.sum_squares((rows.A / d) @ x - rows.b / d[:, 0])
    cp.Problem(cp.Minimize(cost), [J >> 0]).solve(solver=cp.CLARABEL)


def measure(
    title: str,
    row_source: RowSource,
    samples: Samples | WrenchSamples,
    window: float,
    repetitions: int,
) -> bool:
    """Print the times of one kind of measurement; return whether all limits were kept."""
    windows = WindowCutter(window).add(samples)
    rows = median(lambda: [row_source.window(part) for part in windows], 1)
    blocks = [explained(row_source.window(part), number) for number, part in enumerate(windows)]
    fold = median(lambda: accumulated(blocks, row_source.growth), 1)
    found, shape, kept = accumulated(blocks, row_source.growth), box(), True
    print(f"{title}: {SAMPLES} samples, {found.rows} rows, {row_source.p} nuisance parameters")
    print(
        f"  per sample: rows {1e3 * rows / SAMPLES:.1f} us, statistics "
        f"{1e3 * fold / SAMPLES:.1f} us"
    )
    for name in ESTIMATORS:
        for known in (None, shape):
            if known is None and name == "point_masses":
                continue
            if known is not None and not ESTIMATORS[name].physical:
                continue
            estimator = estimator_named(name, known)
            duration = median(lambda e=estimator: e.estimate(found, LOWER, UPPER), repetitions)
            ok = duration <= LIMITS.get(name, np.inf)
            kept &= ok
            label = f"{name} + shape" if known is not None else name
            print(f"  {label:24}{duration:8.2f} ms" + ("" if ok else "  ABOVE THE LIMIT"))
    whole = median(lambda: on_rows(RowBlock.stack(blocks)), 1)
    lmi = median(lambda: estimator_named("lmi").estimate(found, LOWER, UPPER), repetitions)
    print(f"  lmi on rows             {whole:8.2f} ms: {whole / lmi:.0f} times as long")
    return kept


def main() -> None:
    """Measure and print; fail if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--window", type=float, default=0.1)
    arguments = parser.parse_args()
    with one_thread():
        kept = [
            measure("torques", *torque_recording(1), arguments.window, arguments.repetitions),
            measure("wrench", *wrench_recording(1), arguments.window, arguments.repetitions),
        ]
    if not all(kept):
        raise SystemExit("A limit was exceeded.")


if __name__ == "__main__":
    main()
