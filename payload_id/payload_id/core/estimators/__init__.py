"""Point estimates of phi; one file for each method, all behind one protocol.

In: `Statistics` of all rows, the prior's box, a shape where one is known.
Out: phi, or an error where no number can be relied on. Which ones are physically consistent by
    construction is in each one's `physical`; the verdict is made in `identification`.
"""

from __future__ import annotations

from ..body.shape import Shape
from ..errors import UnknownNameError
from ..knowledge.knowledge import NOTHING, Knowledge
from .entropic import Entropic
from .estimator import Estimator
from .linear_matrix_inequality import LinearMatrixInequality
from .log_cholesky import LogCholesky
from .manifold import Manifold
from .ordinary_least_squares import OrdinaryLeastSquares
from .point_masses import PointMasses
from .total_least_squares import TotalLeastSquares
from .weighted_least_squares import WeightedLeastSquares

ESTIMATORS: dict[str, type[Estimator]] = {
    method.name: method
    for method in (
        LinearMatrixInequality,
        Entropic,
        PointMasses,
        Manifold,
        LogCholesky,
        OrdinaryLeastSquares,
        WeightedLeastSquares,
        TotalLeastSquares,
    )
}


def estimator_named(
    name: str, shape: Shape | None = None, stated: Knowledge = NOTHING
) -> Estimator:
    """Return the estimator of that name, for payloads of a shape and knowledge if there is any.

    Raises:
        UnknownNameError: There is none; the message lists those there are.
        InputError: The estimator needs a shape and there is none.
    """
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise UnknownNameError("estimator", name, ESTIMATORS)
    return ESTIMATORS[name](shape, stated)
