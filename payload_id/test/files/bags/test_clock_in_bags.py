"""A recording gives the samples that the sampler made, whatever the stamps do."""

from __future__ import annotations

import numpy as np
import pytest

from payload_id.core.samples.joint_map import JointMap
from payload_id.core.samples.joint_state_sampler import JointStateSampler
from payload_id.files.bags.bag_writer import BagWriter
from payload_id.files.bags.joint_states_bag import JOINT_STATE, JointStateMessage, write_joint_state
from payload_id.files.recordings.recording import Recording

START = 1_700_000_000_000_000_000
HOUR = 3_600 * 10**9
MILLISECOND = 1_000_000


def live_and_recorded(folder, stamps) -> tuple[np.ndarray, list[Recording], JointStateSampler]:
    """Return the stamps of the live samples, and the recording of all messages."""
    sampler = JointStateSampler(JointMap(("a", "b")), 1000.0)
    with BagWriter(folder / "bag") as writer:
        for k, stamp_ns in enumerate(stamps):
            q = np.array([float(k), 1.0])
            message = JointStateMessage(int(stamp_ns), ("a", "b"), q, q + 1.0, q + 2.0)
            sampler.offer(*message)
            writer.write("/joint_states", JOINT_STATE, k, write_joint_state(message))
    return sampler.take(), Recording.from_bag(writer.path), sampler


@pytest.mark.parametrize("seed", range(2))
def test_leaps_and_disorder_are_left_out_alike(tmp_path, seed):
    random = np.random.default_rng(seed)
    stamps = START + MILLISECOND * np.arange(300)
    stamps = stamps + random.choice([0, 8760 * HOUR, -HOUR, -3 * MILLISECOND], 300,
                                    p=[0.9, 0.03, 0.03, 0.04])  # fmt: skip
    stamps[200:] += 2 * HOUR  # the clock is set forward
    stamps[0] = START
    rows, recording, sampler = live_and_recorded(tmp_path, stamps)
    assert len(rows) > 240
    np.testing.assert_array_equal(recording.q, rows.q)
    np.testing.assert_array_equal(recording.tau, rows.tau)
    assert recording.dropped == sampler.dropped


def test_a_clock_set_back_divides_a_recording(tmp_path):
    before = START + MILLISECOND * np.arange(100)
    after = before[-1] - HOUR + MILLISECOND * np.arange(1, 201)
    rows, recording, sampler = live_and_recorded(tmp_path, [*before, *after])
    assert "stamp_leap" in sampler.dropped and "out_of_order" not in sampler.dropped
    first = rows.stamp_ns == before[-1]
    kept = int(np.flatnonzero(first)[0]) + 1
    np.testing.assert_array_equal(recording.q, rows.q[kept:])
    assert "set back 1 times" in " ".join(recording.notes)
    early = Recording.from_bag(tmp_path / "bag", start_ns=int(before[0]), end_ns=int(before[-1]))
    np.testing.assert_array_equal(early.q, rows.q[:kept])


@pytest.mark.parametrize("leap", [30.0, 100.0])
def test_a_run_during_which_the_clock_was_set_forward_has_no_sample_of_a_later_one(tmp_path, leap):
    """The next run's stamps, more of them, lie between this one's first and last."""
    run = START + 10 * MILLISECOND * np.arange(200)
    run[100:] += round(leap * 1e9)
    later = run[99] + 7 * MILLISECOND + 10 * MILLISECOND * np.arange(900)
    rows, _, _ = live_and_recorded(tmp_path, [*run, *later])
    ends = {"start_ns": int(run[0]), "end_ns": int(run[-1])}
    mine = Recording.from_bag(tmp_path / "bag", **ends)
    last = int(np.flatnonzero(rows.stamp_ns == run[-1])[0])
    np.testing.assert_array_equal(mine.q, rows.q[: last + 1])
