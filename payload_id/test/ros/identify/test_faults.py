"""A few faults of each kind on running nodes; `benchmarks/faults.py` has them in hundreds."""

from __future__ import annotations

import pytest

from faults import Rig, check_recording, undergo
from ros_domain import next_domain

DOMAIN = next_domain()


@pytest.mark.slow
def test_nothing_is_lost_and_nothing_untrue_is_said(tmp_path):
    rig = Rig(tmp_path, DOMAIN)
    try:
        for name in ("messages_of_another_year", "sampler_killed"):
            undergo(rig, name)
        rig.close()
    finally:
        rig.sampler.process.kill()
        rig.estimator.process.kill()
    assert check_recording(rig) > 3000
