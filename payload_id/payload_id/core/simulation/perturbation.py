"""Links that differ from the robot's description, within the stated bound."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..body.inertial import PSEUDO_INERTIA_BASIS, pseudo_inertia
from ..errors import InputError

DRAWS = 512  # candidates for each body before it is only scaled


def perturb_links(phis: Array, relative: float, rng: np.random.Generator) -> Array:
    """Draw inertial parameters around the nominal ones.

    Each parameter is uniform within +-relative of its value, given that the body remains
    physically consistent, J(phi) > 0; zeros stay zero. A body so close to the edge of consistency
    that no candidate is consistent is scaled as a whole.

    Args:
        phis: Nominal parameters of n bodies, shape (n, 10).
        relative: Largest relative deviation of each parameter, in [0, 1) [-].
        rng: Source of randomness.

    Returns:
        phis: shape (n, 10).

    Raises:
        InputError: `relative` is no fraction in [0, 1).
    """
    if not 0.0 <= relative < 1.0:
        raise InputError(f"The relative link deviation must be in [0, 1); found {relative!r}.")
    return np.array([_perturb(np.asarray(phi, dtype=float), relative, rng) for phi in phis])


def _perturb(phi: Array, relative: float, rng: np.random.Generator) -> Array:
    """Draw the parameters of one body, shape (10,)."""
    factors = 1.0 + relative * rng.uniform(-1.0, 1.0, (DRAWS, 10))
    scale = factors[0, 0]
    candidates = factors * phi
    J = np.tensordot(candidates, PSEUDO_INERTIA_BASIS, axes=1)
    edge = min(0.0, float(np.linalg.eigvalsh(pseudo_inertia(phi))[0]))
    consistent = np.flatnonzero(np.linalg.eigvalsh(J)[:, 0] > edge)
    return candidates[consistent[0]] if len(consistent) else scale * phi
