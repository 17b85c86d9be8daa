"""What the catalogue states is true of the bodies that it describes, and false of others."""

from dataclasses import fields, replace

import clarabel
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.transform import Rotation

from known_payloads import KINDS, draw
from payload_id.core.body.inertial import (
    change_of_frame,
    from_mass_com_inertia,
    from_pseudo_inertia,
)
from payload_id.core.errors import InputError
from payload_id.core.knowledge.catalogue import (
    CATALOGUE,
    CentreInBox,
    CentreNearLine,
    CentreNearPoint,
    FilledContainer,
    KnownMass,
    MadeOf,
    MirrorPlane,
    Region,
    SymmetricAboutAxis,
    knowledge_of,
)
from payload_id.core.knowledge.catalogue.known import direction
from payload_id.core.knowledge.statement import cone_of, matrix, triangle

EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
BAR = from_mass_com_inertia(1.0, [0.0, 0.0, 0.1], np.diag([3e-3, 4e-3, 1e-3]))


def excess(statement, phi):
    """Return by how much phi breaks a statement: the least t with s + t e in its cone.

    e is 1 in rows, the cone's axis elsewhere; rows are in units of their largest terms.
    """
    rows = statement.cones()
    size = np.abs(statement.F) @ np.abs(phi) + np.abs(statement.g)
    unit = np.ones(len(size))
    e = np.zeros((len(size), 1))
    for kind, block in rows:
        scale = size[block] if kind in ("zero", "nonnegative") else np.full(
            block.stop - block.start, size[block].max())  # fmt: skip
        unit[block] = np.maximum(scale, 1e-12)
        if kind == "semidefinite":
            e[block, 0] = triangle(np.eye(len(matrix(np.zeros(block.stop - block.start)))))
        else:
            e[block, 0] = 1.0 if kind == "nonnegative" else 0.0
            e[block.start, 0] = 1.0
    s = (statement.F @ phi + statement.g) / unit
    zero = np.abs(s[: statement.zero]).max(initial=0.0)
    q = statement.H.shape[1]
    box = np.vstack([np.eye(q), -np.eye(q)])
    G = np.vstack([-np.hstack([statement.H / unit[:, None], e])[statement.zero :],
                   np.hstack([box, np.zeros((2 * q, 1))]), np.eye(q + 1)[-1:] * -1.0])  # fmt: skip
    right = np.concatenate([s[statement.zero :], statement.z_upper, -statement.z_lower, [0.0]])
    cones = [cone_of(k, b.stop - b.start) for k, b in rows if k != "zero"]
    cones.append(clarabel.NonnegativeConeT(2 * q + 1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost = np.eye(q + 1)[-1]
    none = sparse.csc_matrix((q + 1, q + 1))
    solver = clarabel.DefaultSolver(none, cost, sparse.csc_matrix(G), right, cones, settings)
    return max(zero, solver.solve().x[-1])


@pytest.mark.parametrize("length", [5e-324, 1e-200, 1e200, 1e308])
@pytest.mark.parametrize("at", range(3))
def test_a_direction_may_be_of_any_length(length, at):
    given = np.zeros(3)
    given[at] = -length
    np.testing.assert_array_equal(direction("it", "normal", given), np.sign(given))


@EVERY_KIND
@pytest.mark.parametrize("tolerant", [False, True])
def test_statements_hold_for_bodies_of_their_kind(kind, tolerant):
    for seed in range(25):
        known, phi = draw(kind, np.random.default_rng(seed), tolerant)
        assert known.kind == kind
        assert excess(known.statement("it"), phi) < 1e-7, seed


def test_every_kind_is_drawn():
    assert set(KINDS) == set(CATALOGUE)


@pytest.mark.parametrize(
    "known",
    [
        CentreNearPoint((1e300, 0, 0), 1.0),
        CentreNearPoint((0, 0, 0), 1e300),
        KnownMass(1e20),
        KnownMass(1.0, 1e20),
        CentreInBox((-1e30, 0, 0), (0, 0, 0)),
        MadeOf(Region("sphere", (1e8,)), 1e4),
        SymmetricAboutAxis((0, 0, 0), (0, 0, 1), offset=0.1, extent=1e30),
        MirrorPlane((0, 0, 0), (0, 0, 1), tilt=0.1, extent=1e150),
    ],
)
def test_numbers_beyond_any_body_are_refused_in_a_sentence(known):
    with pytest.raises(InputError, match="'it' has numbers up to .* Check its numbers and units"):
        known.statement("it")


@EVERY_KIND
def test_statements_exclude_other_bodies(kind):
    for seed in range(10):
        known, phi = draw(kind, np.random.default_rng(seed))
        heavy = from_mass_com_inertia(0.5, [0.4, -0.3, 0.5], 1e-3 * np.diag([1.0, 2.0, 2.5]))
        assert excess(known.statement("it"), 2.0 * phi + heavy) > 1e-3


def in_frame(known, rotation, translation):
    """Return what is known, its places and directions seen from another frame."""

    def place(p):
        return tuple(rotation.apply(np.array(p)) + translation)

    def turned(v):
        return tuple(rotation.apply(np.array(v)))

    if isinstance(known, CentreNearLine):
        return CentreNearLine(place(known.point), turned(known.direction), known.distance)
    tolerances = (known.offset, known.tilt, known.asymmetric_mass, known.extent)
    if isinstance(known, SymmetricAboutAxis):
        return SymmetricAboutAxis(place(known.point), turned(known.direction), *tolerances)
    return MirrorPlane(place(known.point), turned(known.normal), *tolerances)


@pytest.mark.parametrize("kind", ["centre_near_line", "symmetric_about_axis", "mirror_plane"])
@pytest.mark.parametrize("seed", range(5))
def test_statements_do_not_depend_on_the_frame(kind, seed):
    """A body is as far outside of what is stated, from whichever frame both are seen.

    Seen from another frame across-directions are others: only membership is compared, by bodies
    that lie nearly at the edge.
    """
    rng = np.random.default_rng(seed)
    known, phi = draw(kind, rng)
    rotation, translation = Rotation.random(random_state=rng), rng.uniform(-0.2, 0.2, 3)
    T = change_of_frame(rotation.as_matrix(), translation)
    there = in_frame(known, rotation, translation)
    _, other = draw(kind, np.random.default_rng(seed + 100))

    def edge(statement, inside, outside):
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            mixed = (1 - middle) * inside + middle * outside
            low, high = (middle, high) if excess(statement, mixed) < 1e-9 else (low, middle)
        return low

    here = edge(known.statement("it"), phi, other)
    seen = edge(there.statement("it"), T @ phi, T @ other)
    assert seen == pytest.approx(here, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("shape, size", [("box", (0.1, 0.2, 0.3)), ("cylinder", (0.1, 0.3)),
                                         ("sphere", (0.2,))])  # fmt: skip
def test_region_is_the_homogeneous_solid_and_holds_points_inside_only(shape, size):
    rng = np.random.default_rng(1)
    region = Region(shape, size, (0.1, -0.2, 0.05), (0.4, 0.2, -0.9))
    turn = Rotation.from_euler("xyz", region.rpy)
    own = rng.uniform(-0.5, 0.5, (200_000, 3)) * {
        "box": size, "cylinder": (0.2, 0.2, 0.3), "sphere": (0.4,) * 3}[shape]  # fmt: skip
    inside = {
        "box": np.ones(len(own), bool),
        "cylinder": np.hypot(own[:, 0], own[:, 1]) < size[0],
        "sphere": np.linalg.norm(own, axis=1) < size[0],
    }[shape]
    points = np.column_stack([turn.apply(own) + region.position, np.ones(len(own))])
    cell = np.prod({"box": size, "cylinder": (0.2, 0.2, 0.3), "sphere": (0.4,) * 3}[shape])
    J = cell / len(own) * points[inside].T @ points[inside]
    expected = from_pseudo_inertia(J)
    assert region.homogeneous() == pytest.approx(expected, rel=0.02, abs=0.02 * expected[0] * 0.05)
    rows = region.rows()
    for k in np.flatnonzero(inside)[:200]:
        assert (rows @ from_pseudo_inertia(np.outer(points[k], points[k])) >= -1e-15).all()
    far = np.append(turn.apply([0.0, 0.0, 0.31]) + region.position, 1.0)
    assert (rows @ from_pseudo_inertia(np.outer(far, far)) < -1e-3).any()


def test_solid_of_one_material_is_known_exactly():
    region = Region("cylinder", (0.03, 0.2), (0.0, 0.0, 0.1), (0.3, 0.1, 0.0))
    known = MadeOf(region, 2700.0, 2700.0).statement("it")
    phi = 2700.0 * region.homogeneous()
    assert excess(known, phi) < 1e-9
    for k in range(10):
        off = phi.copy()
        off[k] += 1e-3 * np.abs(phi).max()
        assert excess(known, off) > 1e-9


def test_container_is_between_empty_and_full():
    cavity = Region("cylinder", (0.04, 0.15), (0.0, 0.0, 0.1))
    empty = from_mass_com_inertia(0.3, [0, 0, 0.09], np.diag([1e-3, 1e-3, 4e-4]))
    known = FilledContainer(0.3, (0, 0, 0.09), (1e-3, 0, 0, 1e-3, 0, 4e-4), cavity, 1000.0)
    full = 1000.0 * cavity.homogeneous()
    for part, inside in ((0.0, True), (0.5, True), (1.0, True), (-0.05, False), (1.05, False)):
        assert bool(excess(known.statement("it"), empty + part * full) < 1e-7) is inside


@pytest.mark.parametrize(
    "known, said",
    [
        (KnownMass(-1.0), "mass"),
        (KnownMass(1.0, float("nan")), "tolerance"),
        (CentreInBox((0, 0, 0.2), (0, 0, 0.1)), "lower"),
        (CentreNearLine((0, 0, 0), (0, 0, 0)), "direction"),
        (CentreNearLine((0, 0), (0, 0, 1)), "point"),
        (SymmetricAboutAxis((0, 0, 0), (0, 0, 1), offset=0.001), "extent"),
        (MirrorPlane((0, 0, 0), (0, 0, 1), extent=0.0), "extent"),
        (MadeOf(Region("box", (0.1, 0.1, 0.1)), 1000.0, 2000.0), "density_min"),
        (MadeOf(Region("box", (0.1, 0.1, 0.1)), 0.0), "density_max"),
        (MadeOf(Region("box", (0.1, 0.1, 0.1)), 2000.0, 1000.0, 0.06), "size_tolerance|tolerance"),
    ],
)
def test_numbers_that_cannot_be_are_named(known, said):
    with pytest.raises(InputError, match=said):
        knowledge_of({"the part": known})


@EVERY_KIND
@pytest.mark.parametrize("wrong", ["1", "text", [], {}, [[1.0]], object(), 1j, float("nan")])
def test_values_of_any_wrong_type_are_refused(kind, wrong):
    known, _ = draw(kind, np.random.default_rng(0), True)
    for entry in fields(known):
        with pytest.raises(InputError):
            changed = replace(known, **{entry.name: wrong})
            knowledge_of({"the part": changed})


def test_regions_are_checked():
    with pytest.raises(InputError, match="cone"):
        Region("cone", (1.0,))
    for wrong in ({"size": (0.1,)}, {"size": (0.1, -1.0)}, {"position": (0, 0)}, {"rpy": "0 0 0"}):
        with pytest.raises(InputError, match="cylinder"):
            Region(**({"shape": "cylinder", "size": (0.1, 0.2)} | wrong))
