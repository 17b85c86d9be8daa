"""What the catalogue states is true of the bodies that it describes, and false of others."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from known_payloads import KINDS, draw, excess
from payload_id.core.body.inertial import (
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

EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
HEAVY = from_mass_com_inertia(0.5, [0.4, -0.3, 0.5], 1e-3 * np.diag([1.0, 2.0, 2.5]))


def test_every_kind_is_drawn():
    assert set(KINDS) == set(CATALOGUE)


@EVERY_KIND
def test_statements_hold_for_bodies_of_their_kind_and_exclude_others(kind):
    for seed in range(12):
        known, phi = draw(kind, np.random.default_rng(seed), tolerant=bool(seed % 2))
        statement = known.statement("it")
        assert known.kind == kind
        assert excess(statement, phi) < 1e-7, seed
        assert excess(statement, 2.0 * phi + HEAVY) > 1e-3, seed


def test_a_direction_may_be_of_any_length():
    heavy = from_mass_com_inertia(1.0, [0.0, 0.0, 0.2], np.zeros((3, 3)))
    for length in (5e-324, 1e-200, 1e200, 1e308):
        statement = CentreNearLine((0.0, 0.0, 0.0), (0.0, 0.0, -length), 0.0).statement("it")
        assert excess(statement, heavy) < 1e-9


@pytest.mark.parametrize("shape, size, around", [
    ("box", (0.1, 0.2, 0.3), (0.1, 0.2, 0.3)),
    ("cylinder", (0.1, 0.3), (0.2, 0.2, 0.3)),
    ("sphere", (0.2,), (0.4, 0.4, 0.4)),
])  # fmt: skip
def test_region_is_the_homogeneous_solid_and_holds_points_inside_only(shape, size, around):
    rng = np.random.default_rng(1)
    region = Region(shape, size, (0.1, -0.2, 0.05), (0.4, 0.2, -0.9))
    turn = Rotation.from_euler("xyz", region.rpy)
    own = rng.uniform(-0.5, 0.5, (100_000, 3)) * around
    inside = {
        "box": np.ones(len(own), bool),
        "cylinder": np.hypot(own[:, 0], own[:, 1]) < size[0],
        "sphere": np.linalg.norm(own, axis=1) < size[0],
    }[shape]
    points = np.column_stack([turn.apply(own) + region.position, np.ones(len(own))])
    J = np.prod(around) / len(own) * points[inside].T @ points[inside]
    expected = from_pseudo_inertia(J)
    assert region.homogeneous() == pytest.approx(expected, rel=0.03, abs=0.001 * expected[0])
    rows = region.rows()
    for point in points[inside][:200]:
        assert (rows @ from_pseudo_inertia(np.outer(point, point)) >= -1e-15).all()
    far = np.append(turn.apply([0.0, 0.0, 0.31]) + region.position, 1.0)
    assert (rows @ from_pseudo_inertia(np.outer(far, far)) < -1e-3).any()


def test_container_is_between_empty_and_full():
    cavity = Region("cylinder", (0.04, 0.15), (0.0, 0.0, 0.1))
    empty = from_mass_com_inertia(0.3, [0, 0, 0.09], np.diag([1e-3, 1e-3, 4e-4]))
    known = FilledContainer(0.3, (0, 0, 0.09), (1e-3, 0, 0, 1e-3, 0, 4e-4), cavity, 1000.0)
    full = 1000.0 * cavity.homogeneous()
    for part, inside in ((0.0, True), (0.5, True), (1.0, True), (-0.05, False), (1.05, False)):
        assert bool(excess(known.statement("it"), empty + part * full) < 1e-7) is inside


def test_numbers_that_cannot_be_are_named():
    box = Region("box", (0.1, 0.1, 0.1))
    for known, said in (
        (KnownMass(-1.0), "mass"),
        (KnownMass(1.0, float("nan")), "tolerance"),
        (KnownMass(1.0, 1e20), "the part"),
        (CentreInBox((0, 0, 0.2), (0, 0, 0.1)), "lower"),
        (CentreNearPoint((1e300, 0, 0), 1.0), "the part"),
        (CentreNearLine((0, 0, 0), (0, 0, 0)), "direction"),
        (CentreNearLine((0, 0), (0, 0, 1)), "point"),
        (SymmetricAboutAxis((0, 0, 0), (0, 0, 1), offset=0.001), "extent"),
        (MirrorPlane((0, 0, 0), (0, 0, 1), extent=0.0), "extent"),
        (MadeOf(box, 1000.0, 2000.0), "density_min"),
        (MadeOf(box, 0.0), "density_max"),
        (MadeOf(box, 2000.0, 1000.0, 0.06), "tolerance"),
    ):
        with pytest.raises(InputError, match=said):
            knowledge_of({"the part": known})
    for wrong in ({"size": (0.1,)}, {"size": (0.1, -1.0)}, {"position": (0, 0)}, {"rpy": "0 0 0"}):
        with pytest.raises(InputError, match="cylinder"):
            Region(**({"shape": "cylinder", "size": (0.1, 0.2)} | wrong))
    with pytest.raises(InputError, match="cone"):
        Region("cone", (1.0,))
    with pytest.raises(InputError, match="200"):
        knowledge_of({f"n{k}": CentreNearPoint([0.0, 0.0, 0.1], 0.05) for k in range(201)})


@EVERY_KIND
def test_values_of_any_wrong_type_are_refused(kind):
    known, _ = draw(kind, np.random.default_rng(0), True)
    for wrong in ("1", "text", [], {}, [[1.0]], object(), 1j, float("nan")):
        for entry in fields(known):
            with pytest.raises(InputError):
                knowledge_of({"the part": replace(known, **{entry.name: wrong})})
