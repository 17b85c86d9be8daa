"""Bags written during a run."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from payload_id.core.errors import InputError, RecordingError, UnknownNameError
from payload_id.files.bags.bag_writer import BagWriter
from payload_id.files.bags.joint_states_bag import JOINT_STATE, JointStateMessage, write_joint_state
from payload_id.files.recordings.recording import Recording
from payload_id.files.recordings.write_bag import write_joint_states

STORAGES = ["mcap", "sqlite3"]


def joint_state(k, names=("a", "b")):
    q = np.array([float(k), 0.5])
    return write_joint_state(JointStateMessage(1_000_000 * k, names, q, q, q + 1.0))


@pytest.mark.parametrize("storage", STORAGES)
def test_round_trip_is_bit_equal(tmp_path, storage):
    rng = np.random.default_rng(1)
    stamp_ns = np.cumsum(rng.integers(1, 2_000_000, 3000))
    stamp_ns -= stamp_ns[0]
    arrays = rng.normal(size=(3, 3000, 7))
    joints = tuple(f"joint_{j}" for j in range(1, 8))
    recording = Recording(
        stamp_ns / 1e9, *arrays, joints=joints, start_ns=1_760_000_000_000_000_001
    )
    path = write_joint_states(tmp_path / "bag", recording, storage=storage)
    found = Recording.from_bag(path)
    for name in ("stamp", "q", "dq", "tau"):
        np.testing.assert_array_equal(getattr(found, name), getattr(recording, name))
    assert (found.start_ns, found.joints) == (recording.start_ns, joints)


def test_a_folder_beside_the_messages_is_no_failure(tmp_path):
    """Runs that were saved before lie in one."""
    with BagWriter(tmp_path / "bag") as writer:
        for k in range(3):
            writer.write("/joint_states", JOINT_STATE, k, joint_state(k + 1))
        (writer.path / "earlier_runs" / "1").mkdir(parents=True)
    assert len(Recording.from_bag(tmp_path / "bag")) == 3


def test_several_topics_and_types(tmp_path):
    definition = "std_msgs/Header header\nfloat64[2] interval  # [kg]\n"
    payload = b"\x00\x01\x00\x00" + bytes(32)
    with BagWriter(tmp_path / "bag") as writer:
        writer.add_message_type("my_msgs/msg/Mass", definition)
        for k in range(5):
            writer.write("/joint_states", JOINT_STATE, k, joint_state(k + 1))
            writer.write("/mass", "my_msgs/msg/Mass", k, payload)
    with AnyReader([writer.path]) as reader:
        counts = {x.topic: (x.msgtype, x.msgcount) for x in reader.connections}
        raw = {x.topic: data for x, _, data in reader.messages()}
    assert counts == {"/joint_states": (JOINT_STATE, 5), "/mass": ("my_msgs/msg/Mass", 5)}
    assert raw == {"/joint_states": joint_state(5), "/mass": payload}


@pytest.mark.parametrize("storage", STORAGES)
def test_order_of_arrival_is_kept_whatever_the_clock_does(tmp_path, storage):
    receive_times = [50, 40, 40, 60, 10, 60, 70]
    with BagWriter(tmp_path / "bag", storage) as writer:
        for k, stamp_ns in enumerate(receive_times):
            writer.write("/joint_states", JOINT_STATE, stamp_ns, joint_state(k + 1))
    recording = Recording.from_bag(writer.path)
    np.testing.assert_array_equal(recording.q[:, 0], np.arange(1.0, 8.0))
    assert recording.dropped == {}


def test_an_existing_bag_is_never_touched(tmp_path):
    paths = []
    for k in range(3):
        with BagWriter(tmp_path / "run") as writer:
            writer.write("/joint_states", JOINT_STATE, k, joint_state(k + 1))
        paths.append(writer.close())
    assert [path.name for path in paths] == ["run", "run_2", "run_3"]
    assert all((path / "metadata.yaml").is_file() for path in paths)


def test_bag_without_messages_is_readable(tmp_path):
    for storage in STORAGES:
        with BagWriter(tmp_path / storage, storage) as writer:
            time.sleep(0.01)
        with pytest.raises(RecordingError, match="holds no joint states"):
            Recording.from_bag(writer.path)


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(UnknownNameError, match="mcap"):
        BagWriter(tmp_path / "bag", "mcapp")
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="could not be written"):
        BagWriter(tmp_path / "file" / "bag")
    with pytest.raises(RecordingError, match="no name of a folder"):
        BagWriter("/")
    with BagWriter(tmp_path / "bag") as writer:
        with pytest.raises(UnknownNameError, match="message type"):
            writer.write("/x", "my_msgs/msg/Mass", 0, b"")
        with pytest.raises(InputError, match="my_msgs/msg/Mass"):
            writer.add_message_type("my_msgs/msg/Mass", "float64[2 interval ?")
    with pytest.raises(RecordingError, match="closed"):
        writer.write("/joint_states", JOINT_STATE, 0, joint_state(1))
    recording = Recording([0.0, 1.0], np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 2)))
    with pytest.raises(InputError, match="must name 2 joints"):
        write_joint_states(tmp_path / "other", recording)


def test_whatever_ends_the_writing_thread_is_told_and_counted(tmp_path, monkeypatch):
    def fails(*_):
        raise ValueError("nobody thought of it")

    monkeypatch.setattr(BagWriter, "_write_one", fails)
    writer = BagWriter(tmp_path / "bag")
    writer.write("/joint_states", JOINT_STATE, 0, joint_state(0))
    writer._thread.join(10.0)
    writer.write("/joint_states", JOINT_STATE, 1, joint_state(1))
    assert writer.failed and writer.lost == 1
    with pytest.raises(RecordingError, match="nobody thought of it"):
        writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("how", ["folder removed", "folder moved", "file removed"])
def test_a_bag_that_is_removed_while_it_is_written_is_told_with_all_that_was_in_it(
    tmp_path, storage, how
):
    writer = BagWriter(tmp_path / "bag", storage, flush_interval=0.05)
    for k in range(20):
        writer.write("/joint_states", JOINT_STATE, k, joint_state(k))
    time.sleep(0.2)
    if how == "folder removed":
        shutil.rmtree(writer.path)
    elif how == "folder moved":
        writer.path.rename(tmp_path / "elsewhere")
    else:
        next(x for x in writer.path.iterdir() if storage[:4] in x.name or ".db3" in x.name).unlink()
    give_up = time.monotonic() + 10.0
    while not writer.failed and time.monotonic() < give_up:
        writer.write("/joint_states", JOINT_STATE, 100, joint_state(100))
        time.sleep(0.02)
    assert writer.failed and writer.lost >= 20
    with pytest.raises(RecordingError, match="removed while it was written to"):
        writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("storage", STORAGES)
def test_a_killed_process_loses_no_more_than_the_last_second(tmp_path, storage):
    script = f"""
        import sys, time
        import numpy as np
        from payload_id.files.bags.bag_writer import BagWriter
        from payload_id.files.bags.joint_states_bag import JOINT_STATE, JointStateMessage
        from payload_id.files.bags.joint_states_bag import write_joint_state
        writer = BagWriter({str(tmp_path / "bag")!r}, {storage!r})
        for k in range(1, 100000):
            q = np.array([float(k), 0.5])
            data = write_joint_state(JointStateMessage(1_000_000 * k, ("a", "b"), q, q, q))
            writer.write("/joint_states", JOINT_STATE, k, data)
            print(k, flush=True)
            time.sleep(1e-3)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    )
    written: dict[int, float] = {}
    while not written or written[max(written)] - written[1] < 2.5:
        number = int(process.stdout.readline())
        written[number] = time.monotonic()
    os.kill(process.pid, signal.SIGKILL)
    killed = time.monotonic()
    process.communicate()
    recording = Recording.from_bag(tmp_path / "bag")
    count = len(recording)
    np.testing.assert_array_equal(recording.q[:, 0], np.arange(1.0, count + 1.0))
    assert recording.notes
    assert killed - written[min(count, max(written))] < 1.0
