"""Bodies of which something is known by construction, and the statement that says it.

The bodies are made of point masses and homogeneous pieces; the statements' own equations have no
part in it.
"""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse
from scipy.spatial.transform import Rotation

from arms import of_point_masses
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import (
    change_of_frame,
    from_mass_com_inertia,
    from_pseudo_inertia,
    mass_com_inertia,
)
from payload_id.core.conic import cone_of, matrix, solve_cones, triangle
from payload_id.core.knowledge.catalogue import (
    CentreInBox,
    CentreNearLine,
    CentreNearPoint,
    FilledContainer,
    Known,
    KnownMass,
    MadeOf,
    MirrorPlane,
    Region,
    SymmetricAboutAxis,
)
from payload_id.core.knowledge.statement import Statement

KINDS = (
    "known_mass", "centre_in_box", "centre_near_line", "centre_near_point", "symmetric_about_axis",
    "mirror_plane", "made_of", "filled_container",
)  # fmt: skip
EXTENT = 0.12  # [m] that bodies of the symmetries reach from the point


def draw(kind: str, rng: np.random.Generator, tolerant: bool = True) -> tuple[Known, Array]:
    """Return a statement of a kind and phi, shape (10,), of a body for which it is true.

    Args:
        kind: One of `KINDS`.
        rng: Source of randomness.
        tolerant: Whether there are tolerances, and the body uses them.
    """
    return {
        "symmetric_about_axis": _symmetric,
        "mirror_plane": _mirrored,
        "made_of": _made_of,
        "filled_container": _filled,
    }.get(kind, _with_centre)(kind, rng, tolerant)


def excess(statement: Statement, phi: Array) -> float:
    """Return by how much phi breaks a statement: the least t with s + t e in its cone.

    e is 1 in rows, the cone's axis elsewhere; rows are in units of their largest terms.
    """
    size = np.abs(statement.F) @ np.abs(phi) + np.abs(statement.g)
    unit, e = np.ones(len(size)), np.zeros((len(size), 1))
    for kind, block in statement.cones():
        length = block.stop - block.start
        scale = size[block] if kind in ("zero", "nonnegative") else size[block].max()
        unit[block] = np.maximum(scale, 1e-12)
        if kind == "semidefinite":
            e[block, 0] = triangle(np.eye(len(matrix(np.zeros(length)))))
        else:
            e[block, 0] = 1.0 if kind == "nonnegative" else np.eye(length)[0]
    s = (statement.F @ phi + statement.g) / unit
    zero, q = statement.zero, statement.H.shape[1]
    box = np.hstack([np.vstack([np.eye(q), -np.eye(q)]), np.zeros((2 * q, 1))])
    cost = np.eye(q + 1)[-1]
    G = np.vstack([-np.hstack([statement.H / unit[:, None], e])[zero:], box, -cost])
    right = np.concatenate([s[zero:], statement.z_upper, -statement.z_lower, [0.0]])
    cones = [cone_of(k, b.stop - b.start) for k, b in statement.cones() if k != "zero"]
    cones.append(clarabel.NonnegativeConeT(2 * q + 1))
    P = sparse.csc_matrix((q + 1, q + 1))
    least = solve_cones("membership", P, cost, G, right, cones).x[-1]
    return float(max(least, np.abs(s[:zero]).max(initial=0.0)))


def _place(rng: np.random.Generator) -> Array:
    """Return a place near the flange, shape (3,) [m]."""
    return rng.uniform(-0.08, 0.08, 3)


def _unit(rng: np.random.Generator) -> Array:
    """Return a direction, shape (3,)."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def _with_centre(kind: str, rng: np.random.Generator, tolerant: bool) -> tuple[Known, Array]:
    """Return a cloud of points and what is known of its mass or centre of mass."""
    phi = of_point_masses(rng.dirichlet(np.ones(8)) * rng.uniform(0.4, 3.0),
                          _place(rng) + rng.normal(size=(8, 3)) * 0.03)  # fmt: skip
    mass, centre, _ = mass_com_inertia(phi)
    reach = rng.uniform(0.002, 0.02) if tolerant else 0.0
    aside = reach * rng.uniform(0.0, 1.0) * _unit(rng)
    if kind == "known_mass":
        return KnownMass(mass + reach * rng.uniform(-1.0, 1.0), reach), phi
    if kind == "centre_near_point":
        return CentreNearPoint(tuple(centre + aside), reach), phi
    if kind == "centre_near_line":
        line = _unit(rng)
        return CentreNearLine(tuple(centre + aside + 0.3 * line), tuple(4 * line), reach), phi
    low, high = reach * rng.uniform(0.0, 1.0, (2, 3))
    return CentreInBox(tuple(centre - low), tuple(centre + high)), phi


def _tolerances(rng: np.random.Generator, tolerant: bool) -> tuple[dict, Array, Rotation]:
    """Return tolerances of a symmetry, and by how much the true one is shifted and turned."""
    if not tolerant:
        return {}, np.zeros(3), Rotation.identity()
    offset, tilt, rest = rng.uniform(0, 0.004), rng.uniform(0, 0.04), rng.uniform(0, 0.03)
    shift = offset * rng.uniform(0.0, 1.0) * _unit(rng)
    turn = Rotation.from_rotvec(tilt * rng.uniform(0.0, 1.0) * _unit(rng))
    names = ("offset", "tilt", "asymmetric_mass", "extent")
    return dict(zip(names, (offset, tilt, rest, EXTENT), strict=True)), shift, turn


def _placed(
    rng: np.random.Generator, points: Array, masses: Array, tolerant: bool
) -> tuple[dict, Array, Array, Array]:
    """Return tolerances, point, z axis and phi of points (N, 3) in the axes of their symmetry."""
    tolerances, shift, turn = _tolerances(rng, tolerant)
    point, axes = _place(rng), Rotation.random(random_state=rng)
    points = axes.apply(turn.apply(points) + shift)
    rest = tolerances.get("asymmetric_mass", 0.0)
    if rest:
        reach = EXTENT * rng.uniform(0.0, 1.0) * _unit(rng)
        points, masses = np.vstack([points, reach]), np.append(masses, rest)
    assert np.linalg.norm(points, axis=1).max() <= EXTENT
    return tolerances, point, axes.as_matrix()[:, 2], of_point_masses(masses, points + point)


def _symmetric(kind: str, rng: np.random.Generator, tolerant: bool) -> tuple[Known, Array]:
    """Return points that a turn by a third (or less) of the full one brings onto each other."""
    fold = int(rng.integers(3, 7))
    seeds, masses = rng.uniform(-0.05, 0.05, (4, 3)), rng.dirichlet(np.ones(4))
    turns = [Rotation.from_rotvec([0, 0, 2 * np.pi * k / fold]) for k in range(fold)]
    points = np.vstack([turn.apply(seeds) for turn in turns])
    weights = np.tile(masses, fold) / fold * rng.uniform(0.4, 3.0)
    tolerances, point, axis, phi = _placed(rng, points, weights, tolerant)
    return SymmetricAboutAxis(tuple(point), tuple(3 * axis), **tolerances), phi


def _mirrored(kind: str, rng: np.random.Generator, tolerant: bool) -> tuple[Known, Array]:
    """Return points and their mirror images."""
    seeds, masses = rng.uniform(-0.05, 0.05, (5, 3)), rng.dirichlet(np.ones(5))
    points = np.vstack([seeds, seeds * [1.0, 1.0, -1.0]])
    weights = np.tile(masses, 2) / 2 * rng.uniform(0.4, 3.0)
    tolerances, point, normal, phi = _placed(rng, points, weights, tolerant)
    return MirrorPlane(tuple(point), tuple(normal), **tolerances), phi


def _pieces(region: Region, rng: np.random.Generator, low: float, high: float) -> Array:
    """Return phi of a region in pieces of densities between two bounds, shape (10,)."""
    count = 3
    density = rng.uniform(low, high, count)
    density[rng.integers(count)] = rng.choice([low, high])
    cuts = np.sort(rng.uniform(0.0, 1.0, count - 1))
    edges = np.concatenate([[0.0], cuts, [1.0]])
    if region.shape == "sphere":  # shells
        radii = region.size[0] * edges[1:]
        balls = [_solid("sphere", (r,), np.zeros(3)) for r in radii]
        own = sum(
            d * (ball - inner)
            for d, ball, inner in zip(density, balls, [np.zeros(10), *balls], strict=False)
        )
    else:  # slices along z
        length = region.size[-1]
        own = np.zeros(10)
        for d, a, b in zip(density, edges, edges[1:], strict=False):
            middle = np.array([0.0, 0.0, length * ((a + b) / 2 - 0.5)])
            own += d * _solid(region.shape, (*region.size[:-1], length * (b - a)), middle)
    rotation = Rotation.from_euler("xyz", region.rpy).as_matrix()
    return change_of_frame(rotation, np.array(region.position)) @ own


def _solid(shape: str, size: tuple[float, ...], middle: Array) -> Array:
    """Return phi of a homogeneous solid of density 1 with its axes along the frame's."""
    if shape == "sphere":
        volume, spread = 4 / 3 * np.pi * size[0] ** 3, np.full(3, size[0] ** 2 / 5)
    elif shape == "box":
        volume, spread = np.prod(size), np.square(size) / 12
    else:
        volume = np.pi * size[0] ** 2 * size[1]
        spread = np.array([size[0] ** 2 / 4] * 2 + [size[1] ** 2 / 12])
    J = volume * np.diag([*spread, 1.0])
    return change_of_frame(np.eye(3), middle) @ from_pseudo_inertia(J)


def _region(rng: np.random.Generator) -> Region:
    """Return a region of some kind, size and pose."""
    shape = str(rng.choice(["box", "cylinder", "sphere"]))
    count = {"box": 3, "cylinder": 2, "sphere": 1}[shape]
    rpy = tuple(rng.uniform(-1.5, 1.5, 3))
    return Region(shape, tuple(rng.uniform(0.02, 0.06, count)), tuple(_place(rng)), rpy)


def _made_of(kind: str, rng: np.random.Generator, tolerant: bool) -> tuple[Known, Array]:
    """Return a region filled with pieces of several densities."""
    region = _region(rng)
    low, high = np.sort(rng.uniform(500.0, 5000.0, 2))
    if not tolerant:
        return MadeOf(region, high, low), _pieces(region, rng, low, high)
    tolerance = 0.002
    true = region.grown(tolerance * rng.uniform(-1.0, 1.0))
    return MadeOf(region, high, low, tolerance), _pieces(true, rng, low, high)


def _filled(kind: str, rng: np.random.Generator, tolerant: bool) -> tuple[Known, Array]:
    """Return a container with contents in its cavity."""
    cavity = _region(rng)
    contents = _pieces(cavity, rng, 0.0, 1200.0)
    points = np.array(cavity.position) + rng.normal(size=(6, 3)) * 0.05
    empty = of_point_masses(rng.dirichlet(np.ones(6)) * 0.4, points)
    mass, centre, inertia = mass_com_inertia(empty)
    reach = np.array([0.01, 0.002, 1e-5]) if tolerant else np.zeros(3)
    stated = inertia + reach[2] * _symmetric_matrix(rng)
    known = FilledContainer(
        mass + reach[0] * rng.uniform(-1.0, 1.0),
        tuple(centre + reach[1] * rng.uniform(-1.0, 1.0, 3)),
        tuple(stated[np.triu_indices(3)]),
        cavity, 1200.0, *reach, 0.001 if tolerant else 0.0,
    )  # fmt: skip
    return known, from_mass_com_inertia(mass, centre, inertia) + contents


def _symmetric_matrix(rng: np.random.Generator) -> Array:
    """Return a symmetric matrix of numbers between -1 and 1."""
    upper = np.triu(rng.uniform(-1.0, 1.0, (3, 3)))
    return upper + np.triu(upper, 1).T
