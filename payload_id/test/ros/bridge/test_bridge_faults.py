"""A few faults of `benchmarks/bridge_faults.py`; what checks commands must be able to fail."""

from __future__ import annotations

from copy import deepcopy

import pytest

from bridge_faults import end_by, undergo
from bridge_rig import Rig
from lossy_sockets import UDP_ONLY
from ros_domain import next_domain

DOMAIN = next_domain()


@pytest.mark.slow
def test_an_arm_goes_through_faults_one_after_the_other(tmp_path, monkeypatch):
    for name, value in UDP_ONLY.items():
        monkeypatch.setenv(name, value)
    rig = Rig(tmp_path, DOMAIN)
    try:
        for number, kind in enumerate(("pushed", "bridge_killed")):
            run = undergo(rig, number, kind, 0.5)
            assert not run.failure, f"{kind}: {run.failure}\n{rig.printed()}"
        end_by(rig)
        elsewhere = deepcopy(next(x for x in rig.commands if x.points))
        for point in elsewhere.points:
            point.positions[0] += 0.1
        rig.commands.append(elsewhere)
        with pytest.raises(AssertionError, match="from every certified motion"):
            rig.check_commands()
        assert rig.check_recording() > 100
    finally:
        rig.close()
