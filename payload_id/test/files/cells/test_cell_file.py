"""Cell files: bodies where they are said to be, zones, and no planning without knowing."""

import numpy as np
import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_file import RobotFile

FILE = """
name: test cell
clearance: 0.03
floor: -0.1
bodies:
  table: {shape: box, size: [1.0, 0.6, 0.05], position: [0.4, 0.0, -0.05]}
  wall: {shape: wall, position: [0.0, -0.8, 0.0], rpy: [-1.5707963267948966, 0.0, 0.0]}
keep_out:
  walkway: {shape: cylinder, size: [0.3, 2.0], position: [1.0, 0.5, 1.0]}
keep_in:
  cage: {size: [2.0, 3.0, 4.0], position: [0.0, 0.0, 1.0], rpy: [0.0, 0.0, 0.3]}
"""


def holds(body: ConvexBody, point: np.ndarray) -> bool:
    """Tell whether a box or half-space contains a point."""
    own = body.rotation.T @ (point - body.translation)
    return bool(own[2] <= 0) if body.kind == "half_space" else bool((abs(own) <= body.half).all())


def written(tmp_path, text=FILE):
    """Return the path of a cell file."""
    path = tmp_path / "cell.yaml"
    path.write_text(text)
    return path


def test_bodies_are_where_the_file_says(tmp_path):
    cell = Cell.load(written(tmp_path))
    bodies = {body.name: body for body in cell.bodies}
    assert cell.clearance == 0.03 and len(bodies) == 4 + 6
    assert holds(bodies["floor"], np.array([3.0, 1.0, -0.11]))
    assert not holds(bodies["floor"], np.array([3.0, 1.0, -0.09]))
    assert holds(bodies["table"], np.array([0.85, 0.29, -0.03]))
    inside, behind = np.array([0.3, -0.79, 0.2]), np.array([0.3, -0.81, 0.2])
    wall = bodies["wall"]
    assert holds(wall, behind) != holds(wall, inside)
    assert holds(wall, behind), "z points into the cell, to +y"


def test_joints_keep_the_cells_margin_from_their_limits(tmp_path):
    assert Cell.load(written(tmp_path)).joint_margin == 0.0
    cell = Cell.load(written(tmp_path, FILE + "joint_margin: 0.1\n"))
    limits = RobotFile.load("kinova_gen3").limits
    narrowed = limits.narrowed(cell.joint_margin)
    assert np.allclose(narrowed.position_upper, limits.position_upper - 0.1)
    assert np.allclose(narrowed.position_lower, limits.position_lower + 0.1)


def test_a_zone_to_keep_in_is_what_lies_outside_of_it(tmp_path):
    cell = Cell.load(written(tmp_path))
    walls = [body for body in cell.bodies if body.name.startswith("cage")]
    rng = np.random.default_rng(0)
    turn = np.array([[np.cos(0.3), -np.sin(0.3), 0], [np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]])
    for own in rng.uniform(-1.0, 1.0, (200, 3)) * [1.5, 2.2, 3.0]:
        point = turn @ own + [0.0, 0.0, 1.0]
        is_in = bool((abs(own) < [1.0, 1.5, 2.0]).all())
        assert any(holds(wall, point) for wall in walls) != is_in


def test_no_cell_needs_a_reason():
    for stated in ("", "none", "none:", "none,  "):
        with pytest.raises(ConfigurationError, match="name a cell file"):
            Cell.of(stated, 0.02)
    cell = Cell.of("none, a field with nothing in it", 0.02)
    assert cell.bodies == () and cell.clearance == 0.02
    assert "a field with nothing in it" in cell.assumption
