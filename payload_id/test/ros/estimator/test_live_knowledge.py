"""Knowledge as a live run takes it up, keeps it, and as a replay repeats it; without a node."""

from dataclasses import replace

import pytest

from payload_id.core.identification.identify import replay
from payload_id.core.identification.status import Status
from payload_id.core.knowledge.catalogue.known_mass import KnownMass
from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.ring_buffer import SampleRows
from payload_id.core.samples.stamps import seconds_since
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.run_file import RunFile
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE, run_settings
from payload_id.ros.estimator.run_control import RunControl
from payload_id.ros.estimator.sources.live_run import GIVEN_MASS, LiveRun
from synthetic import PAYLOAD, measured, robot_file, stamps_ns

YAML = """
scales: {kind: known_mass, mass: 1.41, tolerance: 0.02}
centre: {kind: centre_near_point, point: [0.02, -0.03, 0.09], distance: 0.005}
"""


def values(tmp_path, text=YAML):
    """Return the estimator's parameters with a file of knowledge."""
    path = tmp_path / "knowledge.yaml"
    path.write_text(text)
    return {entry.name: entry.default for entry in ESTIMATOR_TABLE} | {"knowledge": str(path)}


@pytest.mark.slow
def test_live_run_with_knowledge_is_repeated_bit_for_bit(tmp_path):
    robot = RobotFile.load(robot_file(tmp_path))
    model = RobotModel.from_robot_file(robot)
    settings = run_settings(values(tmp_path), robot.uncertainty, robot.n)
    run = LiveRun(model, JointMap(robot.joints), lambda: settings)
    samples = measured(tuple(PAYLOAD), 1.6)
    stamp_ns = stamps_ns(samples)
    for first in range(0, len(samples), 50):
        part = slice(first, first + 50)
        run.add(SampleRows(stamp_ns[part], samples.q[part], samples.dq[part], samples.tau[part]))
        if run.is_due():
            run.update()
    live = run.update()
    assert live.contains(PAYLOAD).all() and live.half_width[0] <= 0.02 + 1e-6
    entries = RunFile(robot.joints, robot.payload_frame, robot.urdf)
    run.fill_in(entries).save(tmp_path)
    (tmp_path / "knowledge.yaml").unlink()

    file = RunFile.load(tmp_path)
    assert file.knowledge.names == ("scales", "centre")
    stamp = seconds_since(stamp_ns, file.start_ns)
    own = file.settings(settings.identification.uncertainty)
    assert own == settings.identification
    *_, again = replay(replace(samples, stamp=stamp), model, own, file.updates)
    assert again.lower.tolist() == file.result["lower"]
    assert again.upper.tolist() == file.result["upper"]
    assert again.phi.tolist() == file.result["phi"]


class Controlled:
    """Runs of an arm as requests begin and end them."""

    def __init__(self, tmp_path):
        robot = RobotFile.load(robot_file(tmp_path))
        self.model, self.values = RobotModel.from_robot_file(robot), values(tmp_path, "{}")
        settings = lambda: run_settings(self.values, robot.uncertainty, robot.n)  # noqa: E731
        self.run = LiveRun(self.model, JointMap(robot.joints), settings)
        self.control = RunControl(self.run, robot.n, 10_000, lambda report: None)

    def measure(self, payload=PAYLOAD, begin=0.0, seconds=1.0):
        """Have the arm move with a payload; return the estimate of all data so far."""
        seen = measured(tuple(payload), begin + seconds)
        part = slice(int(begin / (begin + seconds) * len(seen)), len(seen))
        stamp_ns = stamps_ns(seen)[part]
        self.control.write(SampleRows(stamp_ns, seen.q[part], seen.dq[part], seen.tau[part]))
        self.control.drain()
        return self.control.estimate().report.estimate


def test_a_false_mass_is_found_out_where_the_data_know_better(tmp_path):
    arm = Controlled(tmp_path)
    arm.control.start(KnownMass(2.0 * PAYLOAD[0], 0.01))
    found = arm.measure()
    assert found.status is Status.INCONSISTENT and GIVEN_MASS in found.message, found.message
