"""Intervals of bodies in a box: every body is inside, and point masses touch both ends."""

from itertools import product

import numpy as np
import pytest

from arms import of_point_masses
from payload_id.core.body.weight_in_box import weight_in_box
from payload_id.core.errors import InputError

BOXES = [((-0.1, -0.2, 0.0), (0.1, 0.05, 0.3)), ((0.02, -0.3, -0.1), (0.2, -0.1, -0.05))]


@pytest.mark.parametrize("box", BOXES)
def test_every_body_in_the_box_is_inside_and_points_touch_each_end(box):
    rng = np.random.default_rng(0)
    lower, upper = weight_in_box((0.9, 1.2), *box)
    for _ in range(300):
        parts = rng.dirichlet(np.full(5, 0.3)) * rng.uniform(0.9, 1.2)
        phi = of_point_masses(parts, rng.uniform(*box, size=(5, 3)))
        assert (lower - 1e-12 <= phi).all() and (phi <= upper + 1e-12).all()
    # Each function is monotonic or a square along each axis: ends, and zero where the box has it.
    marks = [{a, b, min(max(0.0, a), b)} for a, b in zip(*box, strict=True)]
    found = [
        of_point_masses(np.array([m]), np.array([at])) for m, *at in product((0.9, 1.2), *marks)
    ]
    np.testing.assert_allclose(np.min(found, axis=0), lower, atol=1e-12)
    np.testing.assert_allclose(np.max(found, axis=0), upper, atol=1e-12)


def test_no_mass_is_no_payload_and_impossible_ones_are_refused():
    assert not np.any(weight_in_box((0.0, 0.0), *BOXES[0]))
    lower, upper = BOXES[0]
    for mass, box in (
        ((1.0, 0.9), BOXES[0]),
        ((-0.1, 0.9), BOXES[0]),
        ((1.0, np.inf), BOXES[0]),
        ((1.0, 1.0), (upper, lower)),
        ((1.0, 1.0), ((0.0, 0.0), (1.0, 1.0))),
        ((1.0, 1.0), ((0.0, 0.0, np.nan), (1.0, 1.0, 1.0))),
    ):
        with pytest.raises(InputError):
            weight_in_box(mass, *box)
