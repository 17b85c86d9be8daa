r"""Bodies that contain a body over the whole travel of joints that the arm's model holds still.

Between two neighbouring samples of a joint's position s, D apart, a point p(s) leaves the chord of
its path by at most D^2 / 8 max|p''|; with several joints the parts of each coordinate add up. Where
joints q_i = m_i s + c_i follow one position, |p''| <= a^2 R + 2 a b, a and b the sums of |m_i| over
those that turn and those that slide, R the largest distance of the point from any of their axes.
The hull of the body's corners at all samples, widened by that much, contains the body everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from .convex_body import ConvexBody
from .swept_volume import outline


def travel_hull(
    body: ConvexBody,
    poses: Sequence[tuple[Array, Array]],
    turns: Sequence[float],
    slides: Sequence[float],
    reach: float,
) -> ConvexBody:
    """Return a body that contains another one over a whole travel.

    Args:
        body: The body, in the frame that moves.
        poses: Rotation (3, 3) and translation (3,) [m] of that frame on a grid of positions.
        turns: D a of each coordinate, D the distance of neighbouring positions [rad].
        slides: D b of each coordinate [m].
        reach: Largest distance of the frame's origin from an axis on the way, at any pose [m].
    """
    corners = outline(body) @ body.rotation.T + body.translation
    farthest = reach + float(np.linalg.norm(corners, axis=1).max())
    pairs = zip(turns, slides, strict=True)
    bulge = sum(a * a * farthest + 2.0 * a * b for a, b in pairs) / 8.0
    placed = np.concatenate([corners @ rotation.T + translation for rotation, translation in poses])
    cube = bulge * np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
    return ConvexBody.hull((placed[:, None] + cube).reshape(-1, 3), name=body.name)
