"""Recordings of a force-torque sensor: bags and tables give what was measured, or a sentence."""

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
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import ConfigurationError, InputError, RecordingError, UnknownNameError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor
from payload_id.core.samples.arm_sensor_motion import model_at, motion_of
from payload_id.files.bags.joint_states_bag import JointStateMessage, write_joint_state
from payload_id.files.configuration.package_data import share_folder
from wrench_messages import pose_message, wrench_message

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
START = 1_760_000_000_123_456_789
STORE = get_typestore(Stores.ROS2_JAZZY)
KUKA = Path(__file__).parents[5] / "shared" / "datasets" / "wrench_kuka_med14"
COLUMNS = share_folder() / "config" / "recordings" / "kuka_wrench_csv.yaml"
BOUNDS = WrenchUncertainty(
    force_error=0.05, torque_error=0.01, prior=PayloadPrior(mass_max=3.0, com_max=0.3)
)


@pytest.fixture(scope="module")
def robot():
    return RobotModel.from_robot_file(RobotFile.load("kinova_gen3"))


@pytest.fixture(scope="module")
def run(robot):
    """Return joint motion of a moving arm and the wrench that a payload on it needs."""
    rng = np.random.default_rng(3)
    free = 0.08 * rng.normal(size=(robot.n, 2, 3))
    home = np.asarray(RobotFile.load("kinova_gen3").home)
    motion = FourierSeries.from_free(home, free, 6.0).at(np.arange(0.0, 6.0, 4e-3))
    moving = motion_of(robot, motion.time, motion.q, motion.dq)
    proper = moving.linear_acceleration - robot.gravity @ moving.rotation
    Y = newton_euler_regressor(proper, moving.angular_velocity, moving.angular_acceleration)
    return motion, moving, Y @ PAYLOAD


@pytest.fixture(scope="module")
def bag(robot, run, tmp_path_factory):
    """Return a bag with joint states, wrench and pose."""
    motion, moving, wrench = run
    from payload_id.core.arm.kinetics import frames

    origin = frames(robot, motion.q)[1][:, -1]
    path = tmp_path_factory.mktemp("bags") / "wrench"
    with Writer(path, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        topics = {
            name: writer.add_connection(name, kind, typestore=STORE)
            for name, kind in (
                ("/joint_states", "sensor_msgs/msg/JointState"),
                ("/ft/wrench", "geometry_msgs/msg/WrenchStamped"),
                ("/ft/pose", "geometry_msgs/msg/PoseStamped"),
            )
        }
        for k, t in enumerate(motion.time):
            at = START + round(1e9 * t)
            joint = JointStateMessage(at, robot.joints, motion.q[k], motion.dq[k], np.zeros(0))
            frame = robot.payload_frame
            for name, data in (
                ("/joint_states", write_joint_state(joint)),
                ("/ft/wrench", wrench_message(at, -wrench[k], frame)),
                ("/ft/pose",
                 pose_message(at, origin[k], Rotation.from_matrix(moving.rotation[k]))),
            ):  # fmt: skip
                writer.write(topics[name], at, data)
    return path


def test_bag_with_joint_states_gives_the_payload(bag, robot):
    recording = WrenchRecording.from_bag(bag, robot=robot, sign=-1.0)
    assert recording.frame == robot.payload_frame and recording.start_ns == START
    estimate = identify_wrench(recording, BOUNDS)
    assert estimate.contains(PAYLOAD).all(), estimate.message
    assert estimate.payload_frame == robot.payload_frame
    assert estimate.phi[0] == pytest.approx(PAYLOAD[0], rel=1e-3)


def test_bag_with_poses_gives_the_same_payload(bag):
    recording = WrenchRecording.from_bag(bag, "/ft/wrench", pose_topic="/ft/pose", sign=-1.0)
    estimate = identify_wrench(recording.between(0.3, 5.7), BOUNDS)
    assert estimate.phi[0] == pytest.approx(PAYLOAD[0], rel=0.01)
    np.testing.assert_allclose(estimate.phi[1:4], PAYLOAD[1:4], atol=2e-3)


def test_wrong_sign_of_a_bag_is_named(bag, robot):
    estimate = identify_wrench(WrenchRecording.from_bag(bag, robot=robot), BOUNDS)
    assert "wrong sign" in estimate.message


def test_what_is_not_there_is_named_with_what_is(bag, robot):
    with pytest.raises(UnknownNameError, match="sensor frame 'ft_sensor'.*Known: .*end_effector"):
        WrenchRecording.from_bag(bag, robot=robot, frame="ft_sensor")
    with pytest.raises(UnknownNameError, match="'/wrench'.*Known: /ft/wrench"):
        WrenchRecording.from_bag(bag, "/wrench", robot)
    with pytest.raises(RecordingError, match="holds sensor_msgs/msg/JointState"):
        WrenchRecording.from_bag(bag, "/joint_states", robot)
    with pytest.raises(InputError, match="needs a motion"):
        WrenchRecording.from_bag(bag)


def test_another_frame_of_the_robot_moves_with_it(robot, run):
    motion, _, _ = run
    other = next(
        f.name
        for f in robot.pinocchio.frames
        if f.parentJoint and f.name not in (robot.payload_frame, "universe")
    )
    there = model_at(robot, other)
    assert there.payload_frame == other and model_at(robot, robot.payload_frame) is robot
    moving = motion_of(there, motion.time, motion.q, motion.dq)
    assert moving.rotation.shape == (len(motion.time), 3, 3)


def write_tables(folder, run, stamp_unit=1e6):
    """Write a recording in three files as the description has it, quaternions for a change."""
    motion, moving, wrench = run
    t = motion.time
    g = moving.rotation.transpose(0, 2, 1) @ [0, 0, -9.81]
    quaternion = Rotation.from_matrix(moving.rotation).as_quat()

    def write(name, columns, values, shift=0.0):
        stamp = ((t + shift) * stamp_unit).round()
        lines = [",".join(["t", *columns])]
        lines += [f"{s:.0f}," + ",".join(map(repr, v)) for s, v in zip(stamp, values.tolist(),
                                                                       strict=True)]  # fmt: skip
        (folder / name).write_text("\n".join(lines) + "\n")

    write("a_wrench.csv", ["fx", "fy", "fz", "tx", "ty", "tz"], -wrench)
    write("a_orientations.csv", ["x", "y", "z", "w"], quaternion)
    write("a_accel.csv", ["ax", "ay", "az"], (moving.linear_acceleration - g) / 9.80665, 0.008)
    return folder / "a_wrench.csv"


def description(**changes):
    entries = {
        "frame": "tool",
        "gravity": [0, 0, -9.81],
        "wrench": {
            "file": "*_wrench.csv",
            "stamp": {"column": "t", "unit": "us"},
            "columns": ["fx", "fy", "fz", "tx", "ty", "tz"],
            "sign": -1,
        },
        "orientation": {"file": "*_orientations.csv", "quaternion": ["x", "y", "z", "w"]},
        "acceleration": {
            "file": "*_accel.csv",
            "columns": ["ax", "ay", "az"],
            "unit": "g",
            "late_by": 0.008,
        },
    }
    for name, entry in changes.items():
        if entry is None:
            del entries[name]
        elif isinstance(entry, dict) and name in entries:
            entries[name] = {**entries[name], **entry}
        else:
            entries[name] = entry
    return entries


def test_tables_give_the_payload(run, tmp_path):
    file = write_tables(tmp_path, run)
    recording = WrenchRecording.from_csv(file, description())
    assert recording.frame == "tool" and not recording.dropped and not recording.notes
    estimate = identify_wrench(recording, BOUNDS)
    assert estimate.contains(PAYLOAD).all()
    without = WrenchRecording.from_csv(file, description(acceleration=None))
    assert "taken to stand still" in without.notes[0].replace("is taken", "taken")


def test_arrays_give_the_payload(robot, run):
    motion, moving, wrench = run
    from payload_id.core.arm.kinetics import frames

    origin = frames(robot, motion.q)[1][:, -1]
    recording = WrenchRecording.from_arrays(motion.time, wrench, moving.rotation, origin)
    estimate = identify_wrench(recording.between(0.3, 5.7), BOUNDS)
    assert estimate.phi[0] == pytest.approx(PAYLOAD[0], rel=0.01)


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


def resting_bag(path, orientation, payload):
    """Write a bag of a sensor that rests, in which nothing but the wrench is recorded."""
    proper = np.tile(np.array([0.0, 0.0, 9.81]) @ orientation.as_matrix(), (1, 1))
    none = np.zeros((1, 3))
    wrench = (newton_euler_regressor(proper, none, none) @ payload).ravel()
    kind = "geometry_msgs/msg/WrenchStamped"
    with Writer(path, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection("/ft", kind, typestore=STORE)
        for k in range(400):
            at = START + k * 5_000_000
            writer.write(topic, at, wrench_message(at, wrench, ""))
    return path


@pytest.mark.parametrize("angles", [(0.0, 0.0, 0.0), (0.4, -1.1, 2.0), (np.pi, 0.0, 0.0)])
def test_a_resting_sensor_needs_no_motion_but_its_orientation(angles, tmp_path, capsys):
    orientation = Rotation.from_euler("xyz", angles)
    bag = resting_bag(tmp_path / "rest", orientation, PAYLOAD)
    stated = ",".join(str(x) for x in angles)
    words = ["replay", str(bag), "--wrench-topic", "/ft", "--json"]
    bounds = ("force_error=0.05", "torque_error=0.01", "force_bias=0", "torque_bias=0")
    words += [f"--uncertainty={bound}" for bound in bounds]
    assert main([*words, f"--orientation={stated}"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["lower"][0] <= PAYLOAD[0] <= result["upper"][0]
    assert result["upper"][0] - result["lower"][0] < 0.05
    wide = np.array(result["upper"]) - np.array(result["lower"])
    assert (np.array(result["lower"]) <= PAYLOAD).all()
    assert (np.array(result["upper"]) >= PAYLOAD).all()
    assert wide[4:].min() > 0.1  # a sensor that rests tells no inertia
    for wrong in ("1,2", "1,2,nan", "up"):
        assert main([*words, f"--orientation={wrong}"]) == 2
    assert main([*words, f"--orientation={stated}", "--pose-topic", "/p"]) == 2
    assert main(words) == 2
    assert "--orientation" in capsys.readouterr().err
