"""Exciting pieces against random ones for five dumbbells: Table V and figures 6 to 10 of [ZZV].

A Gen3 with its gripper holds a dumbbell of 4 to 8 lb. Four pieces of 3 s, each left after 1.5 s but
for the last, are planned in receding horizon from what Table I says on and certified with the
paper's tube; what the exact data of the pieces so far leave of the payload is the next one's box.
The same is done with pieces drawn at random until one is certified. Families are equal: "paper" has
the displacements of the paper's code, "bezier" the same pieces as wide as limits allow; "wave" with
the criterion of this package stands beside them. Rows have the paper's bounds (2.5 % torque, 5 %
links); compared are the condition number of Y, of the last link's parameters about its joint as in
the paper, and the half-widths of the exact hull.

    ./payload-id python benchmarks/zzv_table5.py --trials 3
"""

from __future__ import annotations

from itertools import product

import numpy as np
from bench import options, show, tell
from zzv_conditions import ARM, POUNDS, dumbbell
from zzv_pieces import PIECES, Piece, Way, exact_hull, pieces_of

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS, change_of_frame
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.threads import one_thread

PAPER = {4: (274.030, 479.573), 5: (282.840, 418.078), 6: (250.704, 373.448),
         7: (258.517, 312.352), 8: (233.539, 413.381)}  # fmt: skip  # ours, random of Table V
RANDOM = {"paper": Way("paper", ""), "bezier": Way("bezier", "")}
WAYS = (
    *RANDOM.values(),
    Way("paper", "condition_number"),
    Way("paper", "half_widths"),
    Way("bezier", "condition_number"),
    Way("bezier", "half_widths"),
    Way("wave", "half_widths"),
)
GROUND = (ConvexBody.ground(-0.005),)
Run = tuple[float, Array, float]  # condition number, half-widths and longest planning time [s]


def run(pounds: float, way: Way, seed: int) -> Run | None:
    """Return what comes of the pieces for one dumbbell; None: too few of them."""
    phi = dumbbell(pounds)

    def learn(pieces: list[Piece]) -> tuple[Array, Array]:
        found = exact_hull(pieces, phi)
        return found.lower, found.upper

    found = pieces_of(pounds, GROUND, way, learn, seed)
    if len(found) < PIECES:
        return None
    move = change_of_frame(ARM.payload_rotation, ARM.payload_translation)
    Y = np.concatenate([piece.rows.A[0] for piece in found]) @ np.linalg.inv(move)
    seconds = max(piece.seconds for piece in found)
    return float(np.linalg.cond(Y)), exact_hull(found, phi).half_width, seconds


def compared(mine: list[Run], other: list[Run]) -> tuple[float, float]:
    """Return the ratios of condition numbers and of half-widths (geometric mean)."""
    if not mine or not other:
        return np.nan, np.nan
    cond = [np.mean([x[0] for x in of]) for of in (mine, other)]
    half = [np.median([x[1] for x in of], axis=0) for of in (mine, other)]
    return cond[0] / cond[1], float(np.exp(np.mean(np.log(half[0] / half[1]))))


def main() -> None:
    """Run all dumbbells and print the tables."""
    given = options(trials=3, pounds=POUNDS, seed=0)
    found: dict[tuple[int, Way], list[Run]] = {}
    for pounds, way in product(given.pounds, WAYS):
        seeds = [given.seed + 100 * trial + pounds for trial in range(given.trials)]
        with one_thread():
            tried = [run(pounds, way, seed) for seed in seeds]
        found[pounds, way] = [x for x in tried if x is not None]
    conditions, widths = [], []
    for way in WAYS:
        base = RANDOM.get(way.family, RANDOM["bezier"])
        runs = [found[pounds, way] for pounds in given.pounds]
        every, name = [x for mine in runs for x in mine], way.criterion or "random"
        cells = [f"{np.mean([x[0] for x in mine]):.1f}" if mine else "-" for mine in runs]
        ratios = np.array([compared(found[x, way], found[x, base]) for x in given.pounds])
        ratios = ratios[np.isfinite(ratios[:, 0])].reshape(-1, 2)
        said = ["-", "-", "-"]
        if every:
            said = [f"{ratios[:, 0].mean():.2f}", f"{np.exp(np.log(ratios[:, 1]).mean()):.2f}",
                    f"{max(x[2] for x in every):.2f} s"]  # fmt: skip
            median = np.median([x[1] for x in every], axis=0)
            widths.append((way.family, name, *(f"{value:.2g}" for value in median)))
        short = given.trials * len(given.pounds) - len(every)
        conditions.append((way.family, name, *cells, *said, short))
    printed = np.array([PAPER[x] for x in given.pounds])
    for name, row in (("random", printed[:, 1]), ("condition_number", printed[:, 0])):
        ratio = (row / printed[:, 1]).mean()
        cells = [*(f"{x:.0f}" for x in row), f"{ratio:.2f}"]
        conditions.append(("printed", name, *cells, "", "", ""))
    show("cond(Y), mean", ("pieces", "criterion", *(f"{x} lb" for x in given.pounds), "cond ratio",
         "half-widths", "plan", "short"), conditions)  # fmt: skip
    show("half-widths of the hull, median", ("pieces", "criterion", *PARAMETERS), widths)
    tell("Ratios: to random pieces of the same family; of wave: to those of bezier.")


if __name__ == "__main__":
    main()
