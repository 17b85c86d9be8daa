"""What a contact's force is at least does not depend on the turns in which positions come."""

from __future__ import annotations

import numpy as np

from arms import Motion, arm
from payload_id.core.contact.certificate import Proof
from payload_id.core.contact.least_force import least_force
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples


def test_positions_that_jump_by_a_turn_are_those_that_do_not():
    model = arm("gen3")
    rng = np.random.default_rng(5)
    t = 1.0 + np.arange(21) / 1000.0
    q, dq, _ = Motion.draw(model, rng).at(t)
    endless = np.array(model.continuous)
    q = q + np.where(endless, np.pi - q[10], 0.0)  # through the seam in the middle
    jumping = np.where(endless, np.remainder(q + np.pi, 2 * np.pi) - np.pi, q)
    assert np.abs(np.diff(jumping, axis=0)).max() > 6.0
    rows, proof = MomentumRows.of(model, Uncertainty()), Proof(rng.normal(size=model.n), 0.5)
    smooth, wrapped = (
        least_force(rows, Samples(t, x, dq, np.zeros_like(x)), proof) for x in (q, jumping)
    )
    assert 0.0 < smooth and np.isclose(wrapped, smooth, rtol=1e-9)
