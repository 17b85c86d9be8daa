"""Shapes as they are kept beside a recording."""

from dataclasses import fields

import numpy as np

from payload_id.core.body.shape import Shape
from payload_id.files.shapes.shape_file import load_shape, save_shape

CORNERS = np.array(np.meshgrid([-0.1, 0.1], [-0.05, 0.05], [-0.02, 0.02])).reshape(3, -1).T


def test_a_shape_is_read_as_it_was_written(tmp_path):
    shape = Shape.from_hull(CORNERS)
    again = load_shape(save_shape(tmp_path / "shape.npz", shape))
    for entry in fields(Shape):
        before, after = getattr(shape, entry.name), getattr(again, entry.name)
        np.testing.assert_array_equal(np.asarray(after), np.asarray(before))


def test_an_archive_without_bodies_is_of_a_homogeneous_solid(tmp_path):
    path = save_shape(tmp_path / "shape.npz", Shape.from_hull(CORNERS))
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive if name != "bodies"}
    np.savez(path, **arrays)
    assert load_shape(path).bodies.shape == (0, 10)
