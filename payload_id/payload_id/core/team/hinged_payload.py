"""A payload of two bodies on a hinge, as far as a team's data tell it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array

# The seventeen sums that motions and forces can tell, in the hinge's own frames: first those that
# mass on the axis only hands from one body to the other, then those of each body by itself.
SHARED = ("m", "hz", "Ixx")
OWN = ("hx", "hy", "Ixx - Iyy", "Ixy", "Ixz", "Iyz", "Izz")
BASE_PARAMETERS = (
    *(f"{name}, both" for name in SHARED),
    *(f"{name}, {which}" for which in ("first", "second") for name in OWN),
)


def _base_of_both() -> Array:
    """Return B with base parameters = B (phi_first, phi_second), shape (17, 20)."""
    single = np.zeros((7, 10))
    for row, column in enumerate((1, 2, 4, 5, 6, 8, 9)):
        single[row, column] = 1.0
    single[2, 7] = -1.0  # Ixx - Iyy
    both = np.zeros((17, 20))
    for row, column in enumerate((0, 3, 4)):
        both[row, [column, 10 + column]] = 1.0
    both[3:10, :10], both[10:, 10:] = single, single
    return both


BASE_OF_BOTH = _base_of_both()


@dataclass(frozen=True)
class HingedPayload:
    """Two bodies, first and second, that turn against each other about one axis.

    Each body has a hinge frame, fixed to it: origin on the axis (the same point for both), z along
    it. Mass on the axis may belong to either body, so the data tell seventeen sums of the twenty
    parameters, `BASE_PARAMETERS`, and no more. Deviations are what the residuals show; unlike
    intervals they prove nothing.

    Attributes:
        robots: Names of the robots that hold the first body, and of those that hold the second.
        axis: In the grasp frame of the first robot of each body, shape (2, 3).
        place: The hinge frames' origin there, shape (2, 3) [m].
        rotation: Axes of the hinge frames there, as columns, shape (2, 3, 3).
        angle: Half the range of the angle between the bodies [rad].
        base: The sums, in the order of `BASE_PARAMETERS`, shape (17,) [kg, kg m, kg m2].
        deviation: Standard deviation of each, shape (17,).
        determined: Which of them the data tell clearly better than their size, shape (17,).
        phi: Two physical bodies that have these sums, in their hinge frames, shape (2, 10): of all
            ways to share mass on the axis one of least norm.
        friction: Dry [N m] and viscous [N m s] friction about the axis, shape (2,).
        windows: Number of windows of forces used.
    """

    robots: tuple[tuple[str, ...], tuple[str, ...]]
    axis: Array
    place: Array
    rotation: Array
    angle: float
    base: Array
    deviation: Array
    determined: Array
    phi: Array
    friction: Array
    windows: int

    def sentences(self) -> list[str]:
        """Return what the bodies weigh, for people."""
        first, second = (", ".join(names) for names in self.robots)
        m, e = self.base[0], self.deviation[0]
        lever = [float(np.hypot(*self.base[k : k + 2])) for k in (3, 10)]
        turn = [(self.base[k], self.deviation[k]) for k in (9, 16)]
        out = [
            f"Both bodies weigh {m:.3g} kg together (standard deviation {e:.2g} kg); the hinge "
            f"turned by up to {np.degrees(self.angle):.1f} degrees."
        ]
        for names, h, (inertia, spread) in zip((first, second), lever, turn, strict=True):
            out.append(
                f"The body held by {names}: mass times distance from the hinge {h:.3g} kg m, "
                f"inertia about the hinge {inertia:.3g} kg m2 (standard deviation {spread:.2g})."
            )
        return out
