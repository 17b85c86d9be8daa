"""Exciting pieces against random ones for five dumbbells: Table V and figures 6 to 10 of [ZZV].

A Gen3 with its gripper holds a dumbbell of 4 to 8 lb. Four pieces of 3 s, each left after 1.5 s but
for the last, are planned in receding horizon from what Table I says on and certified with the
paper's tube; what the exact data of the pieces so far leave of the payload is the next one's box.
The same is done with pieces drawn at random until one is certified. Families are equal: "paper" has
the displacements of the paper's code, "bezier" the same pieces as wide as limits allow; "wave" with
the criterion of this package stands beside them. Rows have the paper's bounds (2.5 % torque, 5 %
links); compared are the condition number of Y, of the last link's parameters about its joint as in
the paper, and the half-widths of the exact hull.

    ./payload-id python benchmarks/papers/zzv_table5.py --trials 3
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from zzv_conditions import ARM, POUNDS, dumbbell
from zzv_pieces import PIECES, Piece, Way, exact_hull, pieces_of

from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS, change_of_frame
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.threads import one_thread

PAPER = {4: (274.030, 479.573), 5: (282.840, 418.078), 6: (250.704, 373.448),
         7: (258.517, 312.352), 8: (233.539, 413.381)}  # fmt: skip  # ours, random of Table V
RANDOM = {"paper": Way("paper", ""), "bezier": Way("bezier", "")}
PLANNED = (
    Way("paper", "condition_number"),
    Way("paper", "half_widths"),
    Way("bezier", "condition_number"),
    Way("bezier", "half_widths"),
    Way("wave", "half_widths"),
)
GROUND = (ConvexBody.ground(-0.005),)


def run(pounds: float, way: Way, seed: int) -> tuple[float, Array, float] | None:
    """Return condition number, half-widths and longest planning time; None: too few pieces."""
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


def main() -> None:
    """Run all dumbbells and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=3, help="runs for each dumbbell and method")
    parser.add_argument("--pounds", type=int, nargs="+", default=list(POUNDS))
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    ways = (*RANDOM.values(), *PLANNED)
    found: dict[tuple[int, Way], list[tuple[float, Array, float]]] = {}
    console = Console(width=150)
    for pounds in track(chosen.pounds, console=console, transient=True):
        for way in ways:
            seeds = [chosen.seed + 100 * trial + pounds for trial in range(chosen.trials)]
            with one_thread():
                tried = [run(pounds, way, seed) for seed in seeds]
            found[pounds, way] = [x for x in tried if x is not None]
    table = Table("pieces", "criterion", *(f"{x} lb" for x in chosen.pounds), "cond ratio",
                  "half-widths", "plan", "short", title="cond(Y), mean")  # fmt: skip
    widths = Table("pieces", "criterion", *PARAMETERS, title="half-widths of the hull, median")
    for way in ways:
        runs = [found[pounds, way] for pounds in chosen.pounds]
        base = RANDOM.get(way.family, RANDOM["bezier"])
        cells, conditions, smaller = [], [], []
        for pounds, mine in zip(chosen.pounds, runs, strict=True):
            cells.append(f"{np.mean([x[0] for x in mine]):.1f}" if mine else "-")
            other = found[pounds, base]
            if mine and other:
                both = [(np.mean([x[0] for x in of]), *np.median([x[1] for x in of], axis=0))
                        for of in (mine, other)]  # fmt: skip
                ratio = np.array(both[0]) / np.array(both[1])
                conditions.append(ratio[0])
                smaller.append(np.exp(np.mean(np.log(ratio[1:]))))
        every = [x for mine in runs for x in mine]
        short = chosen.trials * len(chosen.pounds) - len(every)
        name = way.criterion or "random"
        if not every:
            table.add_row(way.family, name, *cells, "-", "-", "-", str(short))
            continue
        table.add_row(way.family, name, *cells, f"{np.mean(conditions):.2f}",
                      f"{np.exp(np.mean(np.log(smaller))):.2f}",
                      f"{max(x[2] for x in every):.2f} s", str(short))  # fmt: skip
        median = np.median([x[1] for x in every], axis=0)
        widths.add_row(way.family, name, *(f"{value:.2g}" for value in median))
    printed = np.array([PAPER[x] for x in chosen.pounds])
    for k, name in enumerate(("random", "condition_number")):
        row = printed[:, 1 - k]
        ratio = (row / printed[:, 1]).mean()
        cells = [f"{x:.0f}" for x in row]
        table.add_row("printed", name, *cells, f"{ratio:.2f}", "", "", "")
    console.print(table, widths)
    console.print("Ratios: to random pieces of the same family; of wave: to those of bezier.")


if __name__ == "__main__":
    main()
