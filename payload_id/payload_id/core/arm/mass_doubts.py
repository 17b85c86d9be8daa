"""What speaks against the masses of a description: their unit, or that they are placeholders.

Nothing is known of an arm's weight but its description. What is looked at holds of every arm that
is one: 60 public descriptions of arms, legs and hands have 1.3 to 250 kg of moving mass by the cube
of their stretched length [m3], and radii of gyration of at most 0.65 of that length.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..body.inertial import mass_com_inertia
from .arm_model import ArmModel

# [kg/m3]: between what those arms have, and a thousandth or a thousand times as much.
LIGHTEST, HEAVIEST = 0.5, 1000.0
SHORTEST = 0.3  # [m]: shorter mechanisms, such as wrists and platforms, have bodies as large
ALIKE = 4  # bodies of exactly the same mass; up to three may be the same part


def mass_doubts(model: ArmModel) -> Iterator[str]:
    """Give what speaks against the masses and inertias of an arm, sentences without remedy."""
    mass = model.link_phi[:, 0]
    length, total = model.length, float(mass.sum())
    if not total > 0.0 or not length > 0.0:
        return
    least, most = LIGHTEST * length**3, HEAVIEST * max(length, SHORTEST) ** 3
    if not least <= total <= most:
        yield (
            f"The links of the description weigh {total:.3g} kg together, which no arm of "
            f"{length:.2g} m does (it has {least:.2g} to {most:.2g} kg): masses may be in g or t."
        )
    same = [k for k in range(model.n) if mass[k] > 0.0 and (mass == mass[k]).sum() >= ALIKE]
    if same:
        names = ", ".join(model.joints[k] for k in same)
        yield (
            f"What the joints {names} move has exactly the same mass, {mass[same[0]]:.3g} kg each, "
            "as placeholders have."
        )
    for joint, phi in zip(model.joints, model.link_phi, strict=True):
        if phi[0] > 0.0:
            radius = float(np.sqrt(max(np.trace(mass_com_inertia(phi)[2]), 0.0) / (2.0 * phi[0])))
            if radius > max(length, SHORTEST):
                yield (
                    f"What joint '{joint}' moves has moments of inertia as if its mass were "
                    f"{radius:.2g} m from its centre, in an arm of {length:.2g} m: they may be in "
                    "another unit than kg m2, or placeholders."
                )
