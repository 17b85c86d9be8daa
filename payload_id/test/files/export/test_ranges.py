"""Intervals in another frame where a mass may be zero."""

from __future__ import annotations

import numpy as np

from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.files.export.loads.load import Load

ARM = """<robot name="arm"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="flange"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="flange"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
izz="1"/></inertial></link>
<joint name="passive_joint" type="fixed"><parent link="flange"/><child link="held"/>
<origin xyz="0.05 -0.12 0.2" rpy="0.3 -1.1 2.0"/></joint><link name="held"/></robot>"""


def test_a_mass_that_may_be_zero_leaves_its_centre_without_bounds():
    phi = from_mass_com_inertia(1.2, [0.02, 0.05, -0.03], 0.01 * np.eye(3))
    half = 1.1 * phi[0] * np.ones(10)
    found = Estimate(
        phi, phi - half, phi + half, np.full(10, True), Status.GOOD, "", "", "",
        payload_frame="held",
    )  # fmt: skip
    load = Load.of(found, "held", None)
    assert (load.com_range.lower == -np.inf).all() and (load.com_range.upper == np.inf).all()
    with_tool = Load.of(found, "flange", ARM)
    assert not np.isnan(with_tool.com_range.lower).any()
