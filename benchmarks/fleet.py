"""Many recordings on all cores: throughput, memory, cost per recording, results after being killed.

    ./payload-id python benchmarks/fleet.py --recordings 20 --kill 2
    ./payload-id python benchmarks/fleet.py --recordings 2000 --before 20 200 \
        --figure docs/images/fleet.png

Recordings of 7.5 s at 1 kHz are made for three shipped robots and a UR10 of example-robot-data
(inverse dynamics, payload, torque noise), each with noise of its own. Prints how many recordings a
second one process identifies, before and after, since machines change, and how many the cluster,
whose memory is looked at on the way. `--before` identifies from the first so many alone, in
clusters of their own: does a recording cost the same among few and among many? With `--kill` the
run is killed that often and goes on; its table is compared with that of a run that nobody
disturbed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

import numpy as np
import psutil
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
NOT_COMPARED = ("seconds_used", "bag")


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


class Watch:
    """Looks at the memory of this process, which holds client and scheduler, and of the workers.

    Attributes:
        begin: When the work began [s].
        seconds: Since then, when something was done.
        done: Number of recordings that were done by then.
        own: Memory of client and scheduler then [MB].
        workers: Memory of the largest worker then [MB].
    """

    def __init__(self) -> None:
        """Look at nothing yet."""
        self.begin = time.perf_counter()
        self.seconds: list[float] = []
        self.done: list[int] = []
        self.own: list[float] = []
        self.workers: list[float] = []

    def __call__(self, progress: Progress) -> None:
        """Note what is used."""
        me = psutil.Process()
        self.seconds.append(time.perf_counter() - self.begin)
        self.done.append(progress.made + progress.lost)
        self.own.append(me.memory_info().rss / 1e6)
        self.workers.append(max(map(memory, me.children(recursive=True)), default=0.0))


def memory(process: psutil.Process) -> float:
    """Return what a process holds [MB]; nothing if it has gone."""
    try:
        return process.memory_info().rss / 1e6
    except psutil.NoSuchProcess:
        return 0.0


def identified(jobs: list[FleetJob], table: FleetTable) -> tuple[Progress, Watch, int]:
    """Identify in a cluster of its own; return what was done, what it used, and on how many cores.

    Starting and ending the cluster counts as the run's time, as for one who waits for it.
    """
    watch = Watch()
    with cluster_client() as client:
        cores = sum(client.nthreads().values())
        done = identify_fleet(jobs, table, client, watch)
    watch.seconds.append(time.perf_counter() - watch.begin)
    return done, watch, cores


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


def same(one: FleetTable, two: FleetTable) -> bool:
    """Tell whether two tables hold the same, but for the time that was used."""
    tables = [table.read().drop_columns(list(NOT_COMPARED)) for table in (one, two)]
    left, right = (repr(table.to_pylist()) for table in tables)
    return left == right


def killed(folder: Path, table: Path, times: int, seed: int, count: int) -> FleetTable:
    """Have runs killed after some results, then let one finish."""
    command = [sys.executable, __file__, "--recordings", str(count), "--seed", str(seed),
               "--in", str(folder), "--out", str(table)]  # fmt: skip
    for number in range(times):
        process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL)
        wanted = count * (number + 1) // (times + 2)
        while process.poll() is None and len([*table.glob("rows/*/*/*.parquet")]) < wanted:
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        print(f"killed with {len([*table.glob('rows/*/*/*.parquet')])} results", flush=True)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return FleetTable.at(table)


def main() -> None:
    """Make recordings, identify, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=20)
    parser.add_argument("--kill", type=int, default=0, metavar="TIMES")
    parser.add_argument("--before", type=int, nargs="*", default=(), metavar="COUNT")
    parser.add_argument("--figure", type=Path, metavar="FILE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--in", dest="folder", type=Path, help="with recordings that were made")
    parser.add_argument("--out", type=Path, help="folder of results")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = arguments.folder or Path(name) / "bags"
        listing = folder / "jobs.json"
        folder.mkdir(exist_ok=True)
        if listing.exists():
            methods = {x: Method(r, Settings(r.uncertainty)) for x, r in robots(folder).items()}
            jobs = [FleetJob(Entry(**each), methods[each["payload"]])
                    for each in json.loads(listing.read_text())]  # fmt: skip
        else:
            jobs = make_recordings(folder, arguments.recordings, arguments.seed)
            listing.write_text(json.dumps([{"bag": x.entry.bag, "payload": x.entry.payload}
                                           for x in jobs]))  # fmt: skip
        table = FleetTable.at(arguments.out or Path(name) / "results")
        if arguments.folder is not None:
            print(dict(identified(jobs, table)[0].verdicts))
            return
        single = [rate_of_one(jobs)]
        runs = {}
        for count in (*arguments.before, len(jobs)):
            here = table if count == len(jobs) else FleetTable.at(Path(name) / f"first_{count}")
            done, watch, cores = identified(jobs[:count], here)
            seconds, runs[count] = watch.seconds[-1], watch
            print(f"{count} recordings, {cores} cores: {seconds:.1f} s, "
                  f"{seconds / count:.3f} s each, {dict(done.verdicts)}", flush=True)  # fmt: skip
        single.append(rate_of_one(jobs))
        rate, alone = (done.made + done.lost) / seconds, statistics.mean(single)
        print(f"one process {single[0]:.3f}/s before, {single[1]:.3f}/s after, cluster "
              f"{rate:.3f}/s: {rate / alone / cores:.2f} of rate x cores")  # fmt: skip
        early = watch.own[max(1, len(watch.own) // 10) - 1]
        print(
            f"client and scheduler {early:.0f} MB after a tenth, {watch.own[-1]:.0f} MB at the "
            f"end; workers at most {max(watch.workers):.0f} MB"
        )
        size = sum(x.stat().st_size for x in table.folder.rglob("*.parquet")) / len(jobs)
        print(f"{size / 1e3:.0f} kB of table for each recording", flush=True)
        if arguments.figure:
            draw(arguments.figure, runs)
        if arguments.kill:
            again = killed(folder, Path(name) / "killed", arguments.kill, arguments.seed, len(jobs))
            print(f"killed {arguments.kill} times: the same table: {same(table, again)}")


if __name__ == "__main__":
    main()
