"""Recordings of a force-torque sensor: whatever pauses or leaps, a true interval or a sentence."""

from __future__ import annotations

import json
from pathlib import Path

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
    identify_poses,
    identify_wrench,
)
from payload_id.cli.main import main
from payload_id.core.arm.kinetics import frames
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError, RecordingError, UnknownNameError
from payload_id.core.identification.status import Status
from payload_id.core.motion.trajectory import Motion
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.samples.arm_sensor_motion import motion_of
from payload_id.files.bags.joint_states_bag import JointStateMessage, write_joint_state
from payload_id.files.configuration.package_data import share_folder
from wrench_messages import pose_message, wrench_message

PAYLOAD = from_mass_com_inertia(2.1, [0.03, -0.02, 0.08], np.diag([0.011, 0.013, 0.006]))
START = 1_760_000_000_123_456_789
STEP, COUNT = 5e-3, 1200  # [s] between messages, and how many there are on each topic
STORE = get_typestore(Stores.ROS2_JAZZY)
KUKA = Path(__file__).parents[5] / "shared" / "datasets" / "wrench_kuka_med14"
COLUMNS = share_folder() / "config" / "recordings" / "kuka_wrench_csv.yaml"
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
JOINTS, WRENCH, POSE = "/joint_states", "/ft", "/pose"
KINDS = {
    JOINTS: "sensor_msgs/msg/JointState",
    WRENCH: "geometry_msgs/msg/WrenchStamped",
    POSE: "geometry_msgs/msg/PoseStamped",
}


@pytest.fixture(scope="module")
def robot():
    return RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))


class Run:
    """Several joints that turn as sines, and the wrench that a payload needs, with noise."""

    def __init__(self, robot) -> None:
        rng, self.robot = np.random.default_rng(8), robot
        time = STEP * np.arange(COUNT)
        amplitude, phase = rng.uniform(0.2, 0.5, 7), rng.uniform(0.0, 6.0, 7)
        rate = 2 * np.pi * rng.uniform(0.15, 0.5, 7)
        angle = time[:, None] * rate + phase
        q = np.asarray(RobotFile.load("kinova_gen3").home) + amplitude * np.sin(angle)
        dq, ddq = amplitude * rate * np.cos(angle), -amplitude * rate**2 * np.sin(angle)
        self.motion = Motion(time, q, dq, ddq)
        self.moving = motion_of(robot, time, q, dq, bandwidth=20.0)
        self.rotation, self.origin = self.moving.rotation, frames(robot, q)[1][:, -1]
        proper = self.moving.linear_acceleration - robot.gravity @ self.rotation
        turning = self.moving.angular_velocity, self.moving.angular_acceleration
        noise = rng.uniform(-NOISE, NOISE, (COUNT, 6))
        self.wrench = newton_euler_regressor(proper, *turning) @ PAYLOAD + noise

    def message(self, topic, k, stamp, frame, wrench) -> bytes:
        """Return one message."""
        at = START + round(1e9 * stamp)
        if topic == WRENCH:
            return wrench_message(at, wrench, frame)
        if topic == POSE:
            return pose_message(at, self.origin[k], Rotation.from_matrix(self.rotation[k]))
        q, dq = self.motion.q[k], self.motion.dq[k]
        return write_joint_state(JointStateMessage(at, self.robot.joints, q, dq, np.zeros(0)))

    def bag(self, path, change) -> Path:
        """Write a bag; `change` is given topic, number, stamp [s], frame and wrench.

        It returns the last three, or None for a message that is left out.
        """
        with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
            topics = {x: writer.add_connection(x, KINDS[x], typestore=STORE) for x in KINDS}
            for k, t in enumerate(self.motion.time):
                for topic, connection in topics.items():
                    made = change(topic, k, t, self.robot.payload_frame, self.wrench[k])
                    if made is not None:
                        data = self.message(topic, k, *made)
                        writer.write(connection, START + round(1e9 * STEP * k), data)
        return path


@pytest.fixture(scope="module")
def run(robot):
    return Run(robot)


@pytest.fixture
def recorded(run, robot, tmp_path):
    """Return a function that writes a bag with a change and reads it, by joint states or poses."""
    count = iter(range(99))

    def record(change=lambda topic, k, t, f, w: (t, f, w), by=JOINTS, **options):
        path = run.bag(tmp_path / f"bag_{next(count)}", change)
        motion = {"robot": robot} if by == JOINTS else {"pose_topic": POSE}
        return WrenchRecording.from_bag(path, WRENCH, **motion, **options)

    return record


def of_each(change):
    """Return a change of the wrenches alone."""
    return lambda topic, k, t, f, w: (t, f, change(w))


def pause(*topics, start=2.0, seconds=1.0):
    """Return a change that leaves messages of topics out for a while."""
    return lambda topic, k, t, f, w: (
        None if topic in topics and start < t < start + seconds else (t, f, w)
    )


def leap(*topics, seconds):
    """Return a change that sets stamps of topics forward from the middle on."""
    return lambda topic, k, t, f, w: (t + seconds * (topic in topics and t > 3.0), f, w)


def test_a_bag_gives_the_payload_by_joint_states_and_by_poses(recorded, robot):
    for by in (JOINTS, POSE):
        recording = recorded(by=by)
        estimate = identify_wrench(recording, BOUNDS)
        assert recording.start_ns == START and recording.frame == robot.payload_frame
        assert estimate.status is Status.GOOD and estimate.contains(PAYLOAD).all()
        assert estimate.payload_frame == robot.payload_frame
        assert estimate.phi[0] == pytest.approx(PAYLOAD[0], rel=0.01)
    turned = recorded(sign=-1.0)
    np.testing.assert_array_equal(turned.wrench, -recorded().wrench)


LOST = np.random.default_rng(7).random(COUNT) < 0.1
HARMLESS = {
    "all pauses": pause(JOINTS, POSE, WRENCH, seconds=1.5),
    "clocks leap an hour": leap(*KINDS, seconds=3600.0),
    "one in ten is missing": lambda topic, k, t, f, w: (
        None if topic != WRENCH and LOST[k] else (t, f, w)
    ),
}


@pytest.mark.slow
def test_the_truth_is_inside_whatever_pauses_or_leaps(recorded):
    for number, (name, change) in enumerate(HARMLESS.items()):
        recording = recorded(change, (JOINTS, POSE)[number % 2])
        estimate = identify_wrench(recording, BOUNDS)
        assert estimate.status in (Status.GOOD, Status.TOO_WIDE), (name, estimate.message)
        assert estimate.contains(PAYLOAD).all(), name
        assert len(recording) > 400


def test_wrenches_without_motion_at_their_stamps_are_told(recorded):
    """One of both clocks was set ahead in the middle: half of the wrench goes with no motion."""
    for by, which in ((JOINTS, (WRENCH,)), (POSE, (JOINTS, POSE))):
        recording = recorded(leap(*which, seconds=4.0), by)
        assert len(recording) < 0.6 * COUNT
        assert any("are not used" in note and by in note for note in recording.notes)
    ahead = recorded(lambda topic, k, t, f, w: (t + 11.0 * (topic == WRENCH and k == 700), f, w))
    assert ahead.dropped == {"stamp_leap": 1} and len(ahead) > 0.9 * COUNT


def test_a_wrench_of_another_frame_is_left_out_and_said(recorded, robot):
    for first, most in (("ft", COUNT // 20), ("", 0)):
        recording = recorded(lambda topic, k, t, f, w, first=first: (t, f if k % 20 else first, w))
        assert recording.frame == robot.payload_frame
        assert recording.dropped == ({"other_frame": most} if first else {})
        assert bool(first) == any("'ft'" in note for note in recording.notes)


def test_a_sensor_that_does_not_measure_is_told_by_its_channels(recorded):
    names = [f"{kind} {axis}" for kind in ("force", "torque") for axis in "xyz"]
    for channels, value in (((5,), 0.0), ((2,), 0.004), ((0, 1, 2), 0.0), ((4,), -1.0)):
        stuck = np.isin(np.arange(6), channels)
        with pytest.raises(RecordingError, match=", ".join(names[k] for k in channels)):
            recorded(of_each(lambda w, stuck=stuck, value=value: np.where(stuck, value, w)))
    for value, by in ((np.zeros(6), JOINTS), (np.arange(6.0), POSE)):
        with pytest.raises(RecordingError, match="exactly"):
            recorded(of_each(lambda w, value=value: value), by)
    for value in (np.full(6, np.nan), np.append(np.ones(3), np.full(3, 1e12))):
        with pytest.raises(RecordingError, match=f"{COUNT} not_finite"):
            recorded(of_each(lambda w, value=value: value))
    with pytest.raises(RecordingError, match="one stamp"):
        recorded(lambda topic, k, t, f, w: (t * (topic == JOINTS), f, w))


def test_a_coarse_sensor_may_show_small_torques_as_nothing(recorded):
    step = np.where(np.arange(6) < 5, 0.05, 100.0)
    assert len(recorded(of_each(lambda w: step * np.round(w / step)))) > 0.5 * COUNT


def test_what_is_not_there_is_named_with_what_is(run, robot, tmp_path):
    bag = run.bag(tmp_path / "bag", lambda topic, k, t, f, w: (t, f, w))
    for error, words, given in (
        (UnknownNameError, "'ft_sensor'.*end_effector", {"robot": robot, "frame": "ft_sensor"}),
        (UnknownNameError, "'/wrench'.*/ft", {"robot": robot, "wrench_topic": "/wrench"}),
        (RecordingError, "JointState", {"robot": robot, "wrench_topic": JOINTS}),
        (InputError, "motion", {}),
    ):
        topic = given.pop("wrench_topic", "")
        with pytest.raises(error, match=words):
            WrenchRecording.from_bag(bag, *([topic] if topic else []), **given)


# ----------------------------------------------------------------------------------------- tables

DESCRIPTION = {
    "frame": "tool",
    "gravity": [0, 0, -9.81],
    "wrench": {
        "file": "*_wrench.csv", "stamp": {"column": "t", "unit": "us"},
        "columns": ["fx", "fy", "fz", "tx", "ty", "tz"], "sign": -1,
    },
    "orientation": {"file": "*_orientations.csv", "quaternion": ["x", "y", "z", "w"]},
    "acceleration": {
        "file": "*_accel.csv", "columns": ["ax", "ay", "az"], "unit": "g", "late_by": 0.008,
    },
}  # fmt: skip


def test_tables_in_several_files_and_units_give_the_payload(run, tmp_path):
    g = run.rotation.transpose(0, 2, 1) @ [0, 0, -9.81]
    felt = (run.moving.linear_acceleration - g) / 9.80665
    turned = Rotation.from_matrix(run.rotation).as_quat()
    for name, head, values, shift in (
        ("a_wrench.csv", "t,fx,fy,fz,tx,ty,tz", -run.wrench, 0.0),
        ("a_orientations.csv", "t,x,y,z,w", turned, 0.0),
        ("a_accel.csv", "t,ax,ay,az", felt, 0.008),
    ):
        rows = np.column_stack([((run.motion.time + shift) * 1e6).round(), values])
        np.savetxt(tmp_path / name, rows, delimiter=",", header=head, comments="", fmt="%.12g")
    recording = WrenchRecording.from_csv(tmp_path / "a_wrench.csv", DESCRIPTION)
    assert recording.frame == "tool" and not recording.dropped and not recording.notes
    assert identify_wrench(recording, BOUNDS).contains(PAYLOAD).all()
    still = {key: x for key, x in DESCRIPTION.items() if key != "acceleration"}
    assert "stand still" in WrenchRecording.from_csv(tmp_path / "a_wrench.csv", still).notes[0]
    (tmp_path / "a_accel.csv").unlink()
    with pytest.raises(RecordingError, match=r"a_accel\.csv"):
        WrenchRecording.from_csv(tmp_path / "a_wrench.csv", DESCRIPTION)


def test_rows_of_the_motion_that_cannot_be_used_are_counted(tmp_path):
    names = ["t", *(f"w{k}" for k in range(6)), "x", "y", "z", "w", "ax", "ay", "az"]
    columns = {
        "wrench": {"stamp": {"column": "t", "unit": "s"}, "columns": names[1:7]},
        "orientation": {"quaternion": ["x", "y", "z", "w"]},
        "acceleration": {"columns": ["ax", "ay", "az"]},
    }
    rows = np.zeros((60, len(names)))
    rows[:, 0] = 0.01 * np.arange(60)
    rows[:, names.index("w")], rows[:, names.index("w1")] = 1.0, 9.0
    for name, which in {"x": slice(10, 13), "ay": slice(20, 22), "w2": slice(30, 31)}.items():
        rows[which, names.index(name)] = np.nan
    path = tmp_path / "run.csv"
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
    assert WrenchRecording.from_csv(path, columns).dropped == {
        "not_finite": 1,
        "orientation_incomplete_or_not_newer": 3,
        "acceleration_incomplete_or_not_newer": 2,
    }


# -------------------------------------------------------------------------- others' and no motion


@pytest.mark.skipif(not KUKA.is_dir(), reason=f"the KUKA recordings are not at {KUKA}")
@pytest.mark.slow
def test_real_runs_agree_with_the_poses_and_contact_is_noticed():
    table = np.genfromtxt(KUKA / "0-calibration_fts-accel.csv", delimiter=",", names=True)
    rotation = np.stack([table[f"r{i}{j}"] for i in (1, 2, 3) for j in (1, 2, 3)], axis=1)
    wrench = -np.stack([table[name] for name in ("fx", "fy", "fz", "tx", "ty", "tz")], axis=1)
    runs = {
        k: WrenchRecording.from_csv(KUKA / f"{name}_wrench.csv", COLUMNS)
        for k, name in ((1, "1-baseline"), (3, "3-vibrations-contact"))
    }
    assumed = runs[1].assumed
    static = identify_poses(rotation.reshape(-1, 3, 3), wrench, assumed, (0.0, 0.0, -9.82))
    moved = identify_wrench(runs[1], assumed)
    contact = identify_wrench(runs[3], assumed)
    assert static.phi[0] == pytest.approx(0.932, abs=2e-3)
    assert abs(moved.phi[0] / static.phi[0] - 1) <= 0.03
    com = moved.phi[1:4] / moved.phi[0] - static.phi[1:4] / static.phi[0]
    assert np.linalg.norm(com) <= 5e-3
    assert np.isfinite(moved.half_width).all() and moved.contamination is None
    assert contact.status.value == "INCONSISTENT" and contact.noise_factor > 2
    (span,) = contact.contamination.spans
    assert 0.3 < span.start < 0.9 and 3.9 < span.end < 4.5 and "fx" in span.channels


def resting_bag(path, angles):
    """Write a bag of a sensor that rests, in which nothing but the wrench is recorded."""
    proper = np.array([[0.0, 0.0, 9.81]]) @ Rotation.from_euler("xyz", angles).as_matrix()
    none = np.zeros((1, 3))
    wrench = (newton_euler_regressor(proper, none, none) @ PAYLOAD).ravel()
    with Writer(path, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection(WRENCH, KINDS[WRENCH], typestore=STORE)
        for k in range(400):
            at = START + k * 5_000_000
            writer.write(topic, at, wrench_message(at, wrench, ""))
    return path


def test_a_resting_sensor_needs_no_motion_but_its_orientation(tmp_path, capsys):
    bounds = ("force_error=0.05", "torque_error=0.01", "force_bias=0", "torque_bias=0")
    options = ["--wrench-topic", WRENCH, "--json", *(f"--uncertainty={x}" for x in bounds)]
    for k, angles in enumerate([(0.0, 0.0, 0.0), (0.4, -1.1, 2.0), (np.pi, 0.0, 0.0)]):
        words = ["identify", str(resting_bag(tmp_path / f"rest_{k}", angles)), *options]
        assert main([*words, f"--orientation={','.join(map(str, angles))}"]) == 0
        result = json.loads(capsys.readouterr().out)
        lower, upper = np.array(result["lower"]), np.array(result["upper"])
        assert (lower <= PAYLOAD).all() and (upper >= PAYLOAD).all()
        assert (upper - lower)[0] < 0.05
        assert (upper - lower)[4:].min() > 0.1  # a sensor that rests tells no inertia
    for wrong in ("1,2", "1,2,nan", "up"):
        assert main([*words, f"--orientation={wrong}"]) == 2
    assert main([*words, "--orientation=0,0,0", "--pose-topic", "/p"]) == 2
    assert main(words) == 2 and "--orientation" in capsys.readouterr().err
