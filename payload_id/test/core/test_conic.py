"""A solver's panic reaches callers as an error of the suite."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from payload_id.core.conic import SOLVED, solve_cones, triangle
from payload_id.core.errors import SolverError


def solved(matrices, least):
    """Return the answer for the x of least x^2 / 2 with A + x B >= 0 and 0 x >= least.

    Args:
        matrices: A and B as vectors, shape (2, 10).
        least: The last row has no variable.
    """
    A, B = matrices
    G, right = np.append(-B, 0.0)[:, None], np.append(A, -least)
    P = sparse.identity(1, format="csc")
    cones = [clarabel.PSDTriangleConeT(4), clarabel.NonnegativeConeT(1)]
    return solve_cones("test program", P, np.zeros(1), G, right, cones)


def test_a_panic_is_a_solver_error():
    with pytest.raises(SolverError, match="test program .*panic"):
        solved(np.random.default_rng(0).normal(size=(2, 10)), 1e200)


def test_an_answer_is_handed_on():
    unit = triangle(np.eye(4))
    found = solved((-3.0 * unit, unit), -1.0)  # x >= 3
    assert found.status in SOLVED and found.x[0] == pytest.approx(3.0)
