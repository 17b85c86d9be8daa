"""The hull beside the bound of [ZZV, Theorem 13], in the setting of its public implementation.

A Gen3 with a 2F-85 gripper holds 1.8 kg; the last link's total (link, gripper and payload) is what
is unknown, the other links are known to 5 %, torques to 2.5 %, recorded for 7.5 s at 4 kHz and
integrated over h = 400 intervals. Errors inside these bounds are

    random      new at every sample, links anywhere in their boxes
    gains       a wrong gain of each joint, links anywhere in their boxes
    worst       torque errors at every sample and links as they move one parameter of the
                least-squares solution farthest, up and down: 20 runs for each motion
    no payload  gains at 2.5 % and links at 5 %, where nothing is in the hand and the last link is
                known to 5 % as well: the edge of physical consistency

`hull` must contain the truth in all of them; `sensitivity` is a derivative at the optimum and need
not. The table gives the runs in which every interval holds the truth, the largest error in
half-widths, and half-widths: least and largest over the runs, and the mean ratio hull over
sensitivity for each parameter. The last table tells how small all errors and boxes would have to be
for the theorem as printed, with its derivative over the whole box, to say anything
(`sensitivity_enclosed`).

    ./payload-id python benchmarks/reference_bound.py --motions 4
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.linalg
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Motion, Run, adversary, noise, perturbed_links, record
from payload_id import RobotFile
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import (
    PARAMETERS,
    PSEUDO_INERTIA_BASIS,
    UNITS,
    change_of_frame,
    from_mass_com_inertia,
    pseudo_inertia,
)
from payload_id.core.bounds import Memory, method_named
from payload_id.core.bounds.least_squares_image import image
from payload_id.core.bounds.theorem_13_enclosed import growth, least_squares, moves
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.problem import Problem
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.threads import one_thread

STATED = Uncertainty(torque_relative=0.025, link_relative=0.05)
PAYLOAD = from_mass_com_inertia(1.8, [0.01, -0.02, 0.17], np.diag([4e-3, 4.5e-3, 2.5e-3]))
RATE, SECONDS, WINDOW = 4000.0, 7.5, 0.1  # [Hz], [s], [s]: h = 400
KINDS = ("random", "gains", "worst", "no payload")
METHODS = ("hull", "sensitivity")


@dataclass(frozen=True)
class Result:
    """What the methods made of one run.

    Attributes:
        kind: One of `KINDS`.
        half_width: Of `METHODS`, shape (2, 10).
        error: Distance of the truth from the interval's middle in half-widths, shape (2, 10).
        growth: Part of the stated errors up to which the printed theorem has a value: proven about
            the measured m; proven, and refuted, about the m of the true payload; shape (3,).
    """

    kind: str
    half_width: Array
    error: Array
    growth: Array


def described(gripper: str) -> ArmModel:
    """Return the arm with or without gripper, the flange being the payload's frame."""
    robot = RobotFile.load("kinova_gen3")
    if gripper != "none":
        robot = RobotFile.load("kinova_gen3_2f85")
    return ArmModel.from_xml(robot.urdf, "end_effector_link", robot.joints)


def without_last_link(model: ArmModel) -> tuple[ArmModel, Array]:
    """Return the arm whose last link counts as payload, and that link's parameters, (10,)."""
    links = model.link_phi.copy()
    to_joint = change_of_frame(model.payload_rotation, model.payload_translation)
    last = np.linalg.solve(to_joint, links[model.payload_joint])
    links[model.payload_joint] = 0.0
    return replace(model, link_phi=links), last


def runs(seed: int, repeats: int) -> Iterator[tuple[str, Run]]:
    """Return the runs of one motion."""
    whole = described("robotiq_2f_85")
    model, last = without_last_link(whole)
    rng = np.random.default_rng(seed)
    motion = Motion.draw(model, rng, period=SECONDS)
    for kind in ("random", "gains"):
        for _ in range(repeats):
            links = perturbed_links(model, rng, STATED.link_relative)
            run = recorded(model, motion, last + PAYLOAD, links)
            yield kind, with_noise(run, kind, rng)
    exact = recorded(model, motion, last + PAYLOAD, model.link_phi)
    for k in range(10):
        for sign in (-1.0, 1.0):
            u, links = adversary(exact, STATED, k, sign, WINDOW)
            run = recorded(model, motion, last + PAYLOAD, links)
            yield "worst", run.measured(STATED, u)
    for _ in range(repeats):
        signs = rng.choice([-1.0, 1.0], whole.link_phi.shape)
        links = whole.link_phi * (1.0 + STATED.link_relative * signs)
        run = recorded(whole, motion, np.zeros(10), links)
        yield "no payload", with_noise(run, "extreme gains", rng)


def recorded(model: ArmModel, motion: Motion, phi: Array, links: Array) -> Run:
    """Return a run without torque errors."""
    return record(model, 0, phi, SECONDS, RATE, links, motion=motion)


def with_noise(run: Run, kind: str, rng: np.random.Generator) -> Run:
    """Return a run with torque errors: new at every sample, or a gain of each joint."""
    shape = run.true.tau.shape
    if kind == "random":
        return run.measured(STATED, noise(rng, shape, "uniform"))
    gain = rng.uniform(-1.0, 1.0, shape[1])
    if kind == "extreme gains":
        gain = np.sign(gain)
    return run.measured(STATED, gain * np.sign(run.true.tau))


def result(kind: str, run: Run) -> Result:
    """Return what both methods make of a run."""
    online = OnlineIdentifier(run.model, Settings(STATED, window=WINDOW))
    online.add(run.samples)
    problem = online.problem()
    with one_thread():
        found = [
            method_named(name).bounds(problem.rows, problem.prior, Memory(), problem.shape)
            for name in METHODS
        ]
    if not all(bounds.consistent for bounds in found):
        raise RuntimeError(f"A run of kind '{kind}' keeps its bounds, and is INCONSISTENT.")
    half_width = np.array([bounds.interval.half_width for bounds in found])
    middle = np.array([(b.interval.lower + b.interval.upper) / 2 for b in found])
    error = np.abs(run.phi - middle) / half_width
    return Result(kind, half_width, error, growth_of(problem, run.phi))


def growth_of(problem: Problem, phi: Array) -> Array:
    """Return the three factors of `Result.growth`."""
    rows, prior = problem.rows, problem.prior
    L = least_squares(rows.A, prior)
    if L is None:
        return np.zeros(3)
    errors = moves(L, rows, image(rows, prior).intersect(prior))
    return np.array([growth(L @ rows.b, errors), growth(phi, errors), refuted(phi, errors)])


def refuted(phi: Array, errors: Array) -> float:
    """Return a factor on the errors with which some of them leave no minimiser, shape of `growth`.

    The worst signs for a direction v of J, and the v that they move farthest, in turn.
    """
    J, shifts = pseudo_inertia(phi), np.tensordot(errors, PSEUDO_INERTIA_BASIS, axes=1)
    if np.linalg.eigvalsh(J)[0] <= 0.0:
        return 0.0
    largest = 0.0
    for v in np.random.default_rng(0).normal(size=(20, 4)):
        for _ in range(20):
            signs = np.sign(np.einsum("a,kab,b->k", v, shifts, v))
            values, axes = scipy.linalg.eigh(np.tensordot(signs, shifts, axes=1), J)
            v = axes[:, -1]
        largest = max(largest, values[-1])
    return float(1.0 / largest)


def table_of_containment(results: Sequence[Result]) -> Table:
    """Return how often the truth is inside."""
    table = Table("errors", title="All ten intervals hold the truth")
    for name in METHODS:
        table.add_column(f"{name}", justify="right")
        table.add_column("largest error\n[half-widths]", justify="right")
    for kind in KINDS:
        some = [r for r in results if r.kind == kind]
        cells = [kind]
        for number in range(len(METHODS)):
            errors = np.array([r.error[number].max() for r in some])
            cells += [f"{int((errors <= 1.0).sum())} of {len(some)}", f"{errors.max():.3g}"]
        table.add_row(*cells)
    return table


def table_of_widths(results: Sequence[Result]) -> Table:
    """Return half-widths of the runs with payload."""
    loaded = [r for r in results if r.kind != "no payload"]
    widths = np.array([r.half_width for r in loaded])
    ratio = widths[:, 0] / widths[:, 1]
    table = Table("", "unit", title=f"Half-widths, {len(loaded)} runs with payload")
    for name in (*METHODS, "mean ratio", "largest ratio"):
        table.add_column(name, justify="right")
    for k, (name, unit) in enumerate(zip(PARAMETERS, UNITS, strict=True)):
        spans = [
            f"{widths[:, number, k].min():.2g} - {widths[:, number, k].max():.2g}"
            for number in range(len(METHODS))
        ]
        table.add_row(name, unit, *spans, f"{ratio[:, k].mean():.2g}", f"{ratio[:, k].max():.2g}")
    table.add_row("mean", "", "", "", f"{ratio.mean():.2g}", f"{ratio.max():.2g}")
    return table


def table_of_growth(results: Sequence[Result]) -> Table:
    """Return the part of the stated errors for which (27) of [ZZV] has a value as printed."""
    table = Table("errors", title="Printed theorem: factor on all stated bounds, least - largest")
    for name in ("proven about\nthe measured m", "proven about\nthe true m", "refuted there"):
        table.add_column(name, justify="right")
    for kind in KINDS:
        some = np.array([r.growth for r in results if r.kind == kind])
        table.add_row(kind, *(f"{x.min():.2g} - {x.max():.2g}" for x in some.T))
    return table


def main() -> int:
    """Measure and print; return 0 if the hull holds every truth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--motions", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each kind and motion")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    results = [
        result(kind, run)
        for seed in range(given.seed, given.seed + given.motions)
        for kind, run in runs(seed, given.repeats)
    ]
    console = Console(width=100)
    console.print(table_of_containment(results), table_of_widths(results))
    console.print(table_of_growth(results))
    return int(any(r.error[0].max() > 1.0 for r in results))


if __name__ == "__main__":
    sys.exit(main())
