"""Where frames are: chains, times, and what is refused with which sentence."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.errors import InputError
from payload_id.ros.bridge.obstacles.frame_tree import AGE, FrameTree

FIXED = {
    "base_link": (np.eye(3), np.zeros(3)),
    "flange_plate": (Rotation.from_euler("x", 0.4).as_matrix(), np.array([0.0, 0.1, -0.2])),
}
T0 = 1_700_000_000_000_000_000


def pose(seed):
    rng = np.random.default_rng(seed)
    return Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)


def matrix(pose):
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = pose
    return whole


def check(found, *chain):
    expected = reduce(np.matmul, chain, np.eye(4))
    np.testing.assert_allclose(matrix(found), expected, atol=1e-12)


def test_chains_lead_to_the_base_upwards_and_over_a_common_ancestor():
    tree, camera, mount, base, world = FrameTree(), pose(1), pose(2), pose(3), pose(4)
    tree.take("camera", "mount", camera, 0, still=True)
    tree.take("mount", "flange_plate", mount, 0, still=True)
    expected = matrix(FIXED["flange_plate"]), matrix(mount), matrix(camera)
    check(tree.pose("camera", FIXED, 0, "thing"), *expected)
    tree.take("base_link", "cell", base, 0, still=True)
    tree.take("cell", "world", world, 0, still=True)
    tree.take("table", "world", camera, 0, still=True)
    to_base = np.linalg.inv(matrix(world) @ matrix(base))
    check(tree.pose("table", FIXED, 0, "thing"), to_base, matrix(camera))
    check(tree.pose("world", FIXED, 0, "thing"), to_base)
    check(tree.pose("base_link", FIXED, 0, "thing"))


def moving_tree():
    """Return a camera that turns at 1 rad/s about z and moves at 0.5 m/s along it."""
    tree = FrameTree()
    for k in range(100):
        t = 0.02 * k
        turn = Rotation.from_euler("z", t).as_matrix()
        stamp = T0 + round(t * 1e9)
        tree.take("camera", "base_link", (turn, np.array([0.0, 0.0, 0.5 * t])), stamp, still=False)
    return tree


@pytest.mark.parametrize("t", [0.4, 0.4137, 1.98 + 0.5 * AGE, -0.5 * AGE])
def test_a_frame_that_moves_is_where_it_was_at_the_stamp(t):
    found = moving_tree().pose("camera", FIXED, T0 + round(t * 1e9), "thing")
    held = np.clip(t, 0.0, 1.98)  # beyond what is known the nearest counts
    turn = Rotation.from_euler("z", held).as_matrix()
    check(found, matrix((turn, np.array([0.0, 0.0, 0.5 * held]))))


@pytest.mark.parametrize(
    ("frame", "stamp", "words"),
    [
        ("camera", 0, "there is no stamp"),
        ("camera", T0 + 3_000_000_000, "1.02 s away, at most 0.1 s"),
        ("camera", T0 - 1_000_000_000, "1 s away"),
        ("island", T0, "no transforms .* lead from its frame 'island' to 'base_link'"),
        ("ring", T0, "no transforms"),
    ],
)
def test_what_cannot_be_placed_is_refused_in_a_sentence(frame, stamp, words):
    tree = moving_tree()
    tree.take("island", "sea", pose(5), 0, still=True)
    tree.take("ring", "gnir", pose(6), 0, still=True)
    tree.take("gnir", "ring", pose(7), 0, still=True)
    with pytest.raises(InputError, match=words) as error:
        tree.pose(frame, FIXED, stamp, "obstacle 'thing'")
    assert "obstacle 'thing'" in str(error.value)
