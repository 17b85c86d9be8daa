"""Input that can tell little or nothing: each does what docs/proofs.md says."""

import numpy as np
import pytest

from arms import Joints, arm, draw_payload, record
from payload_id.core.identification.identify import identify
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

USUAL = Uncertainty(torque_relative=0.01, torque_absolute=0.05, link_relative=0.02)


def test_less_than_a_window_is_no_data_and_leaves_the_prior():
    for count, step, why in (
        (0, 1e-3, "0"),
        (1, 1e-3, "1"),
        (50, 1e-3, "0.1 s"),
        (50, 0.04, "gap"),
    ):
        run = record(arm("ur10"), 1, seconds=50 * step, rate=1.0 / step)
        found = identify(run.samples.part(0, count), run.model, USUAL)
        assert found.status is Status.NO_DATA and why in found.message
        assert np.isnan(found.phi).all() and not found.identifiable.any()
        np.testing.assert_array_equal((found.lower, found.upper), USUAL.prior.box())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pendulum", "gantry"])
def test_arms_that_cannot_tell_everything(name):
    model, rng = arm(name), np.random.default_rng(5)
    joints = Joints.draw(rng, USUAL, model.n, extreme=True)
    run = record(model, 5, draw_payload(rng), joints=joints).measured(USUAL, "vertices", 5)
    for method in ("hull", "least_squares_image"):
        found = identify(run.samples, model, USUAL, intervals=method)
        assert found.contains(run.phi).all()
        assert found.status in (Status.TOO_WIDE, Status.NOT_IDENTIFIABLE)
        # One axis tells the first moments across it; slides tell the mass.
        assert found.identifiable[0] == (name == "gantry")
        assert not found.identifiable.all()
