r"""Point masses inside the known shape [NGK, Problem 1].

The body is n masses m_i >= 0 at points p_i, phi = P m. The rows are mixed of the full model and of
the gravity-only one by how much motion there is, w = tanh(3 nu / c1) (eq. 9): the statistics hold
them mixed. Compressed to ten rows R P m = z, the problem costs the same however many data there
are.

[NGK] draws m to zero with a weight that is set by hand ("encouraging homogeneity"). Here each mass
is drawn to the mean one, with a typical departure of that size (divided by the shape's
`homogeneity`), in units of the rows' noise: a homogeneous body is then the answer where the data
are silent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from ..arrays import Array
from ..body.inertial import from_pseudo_inertia
from ..body.shape import Shape
from ..errors import InputError
from ..statistics.normal_form import NormalForm
from ..statistics.statistics import Statistics
from .estimator import Estimator
from .problem import free_fit, likely_body, weight_beside_prior

LEAST = 1e-4  # of the mean mass: no point is empty, so that J > 0


@dataclass(frozen=True, eq=False)
class PointMasses(Estimator):
    """Least squares over point masses, none of them negative, at points inside the shape."""

    name = "point_masses"
    physical = True
    citation = "NGK"

    def __post_init__(self) -> None:
        self._known_shape()

    def _known_shape(self) -> Shape:
        """Return the shape, without which there are no points."""
        if self.shape is None:
            raise InputError(
                "The estimator 'point_masses' needs the payload's shape. Give a mesh or a point "
                "cloud, or choose 'lmi'."
            )
        return self.shape

    def estimate(self, statistics: Statistics, lower: Array, upper: Array) -> Array:
        """Return phi, shape (10,), with J(phi) > 0; the bounds are not used."""
        form, shape = statistics.mixed(), self._known_shape()
        P = phi_of_points(shape.points)
        mass = float(likely_body(free_fit(form), upper, shape)[0])
        return P @ masses_at(form, P, mass / P.shape[1], shape.homogeneity)


def phi_of_points(points: Array) -> Array:
    """Return P with phi = P m for masses m at points (n, 3), shape (10, n)."""
    x = np.column_stack([points, np.ones(len(points))])
    return np.stack([from_pseudo_inertia(np.outer(row, row)) for row in x], axis=1)


def masses_at(form: NormalForm, P: Array, mean: float, homogeneity: float = 1.0) -> Array:
    """Return the masses that fit best and are about the mean one where data do not say, (n,).

    Args:
        form: The data, in units of their noise.
        P: phi of unit masses, shape (10, n).
        mean: Typical mass [kg].
        homogeneity: The mean divided by their typical departure from it [-].
    """
    wide = form.R @ P * mean  # unknowns are masses in units of the mean one
    weight = weight_beside_prior(float(np.linalg.norm(wide, 2)))
    least = np.full(P.shape[1], LEAST)
    rows = np.vstack([weight * wide, homogeneity * np.eye(len(least))])
    pull = homogeneity * (1.0 - least)
    above, _ = nnls(rows, np.append(weight * (form.z - wide @ least), pull))
    return np.asarray(mean * (least + above))
