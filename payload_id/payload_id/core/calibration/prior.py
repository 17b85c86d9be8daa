"""What the description says of a link, as rows |P (phi - phi0)| of a least-squares problem.

`quadratic`: every parameter deviates by about `relative` of its value; a parameter whose value is
zero deviates by as much of the link's typical size.

`entropic`: the second-order form of the entropic divergence d(J0, J) of Lee, Wensing and Park
[Lee2020] at the description, 1/2 tr((J0^-1 dJ)^2) / relative^2: what an affine change of
coordinates leaves as it is, so that it does not depend on the choice of frame.

`euclidean`: |phi - phi0| in SI units, as in [WKS, eq. 25]; it depends on units and frame.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from ..arrays import Array
from ..body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from .physical_consistency import typical_scale

LEAST_EIGENVALUE = 1e-6  # of a scaled J0, so that a description at the edge has a finite prior


class Prior(str, Enum):
    """How far a link may be from its description."""

    QUADRATIC = "quadratic"
    ENTROPIC = "entropic"
    EUCLIDEAN = "euclidean"


def prior_rows(prior: Prior, phi: Array, relative: float) -> Array:
    """Return P with |P (phi - phi0)|^2 the distance in units of `relative`, shape (10, 10).

    For `EUCLIDEAN` the unit is 1 kg, 1 kg m and 1 kg m2.
    """
    if prior is Prior.EUCLIDEAN:
        return np.eye(10)
    if prior is Prior.QUADRATIC:
        typical = typical_scale(phi)
        size = np.where(np.abs(phi) > 1e-6 * typical, np.abs(phi), typical)
        return np.diag(1.0 / (relative * size))
    return _pullback_root(phi) / relative


def _pullback_root(phi: Array) -> Array:
    """Return P with |P dphi|^2 = 1/2 tr((J0^-1 dJ)^2)."""
    scale = typical_scale(phi)
    length = scale[1] / scale[0]
    unit = np.diag([1.0 / length] * 3 + [1.0]) / np.sqrt(scale[0])
    values, vectors = np.linalg.eigh(unit @ pseudo_inertia(phi) @ unit)
    values = np.maximum(values, LEAST_EIGENVALUE * values[-1])
    whitening = (vectors / np.sqrt(values)).T @ unit
    columns = [(whitening @ E @ whitening.T).ravel() for E in PSEUDO_INERTIA_BASIS]
    tall = np.stack(columns, axis=1) / np.sqrt(2.0)
    return np.asarray(np.linalg.qr(tall, mode="r"))
