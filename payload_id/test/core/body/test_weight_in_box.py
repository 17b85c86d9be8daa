"""Intervals of bodies in a box: every body is inside, and point masses touch both ends."""

import numpy as np
import pytest

from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.weight_in_box import weight_in_box
from payload_id.core.errors import InputError

BOXES = [((-0.1, -0.2, 0.0), (0.1, 0.05, 0.3)), ((0.02, -0.3, -0.1), (0.2, -0.1, -0.05))]


def of_points(mass, points):
    """Return phi of point masses."""
    whole = np.zeros(10)
    for m, point in zip(mass, points, strict=True):
        whole += from_mass_com_inertia(m, point, np.zeros((3, 3)))
    return whole


@pytest.mark.parametrize("box", BOXES)
def test_every_body_in_the_box_is_inside_and_points_touch_each_end(box):
    rng = np.random.default_rng(0)
    lower, upper = weight_in_box((0.9, 1.2), *box)
    assert (lower <= upper).all()
    for _ in range(300):
        parts = rng.dirichlet(np.full(5, 0.3)) * rng.uniform(0.9, 1.2)
        phi = of_points(parts, rng.uniform(*box, size=(5, 3)))
        assert (lower - 1e-12 <= phi).all() and (phi <= upper + 1e-12).all()
    # Each function is monotonic or a square along each axis: ends, and zero where the box has it.
    marks = [sorted({a, b, min(max(0.0, a), b)}) for a, b in zip(*box, strict=True)]
    found = [
        of_points([m], [[x, y, z]])
        for m in (0.9, 1.2) for x in marks[0] for y in marks[1] for z in marks[2]
    ]  # fmt: skip
    np.testing.assert_allclose(np.min(found, axis=0), lower, atol=1e-12)
    np.testing.assert_allclose(np.max(found, axis=0), upper, atol=1e-12)


def test_no_mass_is_no_payload():
    lower, upper = weight_in_box((0.0, 0.0), *BOXES[0])
    assert not lower.any() and not upper.any()


@pytest.mark.parametrize(
    ("mass", "box"),
    [
        ((1.0, 0.9), BOXES[0]),
        ((-0.1, 0.9), BOXES[0]),
        ((1.0, np.inf), BOXES[0]),
        ((1.0, 1.0), (BOXES[0][1], BOXES[0][0])),
        ((1.0, 1.0), ((0.0, 0.0), (1.0, 1.0))),
        ((1.0, 1.0), ((0.0, 0.0, np.nan), (1.0, 1.0, 1.0))),
    ],
)
def test_impossible_ones_are_refused(mass, box):
    with pytest.raises(InputError):
        weight_in_box(mass, *box)
