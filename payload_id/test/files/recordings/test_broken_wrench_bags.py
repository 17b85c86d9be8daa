"""Gaps, leaps, frames and dead sensors in bags of a wrench: a true interval, or a sentence."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from scipy.spatial.transform import Rotation

from payload_id import (
    RobotFile,
    RobotModel,
    WrenchRecording,
    WrenchUncertainty,
    identify_wrench,
)
from payload_id.core.arm.kinetics import frames
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import RecordingError
from payload_id.core.identification.status import Status
from payload_id.core.motion.trajectory import Motion
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.samples.arm_sensor_motion import motion_of
from payload_id.files.bags.joint_states_bag import JointStateMessage, write_joint_state
from wrench_messages import pose_message, wrench_message

PAYLOAD = from_mass_com_inertia(2.1, [0.03, -0.02, 0.08], np.diag([0.011, 0.013, 0.006]))
START = 1_760_000_000 * 10**9
STORE = get_typestore(Stores.ROS2_JAZZY)
NOISE = np.array([0.04] * 3 + [0.0015] * 3)
BOUNDS = WrenchUncertainty(
    force_error=0.05,
    torque_error=0.002,
    linear_acceleration_error=0.2,
    angular_acceleration_error=0.5,
    angular_velocity_error=0.02,
    orientation_error=0.002,
    prior=PayloadPrior(mass_max=5.0, com_max=0.3),
)
LOST = np.random.default_rng(7).random(2000) < 0.1
JOINTS, WRENCH, POSE = "/joint_states", "/ft", "/pose"
KINDS = {
    JOINTS: "sensor_msgs/msg/JointState",
    WRENCH: "geometry_msgs/msg/WrenchStamped",
    POSE: "geometry_msgs/msg/PoseStamped",
}


@pytest.fixture(scope="module")
def robot():
    return RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))


@pytest.fixture(scope="module")
def run(robot):
    """Return ten seconds of several joints that turn as sines, at 200 Hz, and the true wrench."""
    rng = np.random.default_rng(8)
    time = np.arange(0.0, 10.0, 5e-3)
    amplitude, phase = rng.uniform(0.2, 0.5, 7), rng.uniform(0.0, 6.0, 7)
    rate = 2 * np.pi * rng.uniform(0.15, 0.5, 7)
    fast = np.array([0.0, 0.0, 0.0, 0.003, 0.0, 0.003, 0.0])  # small, at 4 Hz
    angle, fast_angle = time[:, None] * rate + phase, 2 * np.pi * 4.0 * time[:, None]
    home = np.asarray(RobotFile.load("kinova_gen3").home)
    q = home + amplitude * np.sin(angle) + fast * np.sin(fast_angle)
    dq = amplitude * rate * np.cos(angle) + 8 * np.pi * fast * np.cos(fast_angle)
    ddq = -amplitude * rate**2 * np.sin(angle) - (8 * np.pi) ** 2 * fast * np.sin(fast_angle)
    motion = Motion(time, q, dq, ddq)
    moving = motion_of(robot, time, q, dq, bandwidth=20.0)
    proper = moving.linear_acceleration - robot.gravity @ moving.rotation
    Y = newton_euler_regressor(proper, moving.angular_velocity, moving.angular_acceleration)
    noise = np.random.default_rng(9).uniform(-NOISE, NOISE, (len(time), 6))
    return motion, moving.rotation, frames(robot, q)[1][:, -1], Y @ PAYLOAD + noise


@pytest.fixture
def write(run, robot, tmp_path):
    """Return a function that writes a bag whose messages a function changed or left out.

    It is given the topic, the number of the message, its stamp [s], frame and wrench, and returns
    the last three, or None.
    """
    motion, rotation, origin, wrench = run
    path = tmp_path / "bag"

    def write_bag(change):
        with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
            topics = {
                name: writer.add_connection(name, kind, typestore=STORE)
                for name, kind in KINDS.items()
            }
            for k, t in enumerate(motion.time):
                for topic in KINDS:
                    made = change(topic, k, t, robot.payload_frame, wrench[k])
                    if made is None:
                        continue
                    stamp, frame, value = made
                    at = START + round(1e9 * stamp)
                    data = {
                        JOINTS: lambda at=at, k=k: write_joint_state(
                            JointStateMessage(
                                at, robot.joints, motion.q[k], motion.dq[k], np.zeros(0)
                            )
                        ),
                        WRENCH: lambda at=at, v=value, f=frame: wrench_message(at, v, f),
                        POSE: lambda at=at, k=k: pose_message(
                            at, origin[k], Rotation.from_matrix(rotation[k])
                        ),
                    }[topic]()
                    writer.write(topics[topic], START + 5_000_000 * k, data)
        return path

    return write_bag


def read(path, robot, by):
    return (
        WrenchRecording.from_bag(path, WRENCH, robot=robot)
        if by == JOINTS
        else WrenchRecording.from_bag(path, WRENCH, pose_topic=POSE)
    )


def pause(*topics, start=4.0, seconds=1.0):
    """Return a change that leaves messages of topics out for a while."""
    return lambda topic, k, t, f, w: (
        None if topic in topics and start < t < start + seconds else (t, f, w)
    )


def leap(*topics, seconds):
    """Return a change that sets stamps of topics forward from the middle on."""
    return lambda topic, k, t, f, w: (t + seconds * (topic in topics and t > 5.0), f, w)


@pytest.mark.slow
@pytest.mark.parametrize("by", [JOINTS, POSE])
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda topic, k, t, f, w: (t, f, w), id="nothing"),
        pytest.param(pause(JOINTS, POSE), id="motion pauses"),
        pytest.param(pause(JOINTS, POSE, WRENCH, seconds=2.0), id="all pauses"),
        pytest.param(leap(*KINDS, seconds=8.0), id="clocks leap"),
        pytest.param(leap(*KINDS, seconds=3600.0), id="clocks leap an hour"),
        pytest.param(leap(*KINDS, seconds=-100.0), id="clocks are set back"),
        pytest.param(pause(POSE, JOINTS, start=3.0, seconds=0.006), id="one is missing"),
        pytest.param(lambda topic, k, t, f, w: None if topic != WRENCH and LOST[k] else (t, f, w),
                     id="one in ten is missing"),
    ],
)  # fmt: skip
def test_the_truth_is_inside_whatever_pauses_or_leaps(write, robot, change, by):
    recording = read(write(change), robot, by)
    estimate = identify_wrench(recording, BOUNDS)
    assert estimate.status in (Status.GOOD, Status.USABLE), estimate.message
    assert estimate.contains(PAYLOAD).all()
    assert len(recording) > 500


@pytest.mark.parametrize("by", [JOINTS, POSE])
@pytest.mark.parametrize("which", [(WRENCH,), (JOINTS, POSE)])
def test_wrenches_without_motion_at_their_stamps_are_told(write, robot, which, by):
    """One of both clocks was set ahead in the middle: half of the wrench goes with no motion."""
    recording = read(write(leap(*which, seconds=6.0)), robot, by)
    assert len(recording) < 1200
    assert any("are not used" in note and by in note for note in recording.notes)


def test_one_stamp_far_ahead_loses_one_wrench(write, robot):
    ahead = lambda topic, k, t, f, w: (t + 11.0 * (topic == WRENCH and k == 700), f, w)  # noqa: E731
    recording = read(write(ahead), robot, JOINTS)
    assert recording.dropped == {"stamp_leap": 1} and len(recording) > 1900
    assert not any("are not used" in note for note in recording.notes)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["ft", ""])
def test_a_wrench_of_another_frame_is_left_out_and_said(write, robot, first):
    change = lambda topic, k, t, f, w: (t, first if k % 20 == 0 else f, w * (1 + (k % 20 == 0)))  # noqa: E731
    if not first:
        change = lambda topic, k, t, f, w: (t, first if k % 20 == 0 else f, w)  # noqa: E731
    recording = read(write(change), robot, JOINTS)
    assert recording.frame == robot.payload_frame
    assert recording.dropped == ({"other_frame": 100} if first else {})
    assert bool(first) == any("100 of the frame 'ft'" in note for note in recording.notes)
    assert identify_wrench(recording, BOUNDS).contains(PAYLOAD).all()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros(6), "exactly zero"),
        (np.arange(6.0), "exactly the same in all samples although the sensor turned"),
        (np.full(6, np.nan), "2000 not_finite"),
        (np.append(np.ones(3), np.full(3, 1e12)), "2000 not_finite"),
    ],
)
@pytest.mark.parametrize("by", [JOINTS, POSE])
def test_a_sensor_that_does_not_measure_is_told(write, robot, value, words, by):
    stuck = write(lambda topic, k, t, f, w: (t, f, value))
    with pytest.raises(RecordingError, match=words):
        read(stuck, robot, by)


@pytest.mark.parametrize(
    ("off", "words"),
    [((3, 4, 5), "torque x, torque y, torque z"), ((0, 1, 2), "force x, force y, force z"),
     ((5,), "samples: torque z"), ((0,), "samples: force x")],
)  # fmt: skip
def test_channels_that_no_sensor_measures_are_told(write, robot, off, words):
    mask = np.where(np.isin(np.arange(6), off), 0.0, 1.0)
    silent = write(lambda topic, k, t, f, w: (t, f, mask * w))
    with pytest.raises(RecordingError, match=words):
        read(silent, robot, JOINTS)


@pytest.mark.parametrize("channel", range(6))
def test_a_channel_that_is_always_the_same_is_told(write, robot, channel):
    kept, value = np.arange(6) != channel, 0.004 * (np.arange(6) == channel)
    silent = write(lambda topic, k, t, f, w: (t, f, kept * w + value))
    name = f"{'force' if channel < 3 else 'torque'} {'xyz'[channel % 3]}"
    with pytest.raises(RecordingError, match=rf"samples: {name} \(not 0\)"):
        read(silent, robot, JOINTS)


def test_a_coarse_sensor_may_show_small_torques_as_nothing(write, robot):
    step = np.where(np.arange(6) < 5, 0.05, 100.0)
    coarse = write(lambda topic, k, t, f, w: (t, f, step * np.round(w / step)))
    assert len(read(coarse, robot, JOINTS)) > 1000


def test_stamps_that_stand_still_are_told(write, robot):
    with pytest.raises(RecordingError, match="1999 duplicate"):
        read(write(lambda topic, k, t, f, w: (t * (topic == JOINTS), f, w)), robot, JOINTS)


def test_what_pauses_for_a_day_needs_no_more_memory(write, robot):
    recording = read(write(leap(JOINTS, WRENCH, seconds=86400.0)), robot, JOINTS)
    assert Counter(np.diff(recording.stamp) > 1.0)[True] == 1
    assert identify_wrench(recording, BOUNDS).contains(PAYLOAD).all()
