"""Is a contact noticed, how soon, and is there never a false alarm?

An arm with links, friction and sensors anywhere within its bounds learns a payload in 10 s of
motion (after a tare: of 10 s without it) and is then watched (`core/contact`) in windows of 0.1 s.
Bounds are the shipped ones, or those of good sensors on a link side without friction: gains 2.5 %,
links 5 %, and 0.3 % and 0.02 N m new at every sample.

    alarms    in motion without contact, `--minutes` in all; noise uniform, at the vertices of its
              box, and of one sign for long, in turn; also windows whose bounds on the external
              torques miss 0
    smallest  force that is certain: for one window and a random direction at the payload frame, by
              bisection; 10th, 50th and 90th percentile
    forces    that begin at a random instant and stay for 1 s: how many become certain, how long
              that takes from their beginning to the end of the first certain window (median); wrong
              are certain windows without a force, and lower bounds above it

    ./payload-id python benchmarks/contact.py --minutes 60 --forces 40
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from bench import options, show

from arms import Joints, Run, draw_payload, perturbed_links, record
from payload_id import OnlineIdentifier, RobotFile, RobotModel, Settings, Uncertainty
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.arrays import Array
from payload_id.core.contact import ContactWatch, FeasibleSet
from payload_id.core.samples.joint_samples import Samples

SHIPPED, GOOD = "shipped bounds", "good sensors"
SENSORS = Uncertainty(
    torque_relative=0.003, torque_absolute=0.02, torque_gain=0.025, link_relative=0.05
)
NOISE = ("uniform", "vertices", "correlated")
RATE, LEARNING, WINDOW = 250.0, 10.0, 0.1  # [Hz], [s], [s]
PIECE = 60.0  # [s] of one motion
SIZES = (5.0, 10.0, 20.0, 40.0, 80.0)  # [N]
LARGEST = 1000.0  # [N] beyond which no smallest force is looked for


@dataclass(frozen=True, eq=False)
class Cell:
    """An arm as it is, what it carries, and what has been learnt of both.

    Attributes:
        model: The arm as described.
        bounds: That are stated.
        links: True links, shape (n, 10).
        joints: True friction and sensors.
        phi: True payload, shape (10,).
        online: The identification, after its run.
        found: Its estimate, shape (10,).
    """

    model: ArmModel
    bounds: Uncertainty
    links: Array
    joints: Joints
    phi: Array
    online: OnlineIdentifier
    found: Array

    @classmethod
    def learnt(cls, robot: str, kind: str, seed: int, tared: bool) -> Cell:
        """Draw an arm and a payload, and identify it."""
        file = RobotFile.load(robot)
        model, bounds = RobotModel.from_robot_file(file), file.uncertainty
        bounds = bounds if kind == SHIPPED else replace(SENSORS, prior=bounds.prior)
        rng = np.random.default_rng(seed)
        links = perturbed_links(model, rng, float(np.max(bounds.link_relative)))
        joints = Joints.draw(rng, bounds, model.n, extreme=True)
        online = OnlineIdentifier(model, Settings(bounds))
        cell = cls(model, bounds, links, joints, draw_payload(rng), online, np.zeros(10))
        if tared:
            bare = replace(cell, phi=np.zeros(10)).run(seed + 1000, LEARNING)
            online.add(bare.measured(bounds, "uniform", seed).samples)
            online.tare()
        loaded = cell.run(seed + 2000, LEARNING)
        online.add(loaded.measured(bounds, "uniform", seed + 1).samples)
        return replace(cell, found=online.update().phi)

    def watch(self) -> ContactWatch:
        """Return a watch that knows the payload."""
        watch = ContactWatch(self.online.rows, WINDOW)
        watch.know(FeasibleSet.of(*self.online.established()), self.found)
        return watch

    def run(self, seed: int, seconds: float) -> Run:
        """Return a motion with this payload, without the sensors' noise."""
        return record(self.model, seed, self.phi, seconds, RATE, self.links, joints=self.joints)

    def touched(self, run: Run, force: Array, since: float, until: float, seed: int) -> Samples:
        """Return what is measured with a force at the payload frame, in its axes, shape (3,)."""
        true = run.true
        axis = body_motion(self.model, true.q, true.dq).axis[:, -1, :, :3]
        inside = (true.stamp > since) & (true.stamp <= until)
        # The sensors' gains apply to what they feel of the force, too.
        felt = (1.0 + self.joints.gain) * (axis @ force) * inside[:, None]
        pushed = replace(run, true=replace(true, tau=true.tau - felt))
        return pushed.measured(self.bounds, "uniform", seed).samples


def calm(cell: Cell, minutes: float) -> tuple[int, int, int]:
    """Return windows without contact, alarms among them, and bounds that miss 0."""
    watch, judged = cell.watch(), []
    for piece in range(max(1, round(60.0 * minutes / PIECE))):
        run = cell.run(3000 + piece, min(PIECE, 60.0 * minutes))
        noise = NOISE[piece % len(NOISE)]
        samples = run.measured(cell.bounds, noise, piece, of_true=bool(piece % 2)).samples
        later = replace(samples, stamp=samples.stamp + 2.0 * PIECE * piece)  # after a gap
        judged += watch.add(later)
    missed = sum(not x.external.contains(np.zeros(cell.model.n)) for x in judged)
    return len(judged), sum(x.certain for x in judged), missed


def smallest(cell: Cell, count: int) -> Iterator[float]:
    """Give smallest certain forces for random windows and directions [N]."""
    rng = np.random.default_rng(7)
    for k in range(count):
        run, direction, watch = cell.run(5000 + k, 2.0 * WINDOW), rng.normal(size=3), cell.watch()
        direction /= np.linalg.norm(direction)
        low, high = 0.0, LARGEST
        while high - low > 0.05 * high and high > 0.1:
            middle = (low + high) / 2 if low > 0.1 * high else high / 4 + low / 2
            samples = cell.touched(run, middle * direction, -1.0, 1e9, k)
            end = int(np.searchsorted(samples.stamp, WINDOW - 1e-6)) + 1
            certain = watch.judge(samples.part(0, end)).certain
            low, high = (low, middle) if certain else (middle, high)
        yield high


def pushes(cell: Cell, size: float, count: int) -> Iterator[tuple[float, int]]:
    """Give after what time [s] forces of one size are certain, and what is said wrongly then."""
    rng = np.random.default_rng(round(size))
    for k in range(count):
        direction = rng.normal(size=3)
        force = size * direction / np.linalg.norm(direction)
        since = float(rng.uniform(0.5, 0.7))
        samples = cell.touched(cell.run(7000 + k, 2.0), force, since, since + 1.0, k)
        seen = [x for x in cell.watch().add(samples) if x.certain]
        wrong = sum(x.end < since or x.start > since + 1.0 or x.least_force > size for x in seen)
        yield min((x.end - since for x in seen), default=np.inf), wrong


def main() -> int:
    """Measure and print; return 0 if there was no false alarm and no wrong bound."""
    given = options(robots=("kinova_gen3", "xarm7"), minutes=60.0, forces=40)
    minutes, rows, wrong = given.minutes / (4 * len(given.robots)), [], 0
    for robot, kind, tared in product(given.robots, (SHIPPED, GOOD), (False, True)):
        cell = Cell.learnt(robot, kind, 1, tared)
        windows, alarms, missed = calm(cell, minutes)
        least = np.percentile(list(smallest(cell, given.forces)), [10, 50, 90])
        cells, false = [], alarms + missed
        for size in SIZES:
            found = list(pushes(cell, size, given.forces))
            seen = [delay for delay, _ in found if np.isfinite(delay)]
            false += sum(number for _, number in found)
            cells.append(f"{len(seen)}, {np.median(seen or [np.nan]):.2f} s")
        wrong += false
        rows.append((f"{robot}, {kind}{', after a tare' * tared}", f"{alarms} of {windows}",
                     "{:.1f}, {:.1f}, {:.1f}".format(*least), *cells, false))  # fmt: skip
    show(f"Of {given.forces} forces each: how many are certain, and when", ("arm, bounds", "alarms",
         "smallest [N]", *(f"{size:g} N" for size in SIZES), "wrong"), rows)  # fmt: skip
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
