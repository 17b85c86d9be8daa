"""Point estimates of phi; one file for each method, all behind one protocol."""

from __future__ import annotations

from ..errors import UnknownNameError
from .estimator import Estimator
from .linear_matrix_inequality import LinearMatrixInequality
from .ordinary_least_squares import OrdinaryLeastSquares

ESTIMATORS: dict[str, type[Estimator]] = {
    method.name: method for method in (LinearMatrixInequality, OrdinaryLeastSquares)
}


def estimator_named(name: str) -> Estimator:
    """Return the estimator of that name.

    Raises:
        UnknownNameError: There is none; the message lists those there are.
    """
    if name not in ESTIMATORS:
        raise UnknownNameError("estimator", name, ESTIMATORS)
    return ESTIMATORS[name]()
