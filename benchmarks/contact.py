"""Is a contact noticed, how soon, and is there never a false alarm?

An arm with links, friction and sensors anywhere within its bounds learns a payload in 10 s of
motion (after a tare: of 10 s without it) and is then watched (`core/contact`). Bounds are the
shipped ones, or those of good sensors on a link side without friction: gains 2.5 %, links 5 %, and
0.3 % and 0.02 N m new at every sample.

    hour      motion without contact, an hour in all; noise uniform, at the vertices of its box, and
              of one sign for long, in turn: alarms, and windows whose bounds on the external
              torques miss 0
    smallest  for one window and a force in a random direction at the payload frame: the smallest
              one that is certain, found by bisection
    delay     forces that begin at a random instant and stay for 1 s: how many become certain, how
              long that takes from their beginning to the end of the first certain window, and what
              is the lower bound on the force
    drives    the realistic arms of docs/bounds.md under the same bounds: the verdict of the
              identification, alarms without contact, forces that become certain

    ./payload-id python benchmarks/contact.py --minutes 60 --forces 40
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import Joints, Motion, Run, draw_payload, perturbed_links, record
from payload_id import (
    Estimate,
    OnlineIdentifier,
    RobotFile,
    RobotModel,
    Settings,
    Status,
    Uncertainty,
)
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arm.kinetics import body_motion
from payload_id.core.arrays import Array
from payload_id.core.contact import ContactWatch, FeasibleSet
from payload_id.core.motion.trajectory import Motion as SampledMotion
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.realistic_arm import RealisticArm

ROBOTS = {"kinova_gen3": "gen3_like", "xarm7": "xarm_like"}
GOOD = Uncertainty(
    torque_relative=0.003, torque_absolute=0.02, torque_gain=0.025, link_relative=0.05
)
BOUNDS = ("shipped bounds", "good sensors")
NOISE = ("uniform", "vertices", "correlated")
RATE, LEARNING = 250.0, 10.0  # [Hz], [s]
PIECE = 60.0  # [s] of one motion
SIZES = (5.0, 10.0, 20.0, 40.0, 80.0)  # [N]
LARGEST = 1000.0  # [N] beyond which no smallest force is looked for
DRIVEN = 30.0  # [s] of motion of a realistic arm without contact


@dataclass(frozen=True, eq=False)
class Cell:
    """An arm as it is, what it carries, and what has been learnt of both.

    Attributes:
        model: The arm as described.
        uncertainty: The stated bounds.
        links: True links, shape (n, 10).
        joints: True friction and sensors.
        phi: True payload, shape (10,).
        online: The identification, after its run.
        estimate: Its answer.
    """

    model: ArmModel
    uncertainty: Uncertainty
    links: Array
    joints: Joints
    phi: Array
    online: OnlineIdentifier
    estimate: Estimate

    @classmethod
    def calibrated(cls, robot: str, bounds: str, seed: int, tared: bool) -> Cell:
        """Draw an arm and a payload, and identify it."""
        file = RobotFile.load(robot)
        model, uncertainty = RobotModel.from_robot_file(file), file.uncertainty
        if bounds != BOUNDS[0]:
            uncertainty = replace(GOOD, prior=uncertainty.prior)
        rng = np.random.default_rng(seed)
        links = perturbed_links(model, rng, float(np.max(uncertainty.link_relative)))
        joints = Joints.draw(rng, uncertainty, model.n, extreme=True)
        phi = draw_payload(rng)
        online = OnlineIdentifier(model, Settings(uncertainty))
        if tared:
            bare = record(model, seed + 1000, np.zeros(10), LEARNING, RATE, links, joints=joints)
            online.add(bare.measured(uncertainty, "uniform", seed).samples)
            online.tare()
        loaded = record(model, seed + 2000, phi, LEARNING, RATE, links, joints=joints)
        online.add(loaded.measured(uncertainty, "uniform", seed + 1).samples)
        estimate = online.update()
        return cls(model, uncertainty, links, joints, phi, online, estimate)

    def watch(self, window: float) -> ContactWatch:
        """Return a watch that knows the payload."""
        watch = ContactWatch(self.online.rows, window)
        watch.know(FeasibleSet.of(*self.online.established()), self.estimate.phi)
        return watch

    def run(self, seed: int, seconds: float) -> Run:
        """Return a motion with this payload, without the sensors' noise."""
        rng = np.random.default_rng(seed)
        motion = Motion.draw(self.model, rng)
        return record(
            self.model, seed, self.phi, seconds, RATE, self.links, motion=motion, joints=self.joints
        )

    def touched(self, run: Run, force: Array, since: float, until: float, seed: int) -> Samples:
        """Return what is measured with a force at the payload frame, in its axes, shape (3,)."""
        true = run.true
        axis = body_motion(self.model, true.q, true.dq).axis[:, -1, :, :3]
        inside = (true.stamp > since) & (true.stamp <= until)
        # The sensors' gains apply to what they feel of the force, too.
        felt = (1.0 + self.joints.gain) * (axis @ force) * inside[:, None]
        pushed = replace(run, true=replace(true, tau=true.tau - felt))
        return pushed.measured(self.uncertainty, "uniform", seed).samples


def hour(cell: Cell, minutes: float, window: float) -> dict[str, float]:
    """Return what the watch says of motion without contact."""
    watch = cell.watch(window)
    judged, alarms, missed, spent = 0, 0, 0, []
    for piece in range(max(1, round(60.0 * minutes / PIECE))):
        run = cell.run(3000 + piece, min(PIECE, 60.0 * minutes))
        noise = NOISE[piece % len(NOISE)]
        samples = run.measured(cell.uncertainty, noise, piece, of_true=bool(piece % 2)).samples
        later = replace(samples, stamp=samples.stamp + 2.0 * PIECE * piece)  # after a gap
        for each in watch.cut(later):
            began = time.perf_counter()
            judgement = watch.judge(each)
            spent.append(time.perf_counter() - began)
            judged += 1
            alarms += judgement.certain
            missed += not judgement.external.contains(np.zeros(cell.model.n))
    return {"windows": judged, "alarms": alarms, "missed": missed,
            "median ms": 1e3 * float(np.median(spent)), "worst ms": 1e3 * max(spent)}  # fmt: skip


def smallest(cell: Cell, count: int, window: float) -> Array:
    """Return smallest certain forces for random windows and directions, shape (count,) [N]."""
    rng = np.random.default_rng(7)
    found = []
    for k in range(count):
        run = cell.run(5000 + k, 2.0 * window)
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        watch = cell.watch(window)

        def certain(size: float) -> bool:
            samples = cell.touched(run, size * direction, -1.0, 1e9, k)  # noqa: B023  # this turn
            return watch.judge(watch_cut(samples, window)).certain  # noqa: B023  # this turn

        low, high = 0.0, LARGEST
        while high - low > 0.05 * high and high > 0.1:
            middle = (low + high) / 2 if low > 0.1 * high else high / 4 + low / 2
            low, high = (low, middle) if certain(middle) else (middle, high)
        found.append(high)
    return np.array(found)


def watch_cut(samples: Samples, window: float) -> Samples:
    """Return the samples of the first window."""
    return samples.part(0, int(np.searchsorted(samples.stamp, window - 1e-6)) + 1)


@dataclass(frozen=True)
class Push:
    """One force that stays for a second.

    Attributes:
        size: Its size [N].
        delay: From its beginning to the end of the first certain window [s]; inf: never.
        least: The largest lower bound on it [N].
        false: Number of certain windows that it did not touch.
        over: Number of lower bounds above the force.
    """

    size: float
    delay: float
    least: float
    false: int
    over: int


def pushes(cell: Cell, size: float, count: int, window: float) -> Iterator[Push]:
    """Give what the watch says of forces of one size."""
    rng = np.random.default_rng(round(size))
    for k in range(count):
        direction = rng.normal(size=3)
        force = size * direction / np.linalg.norm(direction)
        since = float(rng.uniform(0.5, 0.7))
        run = cell.run(7000 + k, 2.0)
        watch = cell.watch(window)
        delay, least, false, over = np.inf, 0.0, 0, 0
        for judgement in watch.add(cell.touched(run, force, since, since + 1.0, k)):
            if not judgement.certain:
                continue
            false += judgement.end < since or judgement.start > since + 1.0
            delay = min(delay, judgement.end - since)
            least = max(least, judgement.least_force)
            over += judgement.least_force > size
        yield Push(size, delay, least, false, over)


def drives(robot: str, preset: str, count: int, window: float) -> str:
    """Say what a watch makes of a realistic arm under the shipped bounds."""
    file = RobotFile.load(robot)
    model = RobotModel.from_robot_file(file)
    drawn = RealisticArm.drawn(model, preset, seed=3)
    phi = draw_payload(np.random.default_rng(3))

    def run(seed: int, length: float) -> Samples:
        t = np.arange(int(1000 * length) + 1) / 1000.0
        motion = Motion.draw(model, np.random.default_rng(seed))
        return drawn.run(SampledMotion(t, *motion.at(t)), phi, seed).samples

    online = OnlineIdentifier(model, Settings(file.uncertainty))
    online.add(run(1, LEARNING))
    estimate = online.update()
    if estimate.status is Status.INCONSISTENT:
        return f"INCONSISTENT, noise factor {estimate.noise_factor:.2g}: no watch"
    knowledge = FeasibleSet.of(*online.established())

    def certain(samples: Samples) -> tuple[int, int]:
        watch = ContactWatch(online.rows, window)
        watch.know(knowledge, estimate.phi)
        judged = watch.add(samples)
        return sum(each.certain for each in judged), len(judged)

    alarms, windows = certain(run(2, DRIVEN))
    seen = dict.fromkeys(SIZES, 0)
    rng = np.random.default_rng(9)
    for k in range(count):
        samples = run(10 + k, 1.0)
        axis = body_motion(model, samples.q, samples.dq).axis[:, -1, :, :3]
        direction = rng.normal(size=3)
        felt = axis @ (direction / np.linalg.norm(direction))
        for size in SIZES:
            seen[size] += certain(replace(samples, tau=samples.tau - size * felt))[0] > 0
    told = ", ".join(f"{size:g} N {number} of {count}" for size, number in seen.items())
    return (
        f"{estimate.status.value}; without contact {alarms} of {windows} windows certain; "
        f"forces that stay for 1 s: {told}"
    )


def main() -> int:
    """Measure and print; return 0 if there was no false alarm and no wrong bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=list(ROBOTS), choices=list(ROBOTS))
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="of motion without contact, in all"
    )
    parser.add_argument("--forces", type=int, default=40, help="of each kind")
    parser.add_argument("--windows", type=float, nargs="+", default=[0.1], help="[s]")
    given = parser.parse_args()
    console, wrong = Console(width=110), 0
    minutes = given.minutes / (2 * len(BOUNDS) * len(given.robots) * len(given.windows))
    for robot in given.robots:
        for bounds, tared in product(BOUNDS, (False, True)):
            cell = Cell.calibrated(robot, bounds, 1, tared)
            title = f"{robot}, {bounds}{', after a tare' if tared else ''}"
            console.print(f"[bold]{title}[/]: {cell.estimate.status.value}")
            for window in given.windows:
                wrong += _show(console, cell, title, window, minutes, given.forces)
        preset = ROBOTS[robot]
        told = drives(robot, preset, given.forces, given.windows[0])
        console.print(f"{robot} with drives {preset}: {told}")
    return int(wrong > 0)


def _show(
    console: Console, cell: Cell, title: str, window: float, minutes: float, forces: int
) -> int:
    """Measure one cell with windows of one length; print; return how much is wrong."""
    calm = hour(cell, minutes, window)
    console.print("  " + ", ".join(f"{name} {value:.4g}" for name, value in calm.items()))
    part = np.percentile(smallest(cell, forces, window), [10, 50, 90])
    console.print(
        f"  windows of {window:g} s: smallest certain force, 10th, 50th and 90th percentile "
        f"{part[0]:.1f}, {part[1]:.1f}, {part[2]:.1f} N"
    )
    table = Table("force [N]", "certain", "median delay [s]", "worst", "median bound [N]",
                  title=f"{title}, windows of {window:g} s")  # fmt: skip
    wrong = int(calm["alarms"] + calm["missed"])
    for size in SIZES:
        found = list(pushes(cell, size, forces, window))
        seen = [push for push in found if np.isfinite(push.delay)]
        wrong += sum(push.false + push.over for push in found)
        delays = [push.delay for push in seen] or [np.nan]
        table.add_row(
            f"{size:g}",
            f"{len(seen)} of {len(found)}",
            f"{np.median(delays):.2f}",
            f"{max(delays):.2f}",
            f"{np.median([push.least for push in seen] or [np.nan]):.1f}",
        )
    console.print(table)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
