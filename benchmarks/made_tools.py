"""Tools of several materials: `./payload-id python benchmarks/made_tools.py`.

As benchmarks/random_tools.py, with 21 kinds of tools as workshops have them, each of random
dimensions and materials: hammers, saws, screwdrivers, pliers with and without grips, a drill with a
battery, ... A kind is a function from a random generator to convex solids with a density each;
where they overlap, the first one counts. Clouds have 2000 points with 0.3 mm of noise. Motions are
slower than those of random_tools.py, so that the inertia is seen as poorly as in the data set of
benchmarks/workshop_tools.py. "One material": `entropic` as if every body were homogeneous.

How bodies of several materials are drawn was chosen on the first half of the kinds; figures that
are quoted are of the second half (`--kinds held_out`).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace

import numpy as np
from random_tools import Tool, samples_of
from rich.console import Console
from rich.table import Table
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation
from workshop_tools import NOISE, statistics_of

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import change_of_frame, from_pseudo_inertia, is_physical
from payload_id.core.body.metrics import errors
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.body.shape import Shape
from payload_id.core.estimators import estimator_named
from payload_id.core.threads import one_thread

STEEL, BRASS, ALUMINIUM, COPPER = 7850.0, 8500.0, 2700.0, 8900.0  # [kg/m3]
WOOD, PLASTIC, RUBBER = 700.0, 1100.0, 1250.0
INSIDE = 60_000  # points by which a tool is weighed


@dataclass(frozen=True)
class Part:
    """A convex solid of one material.

    Attributes:
        corners: Points whose hull it is, shape (N, 3) [m].
        density: [kg/m3].
    """

    corners: Array
    density: float


@dataclass(frozen=True)
class MadeTool:
    """A tool in its own frame.

    Attributes:
        phi: Truth, shape (10,).
        cloud: Points of its outer surface, shape (N, 3) [m].
    """

    phi: Array
    cloud: Array


def rod(
    start: float, end: float, radius: float, tip: float | None = None, sides: int = 16
) -> Array:
    """Return the corners of a rod along x, its radii at both ends."""
    angle = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    other = radius if tip is None else tip
    return np.vstack(
        [
            np.column_stack([np.full(sides, start), radius * ring]),
            np.column_stack([np.full(sides, end), other * ring]),
        ]
    )


def block(low: tuple[float, float, float], high: tuple[float, float, float]) -> Array:
    """Return the corners of a box."""
    return np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T


def bar(start: Array, end: Array, width: float, thickness: float, tip: float = 1.0) -> Array:
    """Return the corners of a flat bar in the plane of x and y, narrower at its end by tip."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]])
    outline = np.vstack(
        [
            start + across * width / 2,
            start - across * width / 2,
            end + across * width * tip / 2,
            end - across * width * tip / 2,
        ]
    )
    return np.vstack(
        [np.column_stack([outline, np.full(4, z)]) for z in (-thickness / 2, thickness / 2)]
    )


def turned(corners: Array, axis: int, angle: float, shift: tuple[float, float, float]) -> Array:
    """Return corners turned about an axis of the frame, then shifted."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = corners.copy()
    c, s = np.cos(angle), np.sin(angle)
    result[:, i], result[:, j] = (
        c * corners[:, i] - s * corners[:, j],
        s * corners[:, i] + c * corners[:, j],
    )
    return result + np.asarray(shift)


class Workshop:
    """Draws dimensions and materials, and keeps the parts made so far."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Begin a tool."""
        self.rng = rng
        self.parts: list[Part] = []

    def size(self, low: float, high: float) -> float:
        """Return a length between millimetres [m]."""
        return float(self.rng.uniform(low, high)) * 1e-3

    def one_of(self, *densities: float) -> float:
        """Return one of some densities, a tenth more or less [kg/m3]."""
        return float(self.rng.choice(densities) * np.exp(0.1 * self.rng.normal()))

    def add(self, density: float, *solids: Array) -> None:
        """Add solids of a material."""
        self.parts += [Part(corners, density) for corners in solids]


def screwdriver(w: Workshop) -> None:
    """Shaft and handle; some with a collar."""
    shaft, handle = w.size(60, 200), w.size(70, 120)
    r, thick = w.size(2, 4.5), w.size(11, 19)
    w.add(
        w.one_of(STEEL),
        rod(0, shaft - 0.008, r),
        block((shaft - 0.008, -r, -0.001), (shaft, r, 0.001)),
    )
    grip = w.one_of(PLASTIC, RUBBER, WOOD)
    neck = w.size(10, 25)
    w.add(grip, rod(-neck, 0, thick, 0.6 * thick), rod(-handle, -neck, 0.9 * thick, thick))


def file(w: Workshop) -> None:
    """A blade with a handle."""
    blade, width, thick = w.size(120, 280), w.size(12, 30), w.size(3, 7)
    w.add(w.one_of(STEEL), bar([0, 0], [blade, 0], width, thick, w.rng.uniform(0.4, 1.0)))
    handle, r = w.size(80, 130), w.size(10, 16)
    w.add(w.one_of(WOOD, PLASTIC), rod(-handle, 0, 1.1 * r, 0.8 * r))


def claw_hammer(w: Workshop) -> None:
    """A head across a handle of another material, or of the same."""
    length, r, head = w.size(220, 360), w.size(11, 17), w.size(90, 140)
    steel = w.one_of(STEEL)
    w.add(steel, block((length - 0.03, -head * 0.55, -0.013), (length, head * 0.15, 0.013)))
    w.add(steel, bar([length - 0.015, 0.1 * head], [length - 0.04, 0.5 * head], 0.02, 0.024, 0.3))
    if w.rng.random() < 0.3:
        w.add(steel, rod(0.4 * length, length - 0.03, 0.5 * r))
        w.add(w.one_of(RUBBER), rod(0, 0.4 * length, r))
    else:
        w.add(w.one_of(WOOD, WOOD, PLASTIC), rod(0, length - 0.03, r, 0.8 * r))


def mallet(w: Workshop) -> None:
    """A light or heavy cylinder across a handle."""
    length, r = w.size(200, 320), w.size(10, 15)
    width, radius = w.size(80, 130), w.size(22, 38)
    head = turned(rod(-width / 2, width / 2, radius), 2, np.pi / 2, (length, 0, 0))
    w.add(w.one_of(RUBBER, PLASTIC, STEEL, WOOD), head)
    w.add(w.one_of(WOOD, STEEL, PLASTIC), rod(0, length, r))


def hand_saw(w: Workshop) -> None:
    """A thin blade with a wooden handle off its axis."""
    blade, width = w.size(250, 420), w.size(60, 110)
    w.add(
        w.one_of(STEEL), bar([0, 0], [blade, 0], width, w.size(0.8, 1.8), w.rng.uniform(0.3, 0.7))
    )
    grip, thick = w.one_of(WOOD, PLASTIC), w.size(18, 26)
    w.add(
        grip,
        bar([-0.03, 0.6 * width], [-0.05, -0.7 * width], 0.032, thick),
        bar([-0.03, 0.5 * width], [0.03, 0.3 * width], 0.03, thick),
    )


def open_end_wrench(w: Workshop) -> None:
    """All of one steel: a bar with two jaws."""
    length, width, thick = w.size(120, 260), w.size(10, 18), w.size(4, 8)
    steel = w.one_of(STEEL)
    w.add(steel, bar([0, 0], [length, 0], width, thick))
    for x, sign in ((0.0, -1.0), (length, 1.0)):
        for side in (-1.0, 1.0):
            start = np.array([x - 0.4 * sign * width, side * 0.2 * width])
            w.add(
                steel,
                bar(start, [x + 1.4 * sign * width, side * 1.1 * width], width, 1.6 * thick, 0.7),
            )


def gripped_pliers(w: Workshop) -> None:
    """Steel jaws, handles of coated steel or of plastic."""
    jaw, handle, thick = w.size(40, 70), w.size(90, 130), w.size(8, 12)
    w.add(
        w.one_of(STEEL),
        bar([0, 0.006], [jaw, 0.003], 0.014, thick, 0.5),
        bar([0, -0.006], [jaw, -0.003], 0.014, thick, 0.5),
        bar([-0.02, 0], [0.01, 0], 0.03, thick),
    )
    grip = w.one_of(PLASTIC, RUBBER, STEEL, STEEL)
    open_ = w.size(18, 35)
    for side in (-1.0, 1.0):
        w.add(
            grip,
            bar([-0.015, side * 0.008], [-0.5 * handle, side * open_], 0.014, 1.2 * thick),
            bar([-0.5 * handle, side * open_], [-handle, side * open_ * 0.9], 0.014, 1.2 * thick),
        )


def drill(w: Workshop) -> None:
    """A light shell with a motor, a chuck, and a battery below the handle."""
    body, r = w.size(90, 130), w.size(24, 32)
    shell = w.one_of(600.0, 900.0)
    w.add(
        w.one_of(STEEL),
        rod(body, body + w.size(30, 45), 0.018, 0.012),
        rod(body + 0.03, body + 0.11, 0.004),
    )
    w.add(w.one_of(4500.0), rod(0.01, 0.55 * body, 0.8 * r))
    w.add(
        shell,
        rod(0, body, r),
        turned(bar([0.35 * body, 0], [0.25 * body, -0.12], 0.035, 0.03), 0, 0, (0, 0, 0)),
    )
    w.add(w.one_of(2000.0, 1600.0), block((0.0, -0.17, -0.035), (0.085, -0.115, 0.035)))


def paint_brush(w: Workshop) -> None:
    """Bristles, a sheet of steel, a wooden handle."""
    width, thick = w.size(25, 75), w.size(8, 16)
    w.add(w.one_of(500.0), bar([0.02, 0], [0.02 + w.size(40, 60), 0], width, thick))
    w.add(w.one_of(1800.0), bar([-0.01, 0], [0.02, 0], width * 1.03, thick * 1.1))
    w.add(
        w.one_of(WOOD, PLASTIC),
        bar([-0.04, 0], [-0.01, 0], 0.025, thick, 2.0),
        rod(-w.size(110, 150), -0.03, 0.011, 0.009),
    )


def chisel(w: Workshop) -> None:
    """A bar of steel in a handle, some with a ring."""
    blade, width = w.size(90, 150), w.size(6, 35)
    w.add(w.one_of(STEEL), bar([0.02, 0], [blade, 0], width, 0.004), rod(0, 0.03, 0.005, 0.006))
    handle, r = w.size(100, 140), w.size(12, 17)
    if w.rng.random() < 0.5:
        w.add(w.one_of(STEEL, BRASS), rod(-handle, -handle + 0.012, r * 1.02))
    w.add(w.one_of(WOOD, PLASTIC), rod(-handle, 0, r, 0.7 * r))


def torch(w: Workshop) -> None:
    """A tube with batteries, a wide head with a lamp."""
    length, r = w.size(90, 180), w.size(12, 18)
    w.add(w.one_of(2500.0, 3000.0), rod(0.01, length, 0.8 * r))
    w.add(w.one_of(ALUMINIUM, PLASTIC), rod(0, length, r))
    w.add(
        w.one_of(900.0, 1400.0),
        rod(length, length + w.size(25, 45), r, r * w.rng.uniform(1.2, 1.8)),
    )


def axe(w: Workshop) -> None:
    """A wedge of steel on one side of a long handle."""
    length, r = w.size(300, 450), w.size(12, 17)
    steel = w.one_of(STEEL)
    w.add(steel, block((length - 0.06, -0.02, -0.012), (length, 0.03, 0.012)))
    edge = w.size(80, 120)
    x = length - 0.03
    w.add(
        steel,
        np.array(
            [
                [x - 0.025, 0.02, -0.01],
                [x + 0.025, 0.02, -0.01],
                [x - 0.025, 0.02, 0.01],
                [x + 0.025, 0.02, 0.01],
                [x - 0.05, edge, -0.001],
                [x + 0.04, edge, -0.001],
                [x - 0.05, edge, 0.001],
                [x + 0.04, edge, 0.001],
            ]
        ),
    )
    w.add(w.one_of(WOOD, WOOD, PLASTIC), rod(0, length, 1.1 * r, 0.9 * r))


def spirit_level(w: Workshop) -> None:
    """A long bar of aluminium or of plastic, with vials of no great weight."""
    length, height, thick = w.size(220, 400), w.size(35, 60), w.size(15, 25)
    for x in w.rng.choice([0.15, 0.5, 0.8], 2, replace=False):
        w.add(
            w.one_of(1000.0),
            block((x * length, 0, -thick * 0.52), (x * length + 0.05, 0.6 * height, thick * 0.52)),
        )
    w.add(
        w.one_of(900.0, 1200.0),
        block((0, -height / 2, -thick / 2), (length, height / 2, thick / 2)),
    )


def trowel(w: Workshop) -> None:
    """A thin blade, a bent neck, a handle above."""
    blade, width = w.size(130, 220), w.size(70, 120)
    steel = w.one_of(STEEL)
    w.add(steel, bar([0, 0], [blade, 0], width, w.size(1.2, 2.5), w.rng.uniform(0.1, 1.0)))
    w.add(steel, block((-0.01, -0.005, 0), (0.0, 0.005, 0.05)))
    w.add(
        w.one_of(WOOD, PLASTIC),
        turned(rod(-w.size(110, 140), 0, 0.016, 0.012), 0, 0, (-0.005, 0, 0.05)),
    )


def clamp(w: Workshop) -> None:
    """A frame and a screw, with a wooden or a steel handle."""
    length, throat = w.size(120, 260), w.size(50, 90)
    frame = w.one_of(STEEL, ALUMINIUM, 7200.0)
    w.add(
        frame,
        bar([0, 0], [length, 0], 0.02, 0.008),
        bar([length, 0], [length, throat], 0.025, 0.012),
        bar([0.4 * length, 0], [0.4 * length, throat], 0.025, 0.012),
    )
    w.add(w.one_of(STEEL), rod(0.2 * length, 0.85 * length, 0.005) + np.array([0, 0.9 * throat, 0]))
    w.add(
        w.one_of(WOOD, PLASTIC, STEEL),
        rod(-0.05, 0.2 * length, 0.015) + np.array([0, 0.9 * throat, 0]),
    )


def knife(w: Workshop) -> None:
    """A blade and scales."""
    blade, width = w.size(80, 180), w.size(15, 35)
    steel = w.one_of(STEEL)
    w.add(steel, bar([0, 0], [blade, 0], width, w.size(1.5, 4), 0.2))
    full = w.rng.random() < 0.5
    if full:
        w.add(steel, bar([-0.1, 0], [0, 0], 0.02, 0.003))
    w.add(w.one_of(WOOD, PLASTIC), bar([-0.1, 0], [0, 0], 0.022, 0.018))


def pry_bar(w: Workshop) -> None:
    """One bent bar of steel."""
    length, width = w.size(200, 400), w.size(12, 22)
    w.add(
        w.one_of(STEEL),
        bar([0, 0], [length, 0], width, width * 0.6),
        bar([length, 0], [length + 0.03, 0.05], width, width * 0.6),
        bar([0, 0], [-0.04, -0.01], width, width * 0.5, 1.5),
    )


def ratchet(w: Workshop) -> None:
    """A head of steel, a neck, a grip that is coated or not."""
    length, r = w.size(120, 250), w.size(12, 19)
    steel = w.one_of(STEEL)
    w.add(
        steel,
        turned(rod(-0.012, 0.012, r), 1, np.pi / 2, (length, 0, 0)),
        rod(0.45 * length, length, 0.007),
    )
    w.add(w.one_of(STEEL, RUBBER, PLASTIC), rod(0, 0.45 * length, 0.012, 0.01))


def soldering_iron(w: Workshop) -> None:
    """A tip of copper, a tube, a handle of plastic."""
    w.add(w.one_of(COPPER, STEEL), rod(0.08, 0.08 + w.size(20, 40), 0.004, 0.001))
    w.add(w.one_of(STEEL, 4000.0), rod(0.0, 0.08, w.size(4, 7)))
    w.add(w.one_of(PLASTIC, 700.0), rod(-w.size(90, 130), 0, w.size(10, 15)))


def box_of_tape(w: Workshop) -> None:
    """A case full of steel strip, off its middle, with a plastic shell."""
    side, thick = w.size(55, 85), w.size(25, 40)
    w.add(
        w.one_of(3000.0, 4000.0),
        turned(
            rod(-0.4 * thick, 0.4 * thick, 0.36 * side),
            1,
            np.pi / 2,
            (-0.05 * side, 0.03 * side, 0),
        ),
    )
    w.add(
        w.one_of(PLASTIC, 500.0),
        block((-side / 2, -side / 2, -thick / 2), (side / 2, side / 2, thick / 2)),
    )


def scissors(w: Workshop) -> None:
    """Two blades, two loops of plastic or of steel."""
    blade, thick = w.size(80, 130), w.size(2, 4)
    w.add(
        w.one_of(STEEL),
        bar([-0.03, 0.006], [blade, 0], 0.014, thick, 0.3),
        bar([-0.03, -0.006], [blade, 0], 0.014, thick, 0.3),
    )
    grip, loop = w.one_of(PLASTIC, PLASTIC, STEEL), w.size(45, 75)
    for side in (-1.0, 1.0):
        w.add(
            grip,
            bar([-0.03, side * 0.01], [-0.03 - loop, side * 0.012], 0.009, 0.009),
            bar([-0.03, side * 0.01], [-0.03 - loop, side * 0.04], 0.009, 0.009),
            bar([-0.03 - loop, side * 0.01], [-0.03 - loop, side * 0.042], 0.009, 0.009),
        )


KINDS: tuple[Callable[[Workshop], None], ...] = (
    screwdriver,
    claw_hammer,
    hand_saw,
    open_end_wrench,
    drill,
    chisel,
    axe,
    trowel,
    knife,
    ratchet,
    box_of_tape,
    file,
    mallet,
    gripped_pliers,
    paint_brush,
    torch,
    spirit_level,
    clamp,
    pry_bar,
    soldering_iron,
    scissors,
)
HALVES = {"chosen_on": KINDS[:11], "held_out": KINDS[11:]}
POINTS, SCATTER = 2000, 0.0003  # of a cloud; standard deviation of its points [m]
PACE = 0.6  # of the motion, against that of random_tools.py
RATE = 100.0  # [Hz]


def made_tool(kind: Callable[[Workshop], None], seed: int) -> MadeTool:
    """Return one tool of a kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    workshop = Workshop(rng)
    kind(workshop)
    hulls = [ConvexHull(part.corners) for part in workshop.parts]
    volume = np.array([hull.volume for hull in hulls])
    area = np.array([hull.area for hull in hulls])
    J, surface = np.zeros((4, 4)), []
    for k, (part, hull) in enumerate(zip(workshop.parts, hulls, strict=True)):
        count = max(2000, round(INSIDE * volume[k] / volume.sum()))
        inside = uniform_in(hull, part.corners, count, rng)
        kept = inside[~within(inside, hulls[:k], 0.0)]
        x = np.column_stack([kept, np.ones(len(kept))])
        J += part.density * volume[k] / count * x.T @ x
        drawn = uniform_on(hull, part.corners, round(4 * POINTS * area[k] / area.sum()), rng)
        surface.append(drawn[~within(drawn, hulls[:k] + hulls[k + 1 :], 1e-6)])
    cloud = rng.permutation(np.vstack(surface))[:POINTS]
    return MadeTool(from_pseudo_inertia(J), cloud + SCATTER * rng.normal(size=cloud.shape))


def held(made: MadeTool, seed: int) -> Tool:
    """Return a tool held at a point of its surface, in a sensor frame turned at random."""
    axes = Rotation.random(random_state=seed).as_matrix()
    place = -axes @ made.cloud[np.random.default_rng(seed).integers(len(made.cloud))]
    shape = Shape.from_surface_points(made.cloud).transformed(axes, place)
    return Tool(change_of_frame(axes, place) @ made.phi, shape, axes, RATE, False)


def within(points: Array, hulls: list[ConvexHull], margin: float) -> Array:
    """Tell which points are inside one of some convex hulls, shape (N,)."""
    found = np.zeros(len(points), dtype=bool)
    for hull in hulls:
        found |= (points @ hull.equations[:, :3].T + hull.equations[:, 3] < -margin).all(axis=1)
    return found


def uniform_in(hull: ConvexHull, corners: Array, count: int, rng: np.random.Generator) -> Array:
    """Return points spread at random over a convex hull, shape (count, 3)."""
    apex = corners[hull.vertices].mean(axis=0)
    faces = corners[hull.simplices]
    size = np.abs(np.linalg.det(faces - apex))
    chosen = rng.choice(len(faces), count, p=size / size.sum())
    mixture = rng.dirichlet(np.ones(4), count)
    return mixture[:, :1] * apex + np.einsum("nk,nki->ni", mixture[:, 1:], faces[chosen])


def uniform_on(hull: ConvexHull, corners: Array, count: int, rng: np.random.Generator) -> Array:
    """Return points spread at random over the surface of a convex hull, shape (count, 3)."""
    faces = corners[hull.simplices]
    size = np.linalg.norm(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), axis=1)
    chosen = rng.choice(len(faces), count, p=size / size.sum())
    return np.einsum("nk,nki->ni", rng.dirichlet(np.ones(3), count), faces[chosen])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=4, help="tools of each kind")
    parser.add_argument("--kinds", choices=tuple(HALVES), default="held_out")
    arguments = parser.parse_args()
    lower, upper = PayloadPrior().box()
    table = Table("kind", *NOISE, title="inertia [%]: one material -> several")
    found: dict[str, list[Array]] = {"one material": [], "entropic": [], "point_masses": []}
    broken = 0
    for kind in HALVES[arguments.kinds]:
        each = np.zeros((len(found), arguments.trials, len(NOISE), 3))
        for trial in range(arguments.trials):
            tool = held(made_tool(kind, trial), trial)
            plain = replace(tool.shape, bodies=tool.shape.bodies[:0])
            methods = [
                estimator_named("entropic", plain),
                estimator_named("entropic", tool.shape),
                estimator_named("point_masses", tool.shape),
            ]
            for n, level in enumerate(NOISE):
                samples = samples_of(tool, level, trial, PACE)
                with one_thread():
                    statistics = statistics_of(samples, level, 0.05)
                    for m, method in enumerate(methods):
                        phi = method.estimate(statistics, lower, upper)
                        broken += not is_physical(phi)
                        off = errors(phi, tool.phi, tool.shape.box, axes=tool.axes)
                        each[m, trial, n] = astuple(off)
        for values, of_kind in zip(found.values(), each, strict=True):
            values.append(of_kind)
        before, after = each[:2, :, :, 2].mean(axis=1)
        cells = (f"{a:.1f} -> {b:.1f}" for a, b in zip(before, after, strict=True))
        table.add_row(kind.__name__.replace("_", " "), *cells)
    console = Console(width=120)
    console.print(table)
    table = Table("", *NOISE, title="mass / centre of mass / inertia [%]: mean over all tools")
    for name, values in found.items():
        mean = np.concatenate(values).mean(axis=0)
        table.add_row(name, *("{:.2f} / {:.2f} / {:.1f}".format(*level) for level in mean))
    console.print(table)
    print(f"inconsistent estimates: {broken}")


if __name__ == "__main__":
    main()
