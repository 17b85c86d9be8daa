"""Tools that nobody has seen: `./payload-id python benchmarks/random_tools.py`.

As benchmarks/workshop_tools.py, with random tools, motions, sensor frames and rates. A tool is the
union of two to four boxes and cylinders of up to eight times different density along a handle, 0.1
to 4 kg; every third is thin (plates and rods). It is held anywhere, in a sensor frame turned at
random, and moved for 10 s by Fourier series of orientation and position. Rates of 50 to 1000 Hz.
Noise and errors as there; the shape given is the cloud of points of its surface.
"""

from __future__ import annotations

import argparse
from dataclasses import astuple, dataclass

import numpy as np
import trimesh
from rich.console import Console
from rich.table import Table
from scipy.spatial.transform import Rotation
from workshop_tools import NOISE, statistics_of

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia, is_physical
from payload_id.core.body.metrics import errors
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.estimators import estimator_named
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.samples.filters import interpolated_rotation
from payload_id.core.samples.wrench_samples import WrenchSamples
from payload_id.core.threads import one_thread

CASES = (("lmi", False), ("entropic", False), ("lmi", True), ("point_masses", True),
         ("entropic", True))  # fmt: skip
RATES = (50.0, 100.0, 200.0, 500.0, 1000.0)  # [Hz]
SECONDS, POINTS = 10.0, 4000


@dataclass(frozen=True)
class Tool:
    """A random tool in its sensor frame.

    Attributes:
        phi: Truth, shape (10,).
        shape: The solid behind its cloud.
        axes: Axes of the tool in the sensor frame, shape (3, 3).
        rate: Of the sensor [Hz].
        thin: Whether it is made of plates and rods.
    """

    phi: Array
    shape: Shape
    axes: Array
    rate: float
    thin: bool


def random_tool(seed: int) -> Tool:
    """Return one tool."""
    rng = np.random.default_rng(seed)
    thin, end, parts = seed % 3 == 0, 0.0, []
    for _ in range(rng.integers(2, 5)):
        sides = rng.uniform(0.02, 0.08, 3)
        sides[0] = rng.uniform(0.04, 0.2)
        if thin:
            sides[2] = rng.uniform(0.002, 0.006)
        if rng.random() < 0.4 and not thin:
            part = trimesh.creation.cylinder(sides[1] / 2, sides[0], sections=24)
            part.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [0, 1, 0]))
        else:
            part = trimesh.creation.box(sides)
        across = rng.uniform(-0.01, 0.01, 2) * (not thin)
        part.apply_translation([end + sides[0] / 2, *across])
        end += sides[0]
        parts.append((part, 8.0 ** rng.uniform(0.0, 1.0)))
    mass = 0.1 * 40.0 ** rng.random()
    weight = np.array([part.volume * density for part, density in parts])
    phi = sum(
        from_mass_com_inertia(m, part.center_mass, part.moment_inertia * (m / part.volume))
        for m, (part, _) in zip(mass * weight / weight.sum(), parts, strict=True)
    )
    area = np.array([part.area for part, _ in parts])
    cloud = np.vstack([
        part.sample(int(POINTS * a / area.sum()), seed=seed)
        for a, (part, _) in zip(area, parts, strict=True)
    ])  # fmt: skip
    axes = Rotation.random(random_state=seed).as_matrix()
    held = rng.uniform(-0.1, 0.1, 3)
    shape = Shape.from_surface_points(cloud).transformed(axes, held)
    phi = change_of_frame(axes, held) @ phi
    return Tool(phi, shape, axes, float(rng.choice(RATES)), bool(thin))


def samples_of(tool: Tool, level: str, seed: int, pace: float = 1.0) -> WrenchSamples:
    """Return noisy samples of a random motion, slower where the pace is below one."""
    rng = np.random.default_rng([seed, list(NOISE).index(level)])
    t = np.arange(0.0, SECONDS, 1.0 / tool.rate)
    knots = np.arange(-0.1, SECONDS + 0.1, 0.02)
    frequency = pace * rng.uniform(0.5, 3.0, (3, 3))  # [rad/s]
    phase = rng.uniform(0.0, 2 * np.pi, (2, 3, 3))
    size = rng.uniform(0.3, 0.8, (3, 3))
    angles = (size * np.sin(knots[:, None, None] * frequency + phase[0])).sum(axis=2)
    turning = interpolated_rotation(knots, Rotation.from_euler("xyz", angles).as_matrix(), t)
    swing = -0.1 * frequency**2 * np.sin(t[:, None, None] * frequency + phase[1])
    rotation = turning.rotation
    linear = np.einsum("nji,nj->ni", rotation, swing.sum(axis=2))
    proper = linear - np.array([0.0, 0.0, -9.81]) @ rotation
    Y = newton_euler_regressor(proper, turning.velocity, turning.acceleration)
    noise = NOISE[level]
    wrench = Y @ tool.phi + rng.normal(size=(len(t), 6)) * np.repeat(noise[2:], 3)
    return WrenchSamples(
        t,
        rotation,
        turning.velocity,
        turning.acceleration + noise[1] * rng.normal(size=(len(t), 3)),
        linear + noise[0] * rng.normal(size=(len(t), 3)),
        wrench,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=20, help="number of tools")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--each", action="store_true", help="print each tool")
    arguments = parser.parse_args()
    lower, upper = PayloadPrior().box()
    found: dict[tuple[str, bool, str], list[tuple[float, ...]]] = {}
    broken = 0
    for seed in range(arguments.seed, arguments.seed + arguments.trials):
        tool = random_tool(seed)
        for level in NOISE:
            samples = samples_of(tool, level, seed)
            with one_thread():
                statistics = statistics_of(samples, level, max(0.05, 5.0 / tool.rate))
                for name, known in CASES:
                    estimator = estimator_named(name, tool.shape if known else None)
                    phi = estimator.estimate(statistics, lower, upper)
                    broken += not is_physical(phi)
                    off = astuple(errors(phi, tool.phi, tool.shape.box, axes=tool.axes))
                    found.setdefault((name, known, level), []).append(off)
        if arguments.each:
            off = [found["entropic", True, level][-1] for level in NOISE]
            kind = "thin" if tool.thin else ""
            print(
                f"{seed} {tool.phi[0]:5.2f} kg {tool.rate:5.0f} Hz {kind:4}",
                *("  {:.2f} {:.2f} {:.1f}".format(*x) for x in off),
            )
    table = Table("estimator", *NOISE, title="mass / centre of mass / inertia [%]: mean (median)")
    for name, known in CASES:
        row = []
        for level in NOISE:
            values = np.array(found[name, known, level])
            mean, middle = values.mean(axis=0), np.median(values, axis=0)
            row.append(" / ".join(f"{a:.2f} ({b:.2f})" for a, b in zip(mean, middle, strict=True)))
        table.add_row(name + (", cloud" if known else ""), *row)
    Console(width=150).print(table)
    print(f"inconsistent estimates: {broken}")


if __name__ == "__main__":
    main()
