"""No planning without knowing what is around the arm."""

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.cells.cell_file import Cell


def test_no_cell_needs_a_reason():
    for stated in ("", "none", "none:", "none,  "):
        with pytest.raises(ConfigurationError, match="name a cell file"):
            Cell.of(stated, 0.02)
    cell = Cell.of("none, a field with nothing in it", 0.02)
    assert cell.bodies == () and cell.clearance == 0.02
    assert "a field with nothing in it" in cell.assumption
