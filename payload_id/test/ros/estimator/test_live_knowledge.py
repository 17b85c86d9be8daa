"""Knowledge as a live run takes it up, keeps it, and as a replay repeats it; without a node."""

from dataclasses import replace

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.identification.identify import replay
from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.ring_buffer import SampleRows
from payload_id.core.samples.stamps import seconds_since
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.run_file import RunFile
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE, check_estimator, run_settings
from payload_id.ros.estimator.sources.live_run import LiveRun
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


def test_changed_file_counts_from_the_next_run(tmp_path):
    robot = RobotFile.load(robot_file(tmp_path))
    one = run_settings(values(tmp_path), robot.uncertainty, robot.n)
    assert run_settings(values(tmp_path), robot.uncertainty, robot.n) == one
    other = values(tmp_path, "scales: {kind: known_mass, mass: 1.42, tolerance: 0.02}")
    assert run_settings(other, robot.uncertainty, robot.n) != one


def test_file_that_cannot_be_used_is_refused_at_once(tmp_path):
    with pytest.raises(ConfigurationError, match="scales.mass"):
        check_estimator(values(tmp_path, "scales: {kind: known_mass, mass: .inf}"))
