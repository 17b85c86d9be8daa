"""What the demonstration draws by chance."""

import numpy as np
import pytest

from payload_id.cli.demo.scene import HEAVIEST, REACH, draw_payload
from payload_id.core.body.inertial import is_physical
from payload_id.files.robots.robot_file import RobotFile


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_every_payload_is_a_body_within_the_prior(seed):
    payload = draw_payload(np.random.default_rng(seed))
    assert is_physical(payload)
    assert 0 < payload[0] <= HEAVIEST
    assert np.all(np.abs(payload[1:4]) <= REACH * payload[0])
    lower, upper = RobotFile.load("kinova_gen3").uncertainty.prior.box()
    assert np.all(lower <= payload) and np.all(payload <= upper)


def test_a_seed_repeats_its_payload():
    one, again, other = (draw_payload(np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
