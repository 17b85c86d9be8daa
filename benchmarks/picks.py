"""Picks and releases in ordinary motion: are they told, how soon, and what is known of the payload?

Arms whose links, friction, gains and offsets are anywhere within their stated bounds go from pose
to pose in 3 to 5 s (quintic), rest between, take up payloads of 0.1 to 3 kg at the start of a move
(the load comes within 0.1 s), carry them for one or two moves, and put them down at rest, or lose
one of ten under way. Friction of a joint at rest is anything within its bound. `--empty` minutes of
motion without payload have forces of 5 to 40 N on a body of the arm, for 0.3 to 2 s each.
`--gripper`: one closes 0.2 s before the load comes, holds still from 0.1 s before it, and opens as
the load goes; delays of picks count from when it closes.

    ./payload-id python benchmarks/picks.py --picks 50 --empty 10 --arms panda xarm7
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import ARMS, Joints, arm, joint_torques, measured, noise, of_point_masses, perturbed_links
from payload_id import OnlineIdentifier, Settings, Status, Uncertainty
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.arrays import Array
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.identification.hand_watch import DECIDED, HandWatch
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.samples.joint_samples import Samples

RATE, RAMP, REST = 250.0, 0.1, 0.6  # [Hz], [s] in which the load comes, [s] between moves
WINDOW = 0.05  # [s], as the estimator has them hands-free at this rate
CLOSED, STILL = 0.2, 0.1  # [s] before the load comes that a gripper has closed, and holds still
PICKS = 5  # in one scene
PRIOR = PayloadPrior(5.0, 0.3)
BOUNDS = {
    "sensors": Uncertainty(torque_relative=0.01, torque_absolute=0.1, torque_gain=0.01,
                           torque_offset=0.5, link_relative=0.05, prior=PRIOR),
    "friction": Uncertainty(torque_relative=0.02, torque_absolute=0.5, torque_offset=0.5,
                            link_relative=0.05, friction_coulomb=1.5, friction_viscous=1.0,
                            rotor_inertia=0.05, prior=PRIOR),
}  # fmt: skip


@dataclass(frozen=True)
class Held:
    """A payload, shape (10,), and when it comes and goes [s]."""

    phi: Array
    since: float
    until: float


@dataclass(frozen=True)
class Scene:
    """What is measured, and the truth: payloads, contacts as pairs of times, moves likewise [s]."""

    samples: Samples
    held: tuple[Held, ...]
    contacts: tuple[tuple[float, float], ...]
    moves: tuple[tuple[float, float], ...]

    def at(self, t: float) -> Array:
        """Return the payload at a time, shape (10,)."""
        return next((x.phi for x in self.held if x.since <= t < x.until), np.zeros(10))

    def gripped(self, t: float) -> bool:
        """Return whether a gripper holds something at a time."""
        return any(x.since - STILL <= t < x.until for x in self.held)


def quintic(
    rng: np.random.Generator, n: int, count: int
) -> tuple[list[tuple[float, float]], Array]:
    """Return when moves begin and end, and positions, velocities, accelerations, (3, N, n)."""
    q, t, moves, parts = rng.uniform(-1.0, 1.0, n), 0.0, [], []
    for _ in range(count):
        goal, length = rng.uniform(-1.0, 1.0, n), rng.integers(750, 1250) / RATE
        s = np.arange(round(length * RATE))[:, None] / RATE / length
        way = (goal - q) * [10 * s**3 - 15 * s**4 + 6 * s**5,
                            30 * (s**2 - 2 * s**3 + s**4) / length,
                            60 * (s - 3 * s**2 + 2 * s**3) / length**2]  # fmt: skip
        way[0] += q
        still = np.zeros((3, round(REST * RATE), n))
        still[0] = goal
        parts += [way, still]
        moves.append((t, t + length))
        t, q = t + length + REST, goal
    return moves, np.concatenate(parts, axis=1)


def scene(name: str, bounds: Uncertainty, seed: int, picks: int, contacts: bool) -> Scene:
    """Draw an arm and what it does; with contacts in place of picks, 3 moves for each."""
    rng, model = np.random.default_rng([seed, 59]), arm(name)
    moves, (q, dq, ddq) = quintic(rng, model.n, 3 * picks + 1)
    t = np.arange(len(q)) / RATE
    links = perturbed_links(model, rng, bounds.link_relative)
    joints = Joints.draw(rng, bounds, model.n, extreme=bool(rng.integers(2)))
    held, pushed = [], []
    for k in range(0 if contacts else picks):
        begin, end = moves[3 * k + 1], moves[3 * k + 1 + int(rng.integers(2))]
        points = rng.uniform(-0.1, 0.1, 3) + 0.03 * rng.normal(size=(8, 3))
        mass = float(np.exp(rng.uniform(np.log(0.1), np.log(3.0))))
        lost = end[1] - 1.0 if rng.random() < 0.1 else end[1] + 0.3
        phi = of_point_masses(mass * rng.dirichlet(np.ones(8)), points)
        held.append(Held(phi, begin[0], float(lost)))
    rigid = joint_torques(model, links, np.zeros(10), q, dq, ddq)
    for x in held:
        some = (t >= x.since) & (t < x.until + RAMP)
        part = np.clip(np.minimum((t - x.since) / RAMP, 1.0 - (t - x.until) / RAMP), 0.0, 1.0)
        loaded = joint_torques(model, links, x.phi, q[some], dq[some], ddq[some])
        rigid[some] += part[some, None] * (loaded - rigid[some])
    for begin, end in moves if contacts else ():
        since = float(rng.uniform(begin, end - 0.5))
        until = since + float(rng.uniform(0.3, 2.0))
        some, body = (t >= since) & (t < until), int(rng.integers(2, model.n))
        force = rng.normal(size=3)
        force *= rng.uniform(5.0, 40.0) / np.linalg.norm(force)
        axis = body_motion(model, q[some], dq[some]).axis[:, body, :, :3]
        rigid[some] -= axis @ force
        pushed.append((since, until))
    still = (np.abs(dq) < 1e-9).all(axis=1)
    held_back = np.where(still, np.cumsum(np.diff(still, prepend=False)), 0)
    stuck = rng.uniform(-1.0, 1.0, (held_back.max() + 1, model.n))[held_back] * joints.coulomb
    tau = joints.reading(rigid + np.where(still[:, None], stuck, 0.0), dq, ddq)
    errors = noise(rng, tau.shape, "uniform")
    each = [bounds.per_joint(x, model.n) for x in ("torque_relative", "torque_absolute")]
    return Scene(Samples(t, q, dq, measured(tau, errors, *each, True)), tuple(held),
                 tuple(pushed), tuple(moves))  # fmt: skip


@dataclass
class Tally:
    """What is counted, over all scenes of one kind."""

    delays: list[float] = field(default_factory=list)  # from the load's first moment [s]
    early: list[bool] = field(default_factory=list)  # mass within 10 % or 50 g after 0.5 s
    late: list[bool] = field(default_factory=list)  # within 3 % after 5 s, or at the end before
    proved: list[float] = field(default_factory=list)  # half-width of the proved mass then [kg]
    estimates: int = 0
    missed: int = 0  # estimates whose intervals miss what is in the hand at their stamp
    inconsistent: int = 0
    invented: int = 0  # events without a cause
    minutes: float = 0.0
    contacts: int = 0
    cost: float = 0.0  # part of a core


def measure(tally: Tally, name: str, bounds: Uncertainty, what: Scene, gripper: bool) -> None:
    """Identify a scene as a node does, and count."""
    online = OnlineIdentifier(arm(name), Settings(bounds, window=WINDOW, hands_free=True))
    used, told, state, masses, last = time.process_time(), 0, None, [], 0
    hand, events = HandWatch.empty_handed(online.rows, RowBlock.empty(online.rows.p)), []
    for number, window in enumerate(online.cut(what.samples)):
        online.take(window)
        seen, end = online.hand.seen, float(window.stamp[-1])
        due = online.windows - last >= 2.5 / WINDOW or len(online.events) > told or (
            (seen in DECIDED) is not state
        )  # fmt: skip
        told, state = len(online.events), seen in DECIDED
        if gripper:  # as the node's thread beside the identification
            hand = hand.with_window(number, online.rows.window(window), what.gripped(end))
            events += [event for event in hand.events if not event.again]
        else:
            hand, events = online.hand, online.events
        if due:
            last, estimate = online.windows, online.update()
            failed = estimate.status is Status.INCONSISTENT
            tally.estimates, tally.inconsistent = tally.estimates + 1, tally.inconsistent + failed
            tally.missed += not (failed or estimate.contains(what.at(end)).all())
        masses.append((end, hand.phi[0], estimate.half_width[0]))
    tally.cost += time.process_time() - used
    tally.minutes += float(what.samples.stamp[-1]) / 60
    tally.contacts += len(what.contacts)
    before = CLOSED if gripper else 0.0
    causes = sorted([(x.since - before, x) for x in what.held]
                    + [(x.until, None) for x in what.held], key=lambda each: each[0])  # fmt: skip
    times, ends = [event.told for event in events], [*(t for t, _ in causes), np.inf][1:]
    own = 0
    for (t, held), end in zip(causes, ends, strict=True):
        inside = [x for x in times if t <= x < end]
        tally.delays.append(inside[0] - t if inside else np.inf)
        own += sum(x - inside[0] < 2 * REST for x in inside)
        if held is None:
            continue
        longest = min(5.0, end - held.since - 0.1)
        for seconds, found in ((0.5, tally.early), (longest, tally.late)):
            until = held.since + seconds + 1e-6
            _, mass, half = next(x for x in reversed(masses) if x[0] <= until)
            off, early = abs(mass - held.phi[0]), found is tally.early
            found.append(off <= (max(0.1 * held.phi[0], 0.05) if early else 0.03 * held.phi[0]))
        tally.proved.append(half)
    tally.invented += len(times) - own


def main() -> int:
    """Measure and print; 1 if an interval missed the truth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--arms", nargs="+", default=["panda", "xarm7", "ur10"], choices=ARMS)
    parser.add_argument("--bounds", nargs="+", default=list(BOUNDS), choices=list(BOUNDS))
    parser.add_argument("--picks", type=int, default=25, help="of each arm and bounds")
    parser.add_argument("--empty", type=float, default=5.0, help="minutes with contacts, of each")
    parser.add_argument("--seed", type=int, default=0, help="of the first scene")
    parser.add_argument("--gripper", action="store_true", help="one says when it holds something")
    given, missed = parser.parse_args(), 0
    for name in given.arms:
        for kind in given.bounds:
            bounds, tally, empty, seed = BOUNDS[kind], Tally(), Tally(), given.seed
            while len(tally.late) < given.picks:
                measure(tally, name, bounds, scene(name, bounds, seed, PICKS, False), given.gripper)
                seed += 1
            while empty.minutes < given.empty:
                measure(empty, name, bounds, scene(name, bounds, seed, PICKS, True), given.gripper)
                seed += 1
            missed += tally.missed + empty.missed
            delay, both = np.array(tally.delays), (tally, empty)
            whole = sum(x.cost for x in both) / sum(60 * x.minutes for x in both)
            print(
                f"{name}, {kind}: {len(delay)} picks and releases, told within 0.3, 0.4, 1 s: "
                + ", ".join(f"{100 * np.mean(delay <= x + 1e-6):.0f} %" for x in (0.3, 0.4, 1.0))
                + f", never {np.isinf(delay).sum()}; mass after 0.5 s right in "
                f"{100 * np.mean(tally.early):.0f} %, after 5 s in {100 * np.mean(tally.late):.0f} "
                f"%, proved to +-{np.median(tally.proved):.2g} kg (median); invented "
                f"{tally.invented}, and {empty.invented} in {empty.minutes:.0f} min with "
                f"{empty.contacts} contacts; missed {tally.missed + empty.missed} of "
                f"{tally.estimates + empty.estimates}, inconsistent "
                f"{tally.inconsistent + empty.inconsistent}; {100 * whole:.0f} % of a core",
                flush=True,
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
