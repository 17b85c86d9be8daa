"""A torque offset that drifts from run to run: is it named, and nothing that does not drift?

    ./payload-id python benchmarks/fleet_drift.py --runs 200 --drift 0.5

Two arms of one make, simulated by MuJoCo with friction and links that weigh something else than
their description says, identify changing payloads by changing motions, once an hour. The torque
offsets of each run are drawn anew; those of one joint of the second arm drift as well. All runs go
through the fleet's own table. Prints what its page says of either arm.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from payload_id import Recording, RobotFile, RobotModel, Settings
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.core.simulation.sensors import SensorModel, measured_samples
from payload_id.files.fleet.arms import arms_of
from payload_id.files.fleet.fleet_table import FleetTable
from payload_id.files.fleet.manifest import Entry
from payload_id.files.recordings.write_bag import write_joint_states
from payload_id.fleet import FleetJob, Method, cluster_client, identify_fleet

ROBOT, RATE = "kinova_gen3", 250
MOTIONS = 4
PAYLOADS = (
    np.zeros(10),
    from_mass_com_inertia(0.7, [0.0, 0.03, 0.05], 0.001 * np.eye(3)),
    from_mass_com_inertia(1.6, [0.02, -0.01, 0.09], 0.004 * np.eye(3)),
)
OFFSET = 0.1  # of a run, on top of what drifts: its bound as a part of the stated one [-]
START_NS, HOUR_NS = 1_790_000_000 * 10**9, 3600 * 10**9


@dataclass(frozen=True)
class MadeArm:
    """An arm, and what it does without sensors.

    Attributes:
        robot: The robot file.
        true: Its motions with each payload.
    """

    robot: RobotFile
    true: tuple[tuple[Samples, ...], ...]

    @classmethod
    def drawn(cls, robot: RobotFile, seconds: float, rng: np.random.Generator) -> MadeArm:
        """Simulate an arm whose friction and links are drawn within the stated bounds."""
        model, bounds, n = RobotModel.from_robot_file(robot), robot.uncertainty, robot.n
        coulomb, viscous = (
            rng.uniform(0.0, 0.5, n) * bounds.per_joint(name, n)
            for name in ("friction_coulomb", "friction_viscous")
        )
        links = model.link_phi * (1.0 + 0.01 * rng.uniform(-1.0, 1.0, (n, 1)))
        true = []
        for payload in PAYLOADS:
            plant = Plant(
                robot.urdf, robot.joints, robot.payload_frame, payload, model.gravity,
                q0=robot.home, link_phis=links, friction_coulomb=coulomb, friction_viscous=viscous,
            )  # fmt: skip
            true.append(tuple(moved(plant, robot, seconds, rng) for _ in range(MOTIONS)))
        return cls(robot, tuple(true))

    def write(self, path: Path, number: int, offset: Array, rng: np.random.Generator) -> None:
        """Write the recording of a run whose torque sensors have an offset [N m]."""
        robot, bounds, n = self.robot, self.robot.uncertainty, self.robot.n
        sensor = SensorModel(
            torque_relative=bounds.per_joint("torque_relative", n),
            torque_absolute=0.5 * bounds.per_joint("torque_absolute", n),
            torque_offset=offset,
        )
        true = self.true[rng.integers(len(PAYLOADS))][rng.integers(MOTIONS)]
        seen = measured_samples(sensor, rng, true)
        effort = (seen.tau + robot.effort.offset) / robot.effort.factor
        recording = Recording(
            seen.stamp, seen.q, seen.dq, effort, start_ns=START_NS + number * HOUR_NS
        )
        write_joint_states(path, recording, robot.joints, robot.joint_states.topic)


def moved(plant: Plant, robot: RobotFile, seconds: float, rng: np.random.Generator) -> Samples:
    """Return what an arm truly does along a motion of its own."""
    plant.reset(np.asarray(robot.home))
    free = 0.06 * rng.normal(size=(robot.n, 2, 4))
    time = np.linspace(0.0, seconds, round(seconds * RATE) + 1)  # at rest at both ends
    way = FourierSeries.from_free(np.asarray(robot.home), free, seconds).at(time)
    return simulate(plant, JointTrajectory(way.time, way.q, way.dq), float(time[-1]), RATE)


def jobs_of(
    arm: MadeArm, name: str, folder: Path, runs: int, drift: Array, rng: np.random.Generator
) -> list[FleetJob]:
    """Write the runs of an arm; return what is to be done with them."""
    robot = arm.robot
    method = Method(robot, Settings(robot.uncertainty))
    bound = OFFSET * robot.uncertainty.per_joint("torque_offset", robot.n)
    jobs = []
    for number in range(runs):
        path = folder / f"{name}_{number:04d}"
        offset = rng.uniform(-bound, bound) + drift * (number / max(runs - 1, 1) - 0.5)
        arm.write(path, number, offset, rng)
        jobs.append(FleetJob(Entry(str(path), arm=name), method))
    return jobs


def main() -> None:
    """Make the runs of both arms, identify, print what drifts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="of each arm")
    parser.add_argument("--drift", type=float, default=0.5, help="over all runs [N m]")
    parser.add_argument("--seconds", type=float, default=4.0, help="of a recording")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder of results, to be kept")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    robot = RobotFile.load(ROBOT)
    joint = int(rng.integers(robot.n))
    drift = arguments.drift * (np.arange(robot.n) == joint)
    with tempfile.TemporaryDirectory() as name:
        folder, jobs = Path(name) / "bags", []
        folder.mkdir()
        for arm, change in (("steady", 0.0 * drift), ("drifting", drift)):
            made = MadeArm.drawn(robot, arguments.seconds, rng)
            jobs += jobs_of(made, arm, folder, arguments.runs, change, rng)
        table = FleetTable.at(arguments.out or Path(name) / "results")
        with cluster_client() as client:
            done = identify_fleet(jobs, table, client)
        print(f"{done.made} runs: {dict(done.verdicts)}")
        found = table.read().to_pylist()
    made_to = f"{robot.joints[joint]}, {arguments.drift:g} N m over {arguments.runs} runs"
    print(f"made to drift in the arm 'drifting': {made_to}")
    for arm in arms_of(found):
        said = [sentence for series in arm.drifting for sentence in series.sentences()]
        print(f"{arm.name}: {'; '.join(said) or 'nothing drifts'}")


if __name__ == "__main__":
    main()
