"""Many recordings on all cores: throughput, memory, cost per recording.

    ./payload-id python benchmarks/fleet.py --counts 20
    ./payload-id python benchmarks/fleet.py --counts 20 200 2000 --figure docs/images/fleet.png

Recordings of 7.5 s at 1 kHz are made for three shipped robots and a UR10 of example-robot-data
(inverse dynamics, payload, torque noise), each with noise of its own. Prints how many recordings a
second one process identifies, before and after, since machines change, and how many the cluster,
whose memory is looked at on the way. The first so many alone are identified in clusters of their
own: does a recording cost the same among few and among many?
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import numpy as np
import psutil
from bench import options, tell
from matplotlib.figure import Figure

from payload_id import Recording, RobotFile, RobotModel, Settings
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.limits import inverse_dynamics
from payload_id.files.figures.interval_figure import BAND, LINE, TRUTH
from payload_id.files.fleet.fleet_table import FleetTable
from payload_id.files.fleet.manifest import Entry
from payload_id.files.recordings.write_bag import write_joint_states
from payload_id.fleet import FleetJob, Method, Progress, cluster_client, identify_fleet
from payload_id.fleet.identify_recording import identify_recording

SHIPPED, OTHER = ("kinova_gen3", "kinova_gen3_2f85", "xarm7"), "ur10"
UR10 = """
name: ur10
urdf: ur10.urdf
payload_frame: tool0
joints: [shoulder_pan_joint, shoulder_lift_joint, elbow_joint, wrist_1_joint, wrist_2_joint,
         wrist_3_joint]
home: [0.0, -1.2, 1.4, -1.7, -1.5, 0.0]
effort: {source: torque}
uncertainty:
  torque_relative: 0.025
  torque_absolute: [3.0, 3.0, 1.5, 0.5, 0.5, 0.5]
  torque_offset: 1.0
  link_relative: 0.05
  friction_coulomb: 2.0
  friction_viscous: 2.0
"""
SECONDS, RATE = 7.5, 1000
START_NS, HOUR_NS = 1_790_000_000 * 10**9, 3600 * 10**9
ALONE = 12  # recordings by which the rate of one process is measured


def robots(folder: Path) -> dict[str, RobotFile]:
    """Return the robots; writes a file of the one that is not shipped."""
    files = metadata.files("example-robot-data") or []
    urdf = next(file for file in files if file.name == "ur10_robot.urdf")
    (folder / "ur10.urdf").write_text(Path(urdf.locate()).read_text())
    (folder / "ur10.yaml").write_text(UR10)
    own = {OTHER: RobotFile.load(folder / "ur10.yaml")}
    return {name: RobotFile.load(name) for name in SHIPPED} | own


def make_recordings(folder: Path, count: int, seed: int) -> list[FleetJob]:
    """Write recordings and return their jobs, robots in turn."""
    rng, jobs = np.random.default_rng(seed), []
    methods, motions = {}, {}
    for name, robot in robots(folder).items():
        model = RobotModel.from_robot_file(robot)
        free = 0.06 * rng.normal(size=(model.n, 2, 4))
        series = FourierSeries.from_free(np.asarray(robot.home), free, SECONDS)
        motion = series.at(np.arange(0.0, SECONDS, 1.0 / RATE))
        payload = from_mass_com_inertia(1.2, [0.01, -0.02, 0.06], 0.004 * np.eye(3))
        methods[name] = Method(robot, Settings(robot.uncertainty))
        motions[name] = (motion, inverse_dynamics(model, motion, payload))
    for number in range(count):
        name = [*methods][number % len(methods)]
        robot, (motion, tau) = methods[name].robot, motions[name]
        relative = robot.uncertainty.per_joint("torque_relative", robot.n)
        shown = tau * (1.0 + 0.5 * relative * rng.uniform(-1.0, 1.0, tau.shape))
        effort = (shown + robot.effort.offset) / robot.effort.factor
        path = folder / f"{number:05d}"
        recording = Recording(motion.time, motion.q, motion.dq, effort,
                              start_ns=START_NS + number * HOUR_NS)  # fmt: skip
        write_joint_states(path, recording, robot.joints, robot.joint_states.topic)
        jobs.append(FleetJob(Entry(str(path), payload=name), methods[name]))
    return jobs


def rate_of_one(jobs: list[FleetJob]) -> float:
    """Return how many recordings one process identifies in a second."""
    times = []
    for job in [*jobs[:1], *jobs[:ALONE]]:  # the first warms up
        begin = time.perf_counter()
        identify_recording(*job.arguments)
        times.append(time.perf_counter() - begin)
    return 1.0 / statistics.mean(times[1:])


@dataclass
class Watch:
    """Looks at the memory of this process, which holds client and scheduler, and of the workers.

    Attributes:
        begin: When the work began [s].
        seconds: Since then, when something was done.
        done: Number of recordings that were done by then.
        own: Memory of client and scheduler then [MB].
        workers: Memory of the largest worker then [MB].
    """

    begin: float = field(default_factory=time.perf_counter)
    seconds: list[float] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    workers: list[float] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        """Note what is used."""
        me = psutil.Process()
        self.seconds.append(time.perf_counter() - self.begin)
        self.done.append(progress.made + progress.lost)
        self.own.append(memory(me))
        self.workers.append(max(map(memory, me.children(recursive=True)), default=0.0))


def memory(process: psutil.Process) -> float:
    """Return what a process holds [MB]; nothing if it has gone."""
    try:
        return process.memory_info().rss / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def identified(jobs: list[FleetJob], table: FleetTable) -> tuple[Progress, Watch]:
    """Identify in a cluster of its own; return what was done, and what it used.

    Starting and ending the cluster counts as the run's time, as for one who waits for it.
    """
    watch = Watch()
    with cluster_client() as client:
        done = identify_fleet(jobs, table, client, watch)
    watch.seconds.append(time.perf_counter() - watch.begin)
    return done, watch


def draw(path: Path, runs: dict[int, Watch]) -> None:
    """Draw time and memory of runs over so many recordings."""
    figure = Figure(figsize=(10.0, 3.6), layout="constrained")
    cost, held = figure.subplots(1, 2)
    most = runs[max(runs)]
    total = np.array([[count, watch.seconds[-1]] for count, watch in sorted(runs.items())])
    cost.loglog(most.done, most.seconds[: len(most.done)], color=BAND, lw=3,
                label="within the longest run")  # fmt: skip
    cost.loglog(*total.T, "o", color=LINE, label="runs, with start and end")
    each = most.seconds[-1] / max(runs)
    cost.loglog(total[:, 0], each * total[:, 0], color=TRUTH, lw=0.8, ls="--",
                label=f"{each:.2f} s each")  # fmt: skip
    cost.set(xlabel="recordings", ylabel="time [s]")
    held.plot(most.done, most.own, color=LINE, label="client and scheduler")
    held.plot(most.done, most.workers, color=BAND, label="largest worker")
    held.set(xlabel="recordings", ylabel="memory [MB]", ylim=(0.0, None))
    for axis in (cost, held):
        axis.grid(alpha=0.25)
        axis.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Make recordings, identify, print."""
    given = options(counts=(20,), figure="", seed=0)
    with tempfile.TemporaryDirectory() as name:
        jobs = make_recordings(Path(name), max(given.counts), given.seed)
        single, runs = [rate_of_one(jobs)], {}
        for count in given.counts:
            table = FleetTable.at(Path(name) / f"results_{count}")
            done, runs[count] = identified(jobs[:count], table)
            seconds = runs[count].seconds[-1]
            tell(f"{count} recordings: {seconds:.1f} s, {seconds / count:.3f} s each, "
                 f"{dict(done.verdicts)}")  # fmt: skip
        single.append(rate_of_one(jobs))
        watch, cores = runs[count], len(os.sched_getaffinity(0))
        rate = count / watch.seconds[-1]
        tell(f"one process {single[0]:.3f}/s before, {single[1]:.3f}/s after, cluster {rate:.3f}/s:"
             f" {rate / statistics.mean(single) / cores:.2f} of rate x {cores} cores")  # fmt: skip
        tell(f"client and scheduler {watch.own[-1]:.0f} MB at the end; workers at most "
             f"{max(watch.workers):.0f} MB")  # fmt: skip
        if given.figure:
            draw(Path(given.figure), runs)


if __name__ == "__main__":
    main()
