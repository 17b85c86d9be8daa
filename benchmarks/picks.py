"""Picks and releases in ordinary motion: are they told, how soon, and what is known of the payload?

Arms whose links, friction, gains and offsets are anywhere within their stated bounds go from pose
to pose in 3 to 5 s (quintic), rest between, take up payloads of 0.1 to 3 kg at the start of a move
(the load comes within 0.1 s), carry them for one or two moves, and put them down at rest, or lose
one of ten under way. Friction of a joint at rest is anything within its bound. `--empty` minutes of
motion without payload have forces of 5 to 40 N on a body of the arm, for 0.3 to 2 s each.
`--gripper`: one closes 0.2 s before the load comes, holds still from 0.1 s before it, and opens as
the load goes; delays of picks count from when it closes.

    ./payload-id python benchmarks/picks.py --picks 50 --empty 10 --arms panda xarm7 fr3 iiwa14
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np
from bench import options, show

from arms import Joints, arm, joint_torques, measured, noise, of_point_masses, perturbed_links
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
    """What is measured, and the truth: payloads, number of contacts."""

    samples: Samples
    held: tuple[Held, ...]
    contacts: int

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


def scene(name: str, bounds: Uncertainty, seed: int, contacts: bool) -> Scene:
    """Draw an arm and what it does: picks, or contacts, 3 moves for each pick."""
    rng, model = np.random.default_rng([seed, 59]), arm(name)
    moves, (q, dq, ddq) = quintic(rng, model.n, 3 * PICKS + 1)
    t = np.arange(len(q)) / RATE
    links = perturbed_links(model, rng, bounds.link_relative)
    joints = Joints.draw(rng, bounds, model.n, extreme=bool(rng.integers(2)))
    tau = joint_torques(model, links, np.zeros(10), q, dq, ddq)
    held = []
    for k in range(0 if contacts else PICKS):
        (begin, _), (_, end) = moves[3 * k + 1], moves[3 * k + 1 + int(rng.integers(2))]
        points = rng.uniform(-0.1, 0.1, 3) + 0.03 * rng.normal(size=(8, 3))
        mass = float(np.exp(rng.uniform(np.log(0.1), np.log(3.0))))
        until = float(end - 1.0 if rng.random() < 0.1 else end + 0.3)  # one of ten is lost
        held.append(Held(of_point_masses(mass * rng.dirichlet(np.ones(8)), points), begin, until))
        some = (t >= begin) & (t < until + RAMP)
        part = np.clip(np.minimum((t - begin) / RAMP, 1.0 - (t - until) / RAMP), 0.0, 1.0)
        loaded = joint_torques(model, links, held[-1].phi, q[some], dq[some], ddq[some])
        tau[some] += part[some, None] * (loaded - tau[some])
    for begin, end in moves if contacts else ():
        since = float(rng.uniform(begin, end - 0.5))
        some = (t >= since) & (t < since + float(rng.uniform(0.3, 2.0)))
        body, force = int(rng.integers(2, model.n)), rng.normal(size=3)
        force *= rng.uniform(5.0, 40.0) / np.linalg.norm(force)
        tau[some] -= body_motion(model, q[some], dq[some]).axis[:, body, :, :3] @ force
    still = (np.abs(dq) < 1e-9).all(axis=1)
    held_back = np.where(still, np.cumsum(np.diff(still, prepend=False)), 0)
    stuck = rng.uniform(-1.0, 1.0, (held_back.max() + 1, model.n))[held_back] * joints.coulomb
    shown = joints.reading(tau + np.where(still[:, None], stuck, 0.0), dq, ddq)
    each = [bounds.per_joint(x, model.n) for x in ("torque_relative", "torque_absolute")]
    shown = measured(shown, noise(rng, shown.shape, "uniform"), *each, True)
    return Scene(Samples(t, q, dq, shown), tuple(held), len(moves) * contacts)


@dataclass
class Tally:
    """What is counted, over all scenes of one arm and bounds."""

    delays: list[float] = field(default_factory=list)  # from the load's first moment [s]
    early: list[bool] = field(default_factory=list)  # mass within 10 % or 50 g after 0.5 s
    late: list[bool] = field(default_factory=list)  # within 3 % after 5 s, or at the end before
    missed: list[bool] = field(default_factory=list)  # of estimates: the truth at their stamp
    invented: list[int] = field(default_factory=list)  # events without a cause, of each scene
    minutes: float = 0.0  # with contacts
    contacts: int = 0


def measure(tally: Tally, name: str, bounds: Uncertainty, what: Scene, gripper: bool) -> None:
    """Identify a scene as a node does, and count."""
    online = OnlineIdentifier(arm(name), Settings(bounds, window=WINDOW, hands_free=True))
    told, state, masses, last = 0, None, [], 0
    hand, events = HandWatch.empty_handed(online.rows, RowBlock.empty(online.rows.p)), []
    for number, window in enumerate(online.cut(what.samples)):
        online.take(window)
        decided, end = online.hand.seen in DECIDED, float(window.stamp[-1])
        changed = len(online.events) > told or decided is not state
        told, state = len(online.events), decided
        if gripper:  # as the node's thread beside the identification
            hand = hand.with_window(number, online.rows.window(window), what.gripped(end))
            events += [event for event in hand.events if not event.again]
        else:
            hand, events = online.hand, online.events
        if changed or online.windows - last >= 2.5 / WINDOW:
            last, estimate = online.windows, online.update()
            failed = estimate.status is Status.INCONSISTENT
            tally.missed.append(not failed and not estimate.contains(what.at(end)).all())
        masses.append((end, hand.phi[0]))
    before, times = CLOSED * gripper, [event.told for event in events]
    causes = sorted([(x.since - before, x) for x in what.held]
                    + [(x.until, None) for x in what.held], key=lambda each: each[0])  # fmt: skip
    ends, own = [*(t for t, _ in causes), np.inf][1:], 0
    for (t, held), end in zip(causes, ends, strict=True):
        inside = [x for x in times if t <= x < end]
        tally.delays.append(inside[0] - t if inside else np.inf)
        own += sum(x - inside[0] < 2 * REST for x in inside)
        if held is not None:
            least, longest = max(0.1 * held.phi[0], 0.05), min(5.0, end - held.since - 0.1)
            for after, off, right in ((0.5, least, tally.early),
                                      (longest, 0.03 * held.phi[0], tally.late)):  # fmt: skip
                until = held.since + after + 1e-6
                mass = next(m for when, m in reversed(masses) if when <= until)
                right.append(abs(mass - held.phi[0]) <= off)
    tally.invented.append(len(times) - own)
    tally.contacts += what.contacts
    tally.minutes += float(what.samples.stamp[-1]) / 60 * (what.contacts > 0)


def main() -> int:
    """Measure and print; 1 if an interval missed the truth."""
    given = options(arms=("panda", "xarm7", "ur10"), bounds=(*BOUNDS,), picks=25, empty=5.0,
                    seed=0, gripper=False)  # fmt: skip
    rows, missed = [], 0
    for name in given.arms:
        for kind in given.bounds:
            bounds, picks, empty, seed = BOUNDS[kind], Tally(), Tally(), given.seed
            while len(picks.late) < given.picks or empty.minutes < given.empty:
                contacts = len(picks.late) >= given.picks
                what = scene(name, bounds, seed, contacts)
                measure(empty if contacts else picks, name, bounds, what, given.gripper)
                seed += 1
            delay, every = np.array(picks.delays), picks.missed + empty.missed
            soon = [f"{100 * np.mean(delay <= x + 1e-6):.0f}" for x in (0.3, 0.4, 1.0)]
            missed += sum(every)
            rows.append((f"{name}, {kind}", f"{', '.join(soon)} % of {len(delay)}",
                         np.isinf(delay).sum(),
                         f"{100 * np.mean(picks.early):.0f}, {100 * np.mean(picks.late):.0f} %",
                         sum(picks.invented), f"{sum(empty.invented)} in {empty.minutes:.0f} min "
                         f"with {empty.contacts}", f"{sum(every)} of {len(every)}"))  # fmt: skip
    show("", ("arm, bounds", "told within 0.3, 0.4, 1 s", "never", "mass after 0.5, 5 s",
              "invented", "with contacts", "missed"), rows)  # fmt: skip
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
