"""An estimator that nobody calls: it tells what is in the hand, and what carries it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from payload_id_msgs.msg import PayloadEstimate, PayloadEvent, SampleBlock
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from harness import LATCHED, START_NS, NodeProcess, Observer, joint_state
from payload_id.core.control.carried_weight import weight_torque
from payload_id.core.identification.settings import Settings
from payload_id.core.samples.sample_rows import SampleRows
from payload_id.core.samples.stamps import seconds_since
from payload_id.files.recordings.recording import Recording
from payload_id.files.recordings.replay_job import ReplayJob
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.run_file import RunFile
from payload_id.ros.common.topics import EVERY
from payload_id.ros.estimator.sources.live_run import RunSettings, torque_run
from promises.nodes import next_domain
from synthetic import PAYLOAD, blocks, measured, robot_file

pytestmark = pytest.mark.slow  # nodes in real time

DOMAIN = next_domain()
NODE = "/payload_estimator"
PICK, RELEASE, END = 3.0, 5.0, 6.5  # [s]


def scene():
    """Return samples of an arm that holds a payload for a while."""
    bare, loaded = (measured(tuple(phi), END) for phi in (1e-6 * PAYLOAD, PAYLOAD))
    held = (bare.stamp >= PICK) & (bare.stamp < RELEASE)
    return replace(bare, tau=np.where(held[:, None], loaded.tau, bare.tau))


def test_a_payload_is_kept_when_it_leaves_the_hand_and_found_again_bit_for_bit(tmp_path):
    robot, samples, kept, told = RobotFile.load(robot_file(tmp_path)), scene(), [], 0
    settings = RunSettings(Settings(robot.uncertainty, window=0.05, hands_free=True), 0.5)
    run = torque_run(robot, "", "", lambda: settings)
    blank = RunFile(robot.joints, robot.payload_frame, robot.urdf)
    run.on_ended = lambda filled, since_ns: kept.append((filled(blank), since_ns))
    run.begin()
    stamp_ns = START_NS + np.rint(samples.stamp * 1e9).astype(np.int64)
    for start in range(0, len(samples), 50):
        part = slice(start, start + 50)
        run.add(SampleRows(stamp_ns[part], samples.q[part], samples.dq[part], samples.tau[part]))
        news = run.is_due(rested=False)
        if news or run.is_due(rested=True):
            told += news
            run.update()
    assert told >= 2  # what has come into the hand, and has left it, waits for nothing
    ((file, since_ns),) = kept
    assert abs(since_ns - START_NS - PICK * 1e9) < 0.1e9 and file.end_ns < START_NS + RELEASE * 1e9
    assert file.result.contains(PAYLOAD).all() and file.result.mass_identified
    until = stamp_ns <= file.end_ns
    seconds = seconds_since(stamp_ns[until], file.start_ns)
    recording = Recording(seconds, *(getattr(samples, x)[until] for x in ("q", "dq", "tau")))
    model = RobotModel.from_robot_file(robot)
    job = ReplayJob(recording, model, file.settings, file.updates, file.result)
    assert job.repeats(job.last()[1])


def test_picks_are_told_and_carried_without_any_call(tmp_path):
    """Events within 0.3 s, intervals of what is in the hand, its weight at every joint state."""
    process = NodeProcess(
        "estimator", DOMAIN, tmp_path / "log", robot_file=robot_file(tmp_path),
        runs_folder=tmp_path / "runs", hands_free=True, feedforward="estimate",
    )  # fmt: skip
    observer, robot = Observer(DOMAIN), RobotFile.load("kinova_gen3")
    model = RobotModel.from_robot_file(robot)
    try:
        events = observer.listen(PayloadEvent, f"{NODE}/payload_event", EVERY)
        estimates = observer.listen(PayloadEstimate, f"{NODE}/payload", LATCHED)
        torques = observer.listen(
            Float64MultiArray, f"{NODE}/payload_feedforward", qos_profile_sensor_data
        )
        health = observer.listen(DiagnosticArray, "/diagnostics", 10)
        samples = observer.publisher(SampleBlock, "/payload_sampler/samples")
        states = observer.publisher(JointState, "/joint_states")
        observer.wait(lambda: any("has begun" in x.message for x in estimates), "a run")
        number, q = 0, np.linspace(-0.5, 0.5, model.n)

        def carried() -> np.ndarray:
            nonlocal number
            number += 1
            stamp, still = START_NS + number * 10_000_000, np.zeros(model.n)
            states.publish(joint_state(stamp, robot.joints, q, still, still))
            observer.executor.spin_once(timeout_sec=0.02)
            return np.array(torques[-1].data) if torques else np.full(model.n, np.nan)

        def feed(part: list[SampleBlock], events_wanted: int) -> None:
            for block in part:
                samples.publish(block)
                observer.executor.spin_once(timeout_sec=0.002)
            observer.wait(lambda: len(events) >= events_wanted, f"{events_wanted} events")

        every = blocks(scene())
        until = round(len(every) * (PICK + 1.5) / END)
        feed(every[:until], 1)
        wanted = weight_torque(model, q, PAYLOAD)
        observer.wait(lambda: np.allclose(carried(), wanted, atol=0.1), "the payload's weight")
        feed(every[until:], 2)
        observer.wait(lambda: np.allclose(carried(), 0.0, atol=1e-9), "no weight")
        steps = np.abs(np.diff([x.data for x in torques], axis=0)).max(axis=0)
        assert (steps <= 0.02 * robot.limits.torque + 1e-9).all()
        assert [x.kind for x in events] == ["picked", "released"]
        for event, time in zip(events, (PICK, RELEASE), strict=True):
            told = event.header.stamp.sec - START_NS // 10**9 + 1e-9 * event.header.stamp.nanosec
            assert time <= told <= time + 0.3
        assert abs(events[0].mass - PAYLOAD[0]) < 0.1 * PAYLOAD[0]
        observer.wait(
            lambda: (
                estimates[-1].held_since == events[-1].since
                and estimates[-1].upper[0] < 0.5 * PAYLOAD[0]
            ),
            "an interval of the empty hand",
        )
        grave = [s.message for x in health for s in x.status if s.level == DiagnosticStatus.ERROR]
        assert all("No samples have come" in said for said in grave)  # between the parts
    finally:
        process.stop()
        observer.close()


def test_a_gripper_tells_when_something_is_held(tmp_path):
    """Its joint comes with the arm's; torques show nothing yet."""
    path = robot_file(tmp_path)
    gripper = "gripper: {joint: finger, open: 0.0, closed: 0.8, tolerance: 0.02}\n"
    path.write_text(path.read_text() + gripper)
    process = NodeProcess(
        "estimator", DOMAIN, tmp_path / "log", robot_file=path,
        runs_folder=tmp_path / "runs", hands_free=True,
    )  # fmt: skip
    observer, joints = Observer(DOMAIN), RobotFile.load("kinova_gen3").joints
    try:
        events = observer.listen(PayloadEvent, f"{NODE}/payload_event", EVERY)
        estimates = observer.listen(PayloadEstimate, f"{NODE}/payload", LATCHED)
        samples = observer.publisher(SampleBlock, "/payload_sampler/samples")
        states = observer.publisher(JointState, "/joint_states")
        observer.wait(lambda: any("has begun" in x.message for x in estimates), "a run")
        still = np.zeros(len(joints) + 1)
        for block in blocks(measured(tuple(1e-6 * PAYLOAD), 3.0)):
            stamp_ns = int(block.stamp_ns[-1])
            finger = 0.4 if 1.0 <= (stamp_ns - START_NS) / 1e9 < 2.0 else 0.0
            position = np.append(still[1:], finger)
            states.publish(joint_state(stamp_ns, (*joints, "finger"), position, still, still))
            samples.publish(block)
            observer.executor.spin_once(timeout_sec=0.01)
        observer.wait(lambda: len(events) >= 2, "two events")
        assert [x.kind for x in events] == ["picked", "released"]
    finally:
        process.stop()
        observer.close()
