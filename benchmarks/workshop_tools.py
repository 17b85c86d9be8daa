"""Ten workshop tools at three noise levels: `./payload-id python benchmarks/workshop_tools.py`.

Simulated wrenches and motions of an arm that carries tools, 10 s at 100 Hz, with noise of the
stated size added to accelerations and wrench, as in the data set `wrench_tools_simulated`, which
lies beside the repository and is not part of it (`docs/references.md` names its source). Each
estimator sees the same noise. Errors by eq. (10)-(12) of [NGK], averaged over tools and
repetitions; inertias about the centre of mass.

"Cloud": the solid behind each tool's point cloud is known; "hull": the convex hull of that cloud.

`--leave-one-out`: `entropic` with the cloud, its two constants chosen anew for each tool, those
with the least mean error in the inertia of the nine others.
"""

from __future__ import annotations

import argparse
from dataclasses import astuple
from itertools import product
from pathlib import Path

import numpy as np
import yaml

from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia, is_physical
from payload_id.core.body.metrics import errors
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.estimators import ESTIMATORS, body_mixture, entropic, estimator_named
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.statistics.statistics import Statistics
from payload_id.files.shapes.mesh import read_shape

DATA = Path(__file__).parents[2] / "shared" / "datasets" / "wrench_tools_simulated"
GRAVITY = np.array([0.0, 0.0, 9.81])  # of this data set's world
NOISE = {  # linear and angular acceleration, force, torque: standard deviations
    "low": (0.05, 0.25, 0.05, 0.0025),
    "moderate": (0.05, 0.5, 0.1, 0.005),
    "high": (0.1, 1.0, 0.2, 0.01),
}
# P. Nadeau, M. Giamou, J. Kelly: The Sum of Its Parts, IEEE ICRA 2023: averages over 20 such tools
# (mass and inertia, low and high noise). HPS: a method that segments the shape into parts.
PUBLISHED = {
    "OLS": ((0.25, None, 1000.0), (1.24, None, 1000.0)),
    "GEO": ((0.15, None, 53.0), (0.91, None, 48.0)),
    "HPS": ((0.64, None, 10.0), (2.80, None, 14.0)),
}
TYPICAL = 0.1
DEPARTURES, ONE_MATERIAL = (0.025, 0.05, 0.1), (0.2, 0.4, 0.7)  # of which one each is chosen


class Tool:
    """One tool: its motion, its truth and its shapes."""

    def __init__(self, name: str) -> None:
        """Read it."""
        self.name = name
        self.motion = dict(np.load(DATA / f"{name}.npz"))
        text = (DATA / "objects" / name / "Inertia.yaml").read_text()
        truth = yaml.safe_load(text)["OBJECT"]
        self.pose = np.linalg.inv(np.array(truth["GRASP_WRT_MESH"]))  # of the mesh in the sensor
        self.phi = change_of_frame(self.pose[:3, :3], self.pose[:3, 3]) @ from_mass_com_inertia(
            truth["MASS"], truth["COM_WRT_MESH"], np.array(truth["INERTIA_WRT_COM"])
        )
        cloud = DATA / "objects" / name / "point-cloud.ply"
        self.shapes: dict[str, Shape | None] = {
            "": None,
            "cloud": read_shape(cloud, self.pose),
            "hull": read_shape(cloud, self.pose, "hull"),
        }

    def samples(self, level: str, seed: int) -> WrenchSamples:
        """Return noisy samples in the sensor frame."""
        rng = np.random.default_rng([seed, list(NOISE).index(level), *self.name.encode()])
        rotation = self.motion["ft_pose"][:, :3, :3]
        acceleration = self.motion["ft_acc"].reshape(-1, 2, 3).copy()
        wrench = self.motion["ft_value"].reshape(-1, 2, 3).copy()
        linear, angular, force, torque = NOISE[level]
        acceleration += np.array([linear, angular])[:, None] * rng.normal(size=acceleration.shape)
        wrench += np.array([force, torque])[:, None] * rng.normal(size=wrench.shape)
        return WrenchSamples(
            self.motion["timestamp"],
            rotation,
            np.einsum("nji,nj->ni", rotation, self.motion["ft_vel"][:, 3:]),
            np.einsum("nji,nj->ni", rotation, acceleration[:, 1]),
            np.einsum("nji,nj->ni", rotation, acceleration[:, 0]),
            np.einsum("nji,nkj->nki", rotation, wrench).reshape(-1, 6),
            tuple(GRAVITY),
        )

    def errors(self, phi: np.ndarray) -> tuple[float, float, float]:
        """Return mass, centre of mass and inertia errors in per cent."""
        box = self.shapes["cloud"].box
        return astuple(errors(phi, self.phi, box, axes=self.pose[:3, :3]))


def statistics_of(samples: WrenchSamples, level: str, window: float) -> Statistics:
    """Return the statistics of samples whose noise is known, and whose bias is zero."""
    linear, angular, force, torque = NOISE[level]
    uncertainty = WrenchUncertainty(
        force_sigma=force,
        torque_sigma=torque,
        linear_acceleration_sigma=linear,
        angular_acceleration_sigma=angular,
        force_bias=0.0,
        torque_bias=0.0,
    )
    row_source = NewtonEulerRows.of(uncertainty)
    rows = [row_source.window(part) for part in WindowCutter(window).add(samples)]
    _, upper = PayloadPrior().box()
    return Statistics.empty(row_source.p, row_source.growth).add(
        RowBlock.stack(rows), TYPICAL * upper
    )


def cases(names: list[str]) -> list[tuple[str, str]]:
    """Return which estimators are run with which knowledge of the shape."""
    shaped = ("entropic", "point_masses", "lmi")
    plain = [(name, "") for name in names if name != "point_masses"]
    return plain + [(n, kind) for kind in ("hull", "cloud") for n in shaped if n in names]


def leave_one_out(tools: list[Tool], arguments: argparse.Namespace) -> None:
    """Measure and print each tool's errors with constants that it had no part in."""
    lower, upper = PayloadPrior().box()
    constants = list(product(DEPARTURES, ONE_MATERIAL))
    found = np.zeros((len(constants), len(tools), len(NOISE), 3))
    for (t, tool), (n, level) in product(enumerate(tools), enumerate(NOISE)):
        for seed in range(arguments.repetitions):
            samples = tool.samples(level, seed).between(0.0, arguments.seconds)
            statistics = statistics_of(samples, level, arguments.window)
            for k, (departure, one) in enumerate(constants):
                entropic.DEPARTURE_OF_SHAPE, body_mixture.ONE_MATERIAL = departure, one
                estimator = estimator_named("entropic", tool.shapes["cloud"])
                phi = estimator.estimate(statistics, lower, upper)
                found[k, t, n] += np.array(tool.errors(phi)) / arguments.repetitions
    held_out = []
    for t, tool in enumerate(tools):
        others = np.delete(found[..., 2], t, axis=1).mean(axis=(1, 2))
        k = int(np.argmin(others))
        held_out.append(found[k, t])
        shown = " / ".join(f"{x:.1f}" for x in found[k, t, :, 2])
        print(f"{tool.name:20} inertia {shown:20} departure, one material: {constants[k]}")
    for mass, com, inertia in np.mean(held_out, axis=0):
        print(f"mean, left out: {mass:.2f} / {com:.2f} / {inertia:.1f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--window", type=float, default=0.05, help="length of the windows [s]")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--estimators", nargs="*", default=list(ESTIMATORS))
    parser.add_argument("--leave-one-out", action="store_true", help="constants from nine tools")
    parser.add_argument("--each", action="store_true", help="print each tool")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The data set is not there: {DATA}")
    tools = [Tool(path.stem) for path in sorted(DATA.glob("*.npz"))]
    if arguments.leave_one_out:
        leave_one_out(tools, arguments)
        return
    lower, upper = PayloadPrior().box()
    print("mean errors in per cent: mass / centre of mass / inertia, and unphysical estimates")
    print(f"{'':24}" + "".join(f"{level:>28}" for level in NOISE))
    found: dict[tuple[str, str], dict[str, list]] = {
        case: {level: [] for level in NOISE} for case in cases(arguments.estimators)
    }
    for tool in tools:
        for level in NOISE:
            for seed in range(arguments.repetitions):
                samples = tool.samples(level, seed).between(0.0, arguments.seconds)
                statistics = statistics_of(samples, level, arguments.window)
                for (name, kind), results in found.items():
                    estimator = estimator_named(name, tool.shapes[kind])
                    phi = estimator.estimate(statistics, lower, upper)
                    results[level].append((*tool.errors(phi), not is_physical(phi)))
    for (name, kind), results in found.items():
        row = f"{name + (' + ' + kind if kind else ''):24}"
        for level in NOISE:
            table = np.array(results[level], dtype=float)
            mean = table.mean(axis=0)
            row += f"{mean[0]:8.2f} {mean[1]:6.2f} {mean[2]:7.1f} {100 * mean[3]:3.0f}%"
        print(row)
        if arguments.each:
            for k, tool in enumerate(tools):
                part = [
                    np.array(results[level])[k * arguments.repetitions :][: arguments.repetitions]
                    for level in NOISE
                ]
                print(f"    {tool.name:20}" + "".join(f"{x.mean(0)[:3].round(2)}" for x in part))
    print("published averages over 20 such tools (mass / inertia; low, high noise)")
    for name, rows in PUBLISHED.items():
        low, high = (f"{mass:.2f} / {inertia:.0f}" for mass, _, inertia in rows)
        print(f"  {name:22}{low:>14}{high:>28}")


if __name__ == "__main__":
    main()
