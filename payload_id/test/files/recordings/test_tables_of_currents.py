"""Tables that hold currents: torque is current times the torque constant, or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from payload_id import Recording
from payload_id.core.errors import ConfigurationError

COLUMNS = {
    "joints": ["a", "b"],
    "stamp": {"column": "t", "unit": "s"},
    "position": "q{j}",
    "effort": "i{j}",
    "effort_sign": [1.0, -1.0],
    "effort_offset": 0.5,
}
CURRENT = {**COLUMNS, "effort_source": "current"}
CONSTANTS = {"b": 3.0, "other": 9.0, "a": 2.0}  # of a robot, in an order of its own


@pytest.fixture
def table(tmp_path: Path) -> Path:
    t = np.linspace(0.0, 1.0, 51)
    rows = np.column_stack([t, np.sin(t), np.cos(t), t + 1.0, 2.0 - t])
    np.savetxt(tmp_path / "t.csv", rows, delimiter=",", header="t,q1,q2,i1,i2", comments="")
    return tmp_path / "t.csv"


@pytest.mark.parametrize(
    ("columns", "constants"),
    [
        (CURRENT, CONSTANTS),
        ({**CURRENT, "torque_constants": [2.0, 3.0]}, None),
        ({**CURRENT, "torque_constants": [2.0, 3.0]}, {"a": 7.0, "b": 7.0}),
    ],
)
def test_torque_is_sign_times_constant_times_current_less_offset(table, columns, constants):
    found = Recording.from_csv(table, columns, constants)
    t = np.linspace(0.0, 1.0, 51)
    np.testing.assert_allclose(found.tau[:, 0], 2.0 * (t + 1.0) - 0.5)
    np.testing.assert_allclose(found.tau[:, 1], -3.0 * (2.0 - t) - 0.5)
    (scale,) = found.effort.values()
    assert scale.factor == (2.0, -3.0)


def test_columns_of_torque_stay_torques_where_the_robot_reports_currents(table):
    said = Recording.from_csv(table, {**COLUMNS, "effort_source": "torque"}, CONSTANTS)
    np.testing.assert_array_equal(said.tau, Recording.from_csv(table, COLUMNS).tau)


