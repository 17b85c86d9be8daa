"""Which motions tell a payload in spite of friction: fast, slow, there and back, or rests at poses.

    ./payload-id python benchmarks/friction_aware.py --arms 4 --first 2000

Each arm (a preset of drives on a description of that kind) makes 20 runs of 10 s with motions of
one kind, each in a session of its own: a third of them bare, of the others only the mass is known.
What its history then says of further runs of the same kind, with other payloads, is printed: errors
of mass, centre of mass and moments of inertia, the calibrated half-width of the mass and how often
it held, and how the criterion `calibrated_widths` had predicted the expected error of the mass,
from the motion alone: the ratio, and the correlation of the logarithms. "Chosen" motions are the
best of 40 by that criterion, for the middle of the payloads that may come. "Pieces" are the pieces
of "there and back" without the way back, as many as there is time for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from calibrated import WINDOW, stated

from arms import arm, draw_payload
from payload_id.core.arm.arm_history import ArmHistory
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.excitation.criteria.calibrated_widths import CalibratedWidths
from payload_id.core.excitation.prediction.candidate_rows import Collected, RowPredictor
from payload_id.core.history import (
    KnownLoad,
    KnownRun,
    calibrated_interval,
    largest_scores,
    learn_history,
)
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.motion_sequence import MotionSequence
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.there_and_back import there_and_back
from payload_id.core.motion.trajectory import Motion, Trajectory, sampled
from payload_id.core.motion.wave import WavePiece
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.simulation.realistic_arm import RealisticArm

ARMS = {"gen3_like": "gen3", "xarm_like": "xarm7", "ur_like": "ur10"}
SECONDS, RATE = 10.0, 100.0
FAST, SLOW = 1.4, 0.3  # [rad/s]; the drives' Stribeck velocity is 0.05
ACCELERATION, EXCURSION = 5.0, 1.5  # [rad/s2], [rad] from where the motion begins
WAVES = 2
REST, HOLD, HELD = 0.2, 0.8, 6  # [s] where the motion turns; [s] at each of so many poses
RUNS, NEW, CHOICE = 20, 12, 40
EXPECTED = from_mass_com_inertia(1.5, [0.0, 0.0, 0.0], 0.005 * np.eye(3))

Make = Callable[[np.random.Generator, np.ndarray], Trajectory]


def within(
    make: Callable[[np.ndarray], Trajectory], n: int, speed: float, rng: np.random.Generator
) -> Trajectory:
    """Return a motion of which each joint takes 60 to 100 % of what the limits leave to it.

    Args:
        make: Makes it of a factor for each joint's excursion.
        n: Number of joints.
        speed: Limit of all joints [rad/s].
        rng: Source of randomness.
    """
    whole = sampled(make(np.ones(n)), 50.0)
    room = np.minimum.reduce(
        [
            EXCURSION / np.abs(whole.q - whole.q[0]).max(axis=0),
            speed / np.abs(whole.dq).max(axis=0),
            ACCELERATION / np.abs(whole.ddq).max(axis=0),
        ]
    )
    return make(room * rng.uniform(0.6, 1.0, n))


def fourier(rng: np.random.Generator, start: np.ndarray, speed: float) -> Trajectory:
    """Return a series of five harmonics."""
    n = len(start)
    free = rng.normal(size=(n, 2, 4))
    return within(
        lambda f: FourierSeries.from_free(start, free * f[:, None, None], SECONDS), n, speed, rng
    )


def wave(rng: np.random.Generator, start: np.ndarray, speed: float, length: float) -> Trajectory:
    """Return a piece with waves, from rest to rest."""
    n, state = len(start), MotionState.at_rest(start)
    k, sizes = rng.uniform(-1.5, 1.5, n), rng.normal(size=(n, WAVES))
    return within(lambda f: WavePiece(state, f * k, f[:, None] * sizes, length), n, speed, rng)


def pieces(
    rng: np.random.Generator, start: np.ndarray, speed: float, count: int, length: float
) -> MotionSequence:
    """Return pieces with waves, one after the other."""
    parts: list[Trajectory] = []
    for _ in range(count):
        parts.append(wave(rng, start, speed, length / count))
        start = parts[-1].at(np.array([length / count])).q[0]
    return MotionSequence(tuple(parts), (length / count,) * count)


def both_ways(rng: np.random.Generator, start: np.ndarray, speed: float, count: int) -> Trajectory:
    """Return pieces with waves, there and back."""
    return there_and_back(pieces(rng, start, speed, count, (SECONDS - REST) / 2), REST)


def poses(rng: np.random.Generator, start: np.ndarray, speed: float) -> Trajectory:
    """Return rests at poses that are visited there and back."""
    n, length = len(start), (SECONDS - HOLD * (HELD - 1)) / HELD
    visited = [start]
    for _ in range(HELD // 2):
        visited.append(visited[-1] + rng.uniform(-1.0, 1.0, n) * speed * length / 2.0)
    visited += visited[-2::-1]
    parts: list[Trajectory] = []
    for here, there in zip(visited[:-1], visited[1:], strict=True):
        parts.append(BezierPiece(MotionState.at_rest(here), there - here, length))
        parts.append(BezierPiece(MotionState.at_rest(there), np.zeros(n), HOLD))
    parts.pop()
    return MotionSequence(tuple(parts), tuple(part.duration for part in parts))


KINDS: dict[str, Make] = {
    "fourier": lambda rng, start: fourier(rng, start, FAST),
    "pieces": lambda rng, start: pieces(rng, start, FAST, 4, SECONDS),
    "there and back": lambda rng, start: both_ways(rng, start, FAST, 2),
    "slow pieces": lambda rng, start: pieces(rng, start, SLOW, 2, SECONDS),
    "slow there and back": lambda rng, start: both_ways(rng, start, SLOW, 1),
    "poses at rest": lambda rng, start: poses(rng, start, FAST),
}
CHOSEN = ("fourier", "there and back")


@dataclass(frozen=True)
class Outcome:
    """Of one new run.

    Attributes:
        preset: Of the drives.
        kind: Of the motions.
        error: Of phi, shape (10,).
        com: Distance of the centre of mass from the true one [m].
        half_width: Of the mass [kg].
        expected: Expected error of the mass as the interval has it [kg].
        predicted: The same as the criterion had it before the run [kg].
    """

    preset: str
    kind: str
    error: np.ndarray
    com: float
    half_width: float
    expected: float
    predicted: float


@dataclass(frozen=True)
class Bench:
    """One arm and motions of one kind.

    Attributes:
        real: The arm.
        rows: Made with its description and what a user could state.
        make: Makes the motions.
        seed: Of the runs.
    """

    real: RealisticArm
    rows: MomentumRows
    make: Make
    seed: int

    def run(self, number: int, phi: np.ndarray, load: KnownLoad, motion: Trajectory) -> KnownRun:
        """Return what a run in a session of its own says."""
        found = self.real.run(sampled(motion, RATE), phi, number, number, rate=RATE)
        return KnownRun.of(f"run {number}", found.samples, load, self.rows, WINDOW)

    def motion(self, number: int, choice: int = 0) -> Trajectory:
        """Return a random motion from the run's own start."""
        start = np.random.default_rng([self.seed, number]).uniform(-1.0, 1.0, self.rows.model.n)
        return self.make(np.random.default_rng([self.seed, number, choice]), start)

    def history(self) -> ArmHistory:
        """Return what runs with known masses say."""
        known = []
        for k in range(RUNS):
            phi = draw_payload(np.random.default_rng([self.seed, k, 99])) if k % 3 else np.zeros(10)
            known.append(self.run(k, phi, KnownLoad.of_mass(float(phi[0])), self.motion(k)))
        return learn_history(known, self.rows, WINDOW)

    def outcome(self, history: ArmHistory, number: int, chosen: bool) -> tuple[np.ndarray, ...]:
        """Identify a new run: error, distance of the centre of mass, half-width, expected, s."""
        model = replace(self.rows.model, history=history)
        rows = replace(self.rows, model=model)
        lower, upper = rows.prior.box()
        predictor = RowPredictor(rows, EXPECTED)
        criterion = CalibratedWidths.of((upper - lower) / 2, predictor)

        def deviation(motion: Trajectory) -> np.ndarray:
            found = predictor.rows(alone(motion), SECONDS)
            return criterion.deviation(found, nothing)[0]

        def value(motion: Trajectory) -> float:
            return float(criterion.value(predictor.rows(alone(motion), SECONDS), nothing)[0])

        nothing = Collected.nothing(predictor.p)
        candidates = [self.motion(number, k) for k in range(CHOICE if chosen else 1)]
        motion = min(candidates, key=value) if chosen else candidates[0]
        phi = draw_payload(np.random.default_rng([self.seed, number, 99]))
        new = self.run(number, phi, KnownLoad.none(), motion)
        found = calibrated_interval(history, new.statistics, new.motion, new.seconds)
        half = (found.upper - found.lower)[0] / 2
        com = np.linalg.norm(found.phi[1:4] / found.phi[0] - phi[1:4] / phi[0])
        expected = half / largest_scores(history, found.level)[0]
        return found.phi - phi, com, half, expected, deviation(motion)[0]


def alone(motion: Trajectory) -> Callable[[np.ndarray], Motion]:
    """Return a motion as the only candidate."""

    def at(instants: np.ndarray) -> Motion:
        found = motion.at(instants)
        return replace(found, q=found.q[None], dq=found.dq[None], ddq=found.ddq[None])

    return at


def trial(seed: int, preset: str, kind: str) -> list[Outcome]:
    """Return the outcomes of one arm's new runs with motions of one kind."""
    model = arm(ARMS[preset])
    rows = MomentumRows.of(model, stated(model, preset))
    bench = Bench(RealisticArm.drawn(model, preset, seed), rows, KINDS[kind], seed)
    history = bench.history()
    found = []
    for chosen in (False, True) if kind in CHOSEN else (False,):
        name = f"{kind}, chosen" if chosen else kind
        for number in range(RUNS, RUNS + NEW):
            found.append(Outcome(preset, name, *bench.outcome(history, number, chosen)))
    return found


def table_of(outcomes: list[Outcome]) -> Table:
    """Return errors and widths of each preset and kind."""
    table = Table(box=None)
    for column in ("preset", "motion", "runs", "mass, rms [kg]", "± [kg]", "held", "CoM [mm]",
                   "inertia [g m²]", "predicted / expected", "correlation"):  # fmt: skip
        table.add_column(column, justify="right", no_wrap=True)
    for preset, kind in dict.fromkeys((each.preset, each.kind) for each in outcomes):
        some = [each for each in outcomes if (each.preset, each.kind) == (preset, kind)]
        error = np.array([each.error for each in some])
        half = np.array([each.half_width for each in some])
        log = np.log([[each.predicted, each.expected] for each in some])
        table.add_row(
            preset,
            kind,
            str(len(some)),
            f"{np.sqrt(np.mean(error[:, 0] ** 2)):.3f}",
            f"{np.median(half):.3f}",
            f"{np.mean(np.abs(error[:, 0]) <= half):.0%}",
            f"{1e3 * np.median([each.com for each in some]):.1f}",
            f"{1e3 * np.median(np.abs(error[:, [4, 7, 9]])):.1f}",
            f"{np.exp(np.median(log[:, 0] - log[:, 1])):.2f}",
            f"{np.corrcoef(log.T)[0, 1]:.2f}",
        )
    return table


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=1, help="number of arms of each preset")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--presets", nargs="+", default=list(ARMS), choices=list(ARMS))
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    given = parser.parse_args()
    outcomes = [
        outcome
        for preset in given.presets
        for kind in given.kinds
        for seed in range(given.first, given.first + given.arms)
        for outcome in trial(seed, preset, kind)
    ]
    Console(width=160).print(table_of(outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
