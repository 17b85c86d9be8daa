"""Sampler and estimator in one process and a namespace: from joint states to a replayed bag."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from payload_id_msgs.msg import PayloadEstimate, PlanDescription
from payload_id_msgs.srv import GetEstimate, Save
from rclpy.serialization import deserialize_message
from rosbags.interfaces import QosDurability
from rosbags.rosbag2 import Reader
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from harness import LATCHED, NodeProcess, Observer, joint_state
from junk import interface
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.files.recordings.recording import Recording
from payload_id.files.recordings.replay_job import ReplayJob
from payload_id.files.runs.run_file import RunFile
from ros_domain import next_domain
from synthetic import PAYLOAD, RATE, TOPIC, measured, robot_file, stamps_ns

DOMAIN = next_domain()
SECONDS = 4.0
ESTIMATOR = "/left/payload_estimator"


def test_joint_states_become_an_estimate_that_a_replay_repeats(tmp_path):
    samples = measured(tuple(PAYLOAD), SECONDS)
    parameters = tmp_path / "parameters.yaml"
    parameters.write_text(
        f"/left/payload_sampler:\n  ros__parameters: {{bag: {tmp_path / 'bag'}}}\n"
        f"{ESTIMATOR}:\n  ros__parameters: {{recordings_folder: {tmp_path}}}\n"
    )
    process = NodeProcess(
        "identify",
        DOMAIN,
        tmp_path / "log",
        "-r",
        "__ns:=/left",
        "--params-file",
        str(parameters),
        robot_file=robot_file(tmp_path),
    )
    observer = Observer(DOMAIN)
    try:
        tellers = tell_of_the_run(observer)
        final, saved = live_run(observer, samples, tmp_path)
        assert process.stop(signal.SIGINT) == 0
    finally:
        process.stop()
        observer.close()
    assert "Traceback" not in process.printed()
    assert np.all((final.lower <= PAYLOAD) & (final.upper >= PAYLOAD))
    repeats_bit_for_bit(final, saved)
    one_bag_tells_the_run(saved, tellers)


def tell_of_the_run(observer: Observer) -> dict[str, Any]:
    """Publish what others tell of a run; return it by topic."""
    told = {
        "/left/robot_description": String(data="<robot/>"),
        "/left/payload_planner/description": PlanDescription(
            plan_id="plan_7", certificate_digest="abc"
        ),
        "/right/payload_planner/description": PlanDescription(plan_id="another arm's"),
    }
    for topic, message in told.items():
        observer.node.create_publisher(type(message), topic, LATCHED).publish(message)
    return told


def one_bag_tells_the_run(folder: Path, told: dict[str, Any]) -> None:
    """Check topics, contents, qualities of service, and the version of the bag's metadata."""
    information = yaml.safe_load((folder / "metadata.yaml").read_text())[
        "rosbag2_bagfile_information"
    ]
    assert information["version"] == 9  # as ROS 2 Jazzy writes it
    with Reader(folder) as reader:
        found = {x.topic: x for x in reader.connections}
        data = {
            x.topic: deserialize_message(bytes(raw), interface(x.msgtype))
            for x, _, raw in reader.messages()
        }
    own = {topic: message for topic, message in told.items() if topic.startswith("/left/")}
    assert set(found) == {TOPIC, f"{ESTIMATOR}/payload", *own}
    for topic, message in own.items():
        assert data[topic] == message
        (profile,) = found[topic].ext.offered_qos_profiles
        assert profile.durability is QosDurability.TRANSIENT_LOCAL
    last = data[f"{ESTIMATOR}/payload"]
    assert last.status in (PayloadEstimate.GOOD, PayloadEstimate.USABLE)
    assert all(x.ext.offered_qos_profiles for x in found.values())


def live_run(observer: Observer, samples, folder: Path) -> tuple[PayloadEstimate, Path]:
    """Make a run; return the final estimate and the folder that it was saved in."""
    bags = observer.listen(String, "/left/payload_sampler/bag", LATCHED)
    publisher = observer.publisher(JointState, TOPIC)
    assert observer.call(Trigger, f"{ESTIMATOR}/start").success
    names = [f"joint_{k}" for k in range(1, 8)]
    # The robot's driver counts efforts against the joints.
    rows = zip(stamps_ns(samples), samples.q, samples.dq, -samples.tau, strict=True)
    for stamp_ns, q, dq, effort in rows:
        publisher.publish(joint_state(stamp_ns, names, q, dq, effort))
        observer.executor.spin_once(timeout_sec=0.0002)

    def estimate() -> PayloadEstimate:
        return observer.call(GetEstimate, f"{ESTIMATOR}/get_estimate").estimate

    wanted = len(samples) - RATE // 10 - 1
    observer.wait(lambda: estimate().samples >= wanted, f"{wanted} samples")
    answer = observer.call(Trigger, f"{ESTIMATOR}/stop")
    assert f"({len(samples)} samples" in answer.message
    saved = observer.call(Save, f"{ESTIMATOR}/save", path="")
    assert saved.success
    observer.wait(lambda: bags, "the recording's folder")
    assert saved.path == bags[-1].data == str(folder / "bag")
    return estimate(), Path(saved.path)


def repeats_bit_for_bit(final: PayloadEstimate, folder: Path) -> None:
    """Check that the bag and its run file give the live result, all bits of it."""
    run = RunFile.load(folder)
    assert run.topic == TOPIC
    recording = Recording.from_bag(
        folder,
        run.topic,
        run.joints,
        run.effort_sign,
        run.effort_offset,
        run.start_ns,
        run.end_ns,
    )
    model = ArmModel.from_xml(run.urdf, run.payload_frame, run.joints, run.gravity)
    settings = Settings(
        Uncertainty.from_dict(dict(run.uncertainty)), run.estimator, run.intervals, run.window
    )
    last = ReplayJob(recording, model, settings, run.updates).run()[1][-1]
    assert last.to_dict() == dict(run.result)
    for name in ("phi", "lower", "upper"):
        assert np.array_equal(getattr(last, name), getattr(final, name))
