"""Soundness and speed of the certifier: `./payload-id python benchmarks/certifier.py --trials 100`.

In each random scene (the ground and ten boxes, cylinders, capsules, balls and hulls at arm's reach)
random Fourier motions of 3 s of a Gen3 with a dumbbell known to 15 % are tried until one is
certified. Certified motions are then sampled: time, parameters in the box and tracking errors in
the tube at random, half of them at corners, torques from Pinocchio's regressor and, for one state
in four, distances from coal; no state may go beyond a certified margin.
From each certified motion four unsafe cases are made, each of which must be refused: a velocity and
an acceleration limit that are exceeded between two samples of 20 Hz only, a foil of 0.1 mm in the
payload's way, and a torque limit that the worst corner of the box alone exceeds. Tubes take turns:
the position-controlled one of the robot file, a stated one of the robust controller, and that of a
robust design in steps of 1 ms, with a tenth of the file's friction; a fifth unsafe case makes its
delta 3 % less than the motion needs.
Times are those of the processor, in one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from payload_id.core.arm.kinetics import frames
from payload_id.core.control.robust_design import design_for
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory, sampled
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify, start_refusal
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.certificate.sampled_check import sample_torques, sampled_margins
from payload_id.core.safety.certificate.sampled_states import sample_states
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.margins.margin import CONSTRAINTS, Refusal
from payload_id.core.safety.torque.arm_dynamics import ArmDynamics
from payload_id.core.safety.torque.torque_change import torque_change
from payload_id.core.safety.tube.sampling_reserve import Sampling
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.core.threads import one_thread
from safety_scenes import arm_named, gen3_case, motion, obstacles, rotation

CANDIDATES = 16  # random motions in a scene before it is given up
TOUCH = 1e-6  # [m, or part of the limit] precision of coal
UNSAFE = ("velocity between samples", "acceleration between samples", "foil", "torque at a corner",
          "change of torque")  # fmt: skip
GAIN, LATE = 5.0, Sampling(1e-3)  # K_r [1/s] of the robust design, and how late torques are
ROOM = 1.5  # of it, for other motions than that which it is made for [-]


@dataclass
class Tally:
    """What is counted."""

    certified: int = 0
    tried: int = 0
    accepted_time: list[float] = field(default_factory=list)
    refused_time: list[float] = field(default_factory=list)
    states: int = 0
    violations: list[str] = field(default_factory=list)
    slack: dict[str, float] = field(default_factory=dict)
    unsafe: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in UNSAFE})


def scene(seed: int, robot: str) -> SafetyCase:
    """Return a random scene in which the start pose is free."""
    rng = np.random.default_rng([seed, 1])
    start = MotionState.at_rest(arm_named(robot)[0].home)
    around: list[ConvexBody] = []
    case = gen3_case((), robot)
    n = case.model.n
    if seed % 3 == 1:
        tube = TrackingTube.passivity_based(1e-3, np.full(n, 10.0), np.full(n, 2.0))
        case = replace(case, tube=tube)
    if seed % 3 == 2:
        case = in_steps(case, robot)
    for k in range(11):
        while True:
            body = replace(obstacles(rng)[k], name=f"obstacle {k}")
            candidate = replace(case, obstacles=(*around, body))
            if start_refusal(candidate, start) is None:
                break
        around.append(body)
    return replace(case, obstacles=tuple(around))


def in_steps(case: SafetyCase, robot: str) -> SafetyCase:
    """Return a case of a robust design, with the rotors that its torques accelerate."""
    low, high = arm_named(robot)[0].control.rotor_interval()
    friction = {f"{x}_upper": 0.1 * getattr(case.box, f"{x}_upper") for x in ("coulomb", "viscous")}
    box = replace(case.box, rotor_inertia_lower=low, rotor_inertia_upper=high, **friction)
    path = motion(arm_named(robot)[0].home, np.random.default_rng(0), 0.32, 1.2)
    made = design_for(ArmDynamics(case.model, box), [path], GAIN, LATE, room=ROOM)
    return replace(case, box=box, tube=made)


def find(case: SafetyCase, seed: int, robot: str, tally: Tally) -> Trajectory | None:
    """Return a certified random motion; count what it took."""
    home = arm_named(robot)[0].home
    certify(case, motion(home, np.random.default_rng(0)))  # prepares the scene, once for all
    for k in range(CANDIDATES):
        scale = (1.0, 0.6, 0.4, 0.25)[k % 4]
        path = motion(home, np.random.default_rng([seed, 2, k]), 0.8 * scale, 3.0 * scale)
        begin = time.process_time()
        outcome = certify(case, path)
        spent = time.process_time() - begin
        tally.tried += 1
        (tally.accepted_time if isinstance(outcome, Certificate) else tally.refused_time).append(
            spent
        )
        if isinstance(outcome, Certificate):
            return path
    return None


def attack(case: SafetyCase, path: Trajectory, seed: int, samples: int, tally: Tally) -> None:
    """Sample a certified motion and count states beyond a margin."""
    outcome = certify(case, path)
    found = sampled_margins(case, path, samples, seed)
    tally.states += samples
    for margin in outcome.margins:
        slack = found[margin.constraint] - margin.left
        name = margin.constraint
        tally.slack[name] = min(tally.slack.get(name, np.inf), slack)
        if slack < -TOUCH:
            tally.violations.append(f"scene {seed}: {margin}, sampled {found[name]:.6g}")


def unsafe_cases(case: SafetyCase, path: Trajectory, seed: int) -> dict[str, SafetyCase]:
    """Return cases in which the motion is unsafe, by `UNSAFE`."""
    found = {}
    for name, letter in (("velocity", "dq"), ("acceleration", "ddq")):
        fine = np.abs(getattr(sampled(path, 2000.0), letter)).max(axis=0)
        coarse = np.abs(getattr(sampled(path, 20.0), letter)).max(axis=0)
        joint = int(np.argmax(fine - coarse))
        limit = np.full(case.model.n, 100.0)
        limit[joint] = 0.9 * fine[joint] + 0.1 * coarse[joint]
        limits = replace(case.limits, **{name: limit})
        exact = TrackingTube.exact(case.model.n)
        found[f"{name} between samples"] = replace(case, limits=limits, tube=exact)
    found["foil"] = replace(case, obstacles=(*case.obstacles, foil(case, path, seed)))
    found["torque at a corner"] = replace(case, limits=tight_torque(case, path, seed))
    if case.tube.reserve is not None:
        found["change of torque"] = replace(case, tube=hasty(case, path))
    return found


def hasty(case: SafetyCase, path: Trajectory) -> TrackingTube:
    """Return the tube of a design whose delta is less than the motion needs at one joint."""
    design = case.tube.reserve
    bound = torque_change(case.model, case.box, path, case.tube, LATE)
    needed = bound(design.fastest)
    joint = int(np.argmax(needed / design.change))
    change = design.change.copy()
    change[joint] = 0.97 * needed[joint]
    return replace(case.tube, reserve=replace(design, change=change))


def foil(case: SafetyCase, path: Trajectory, seed: int) -> ConvexBody:
    """Return a thin plate that the payload passes where it is fast, between two samples."""
    rng = np.random.default_rng([seed, 3])
    fine = np.linspace(0.05, path.duration - 0.05, 2000)
    R, o = frames(case.model, path.at(fine).q)
    centre = o[:, -1] + R[:, -1] @ np.array([0.0, 0.0, 0.08])
    speed = np.linalg.norm(np.gradient(centre, fine, axis=0), axis=1)
    k = int(rng.choice(np.argsort(speed)[-400:]))
    normal = np.gradient(centre, fine, axis=0)[k] / speed[k]
    axes = np.linalg.qr(np.column_stack([normal, rotation(rng)[:, :2]]))[0]
    axes *= np.sign(np.linalg.det(axes))
    return ConvexBody.primitive("box", (1e-4, 0.01, 0.01), axes, centre[k], "foil")


def tight_torque(case: SafetyCase, path: Trajectory, seed: int) -> MotionLimits:
    """Return torque limits just below the largest of many sampled torques of one joint."""
    rng = np.random.default_rng([seed, 4])
    states = sample_states(case, path, 400, rng)
    torque = np.abs(sample_torques(case, states, rng))
    joint = int(np.argmax(torque.max(axis=0) / case.limits.torque))
    limit = case.limits.torque.copy()
    limit[joint] = 0.999 * torque[:, joint].max()
    return replace(case.limits, torque=limit)


def run(arguments: argparse.Namespace) -> Tally:
    """Return the tally over all scenes."""
    tally = Tally()
    for seed in range(arguments.seed, arguments.seed + arguments.trials):
        case = scene(seed, arguments.robot)
        path = find(case, seed, arguments.robot, tally)
        if path is None:
            continue
        tally.certified += 1
        attack(case, path, seed, arguments.states // arguments.trials, tally)
        for name, unsafe in unsafe_cases(case, path, seed).items():
            outcome = certify(unsafe, path)
            kind = outcome.constraint if isinstance(outcome, Refusal) else "CERTIFIED"
            tally.unsafe[name].append(kind)
    return tally


def report(tally: Tally, trials: int) -> None:
    """Print the tables."""
    out = Console(width=110)
    out.print(f"{tally.certified} of {trials} scenes with a certified motion, {tally.tried} tried")
    table = Table(title="Time of one certification [s]")
    for head in ("outcome", "count", "median", "95 %", "largest"):
        table.add_column(head)
    for name, times in (("certified", tally.accepted_time), ("refused", tally.refused_time)):
        if times:
            numbers = (np.median(times), np.quantile(times, 0.95), np.max(times))
            table.add_row(name, str(len(times)), *(f"{x:.3f}" for x in numbers))
    out.print(table)
    table = Table(title=f"{tally.states} sampled states, {len(tally.violations)} beyond a margin")
    table.add_column("constraint")
    table.add_column("least (sampled - certified) [part of the limit, or m]")
    for name in CONSTRAINTS:
        if name in tally.slack:
            table.add_row(name, f"{tally.slack[name]:.2e}")
    out.print(table)
    for violation in tally.violations:
        out.print(f"VIOLATION {violation}")
    table = Table(title="Unsafe cases")
    for head in ("kind", "refused", "of", "named constraints"):
        table.add_column(head)
    for name, outcomes in tally.unsafe.items():
        refused = [kind for kind in outcomes if kind != "CERTIFIED"]
        named = ", ".join(sorted(set(refused)))
        table.add_row(name, str(len(refused)), str(len(outcomes)), named)
    out.print(table)


def main() -> int:
    """Run the campaign; 1 if anything unsound was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100, help="scenes")
    parser.add_argument("--states", type=int, default=100_000, help="sampled states in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--robot", default="kinova_gen3", help="kinova_gen3, kinova_gen3_2f85")
    arguments = parser.parse_args()
    with one_thread():
        tally = run(arguments)
    report(tally, arguments.trials)
    certified = [kind for kinds in tally.unsafe.values() for kind in kinds if kind == "CERTIFIED"]
    return 1 if tally.violations or certified else 0


if __name__ == "__main__":
    sys.exit(main())
