"""Whether the bodies of a link can be in metres: a proof about bodies of another size is none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.errors import ModelError
from ...core.safety.clearance.convex_body import ConvexBody

FAR = 30.0  # [m] from its link's frame, where no body of an arm is
DENSEST = 25e3  # [kg/m3], above the densest of metals, osmium


def check_sizes(link: str, mass: float, bodies: Sequence[ConvexBody]) -> None:
    """Raise unless the bodies of a link are near it, and large enough for its mass.

    Args:
        link: Its name.
        mass: Its mass [kg].
        bodies: All of them, in its frame.

    Raises:
        ModelError: They are not; says what their unit may be.
    """
    for body in bodies:
        away = np.abs(body.translation).max() + np.abs(body.half).max() + body.disc + body.radius
        if away > FAR:
            raise ModelError(
                f"A body of link '{link}' reaches {away:.3g} m from the link's own frame. Give "
                "sizes and <origin> in metres, and a mesh in millimetres a scale of 0.001."
            )
    volume = sum(float(body.coal().computeVolume()) for body in bodies)
    if bodies and mass > DENSEST * volume:
        raise ModelError(
            f"The bodies of link '{link}' hold {1e6 * volume:.3g} cm3 together, too little for "
            f"its mass of {mass:.3g} kg: no metal is as dense. Give sizes in metres (a mesh that "
            "is in metres needs no scale), or bodies that contain the whole link."
        )
