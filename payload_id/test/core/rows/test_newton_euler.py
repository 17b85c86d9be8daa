"""Rows of a force-torque sensor: true equations, and bounds that hold."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import FROM_PINOCCHIO
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError, RecordingError
from payload_id.core.rows.wrench.newton_euler import NewtonEulerRows, newton_euler_regressor
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.core.samples.wrench_samples import WrenchSamples
from wrench_motion import PAYLOAD, simulated

SMALL = PayloadPrior(mass_max=3.0, com_max=0.3)
CLEAN = simulated(seconds=1.0)
COLUMNS = ("stamp", "rotation", "angular_velocity", "angular_acceleration", "linear_acceleration",
           "wrench")  # fmt: skip


def windows(samples, rows):
    """Return the blocks of all windows of 21 samples."""
    return [rows.window(samples.part(k, k + 21)) for k in range(0, len(samples) - 20, 20)]


def test_regressor_is_pinocchios():
    rng = np.random.default_rng(0)
    for _ in range(50):
        velocity, omega, acceleration, alpha, gravity = rng.normal(size=(5, 3))
        spatial = acceleration - np.cross(omega, velocity)
        wanted = pin.bodyRegressor(
            pin.Motion(velocity, omega), pin.Motion(spatial - gravity, alpha)
        )
        found = newton_euler_regressor((acceleration - gravity)[None], omega[None], alpha[None])
        np.testing.assert_allclose(found[0], wanted[:, FROM_PINOCCHIO], atol=1e-10)


def test_rows_hold_exactly_for_the_true_payload_and_static_ones_are_those_of_gravity():
    rows = NewtonEulerRows.of(WrenchUncertainty())
    for block in windows(CLEAN, rows):
        np.testing.assert_allclose(block.A @ PAYLOAD, block.b, atol=1e-7)
        assert (block.A_static[:, 4:] == 0.0).all()
    assert block.A.shape == (6, 10) and block.B.shape == (6, rows.p) == (6, 6)
    assert rows.channels == ("fx", "fy", "fz", "tx", "ty", "tz")
    weight = np.full(21, 1 / 200)
    weight[[0, -1]] /= 2
    first = rows.window(CLEAN.part(0, 21)).A_static[:3, 0]
    np.testing.assert_allclose(first, -weight @ CLEAN.gravity_in_sensor[:21])
    a, al, w = (np.linalg.norm(getattr(CLEAN, name)[:21], axis=1) for name in
                ("linear_acceleration", "angular_acceleration", "angular_velocity"))  # fmt: skip
    nu = weight @ (a**2 + al**2 + (w / 0.5) ** 2) / weight.sum()
    share = rows.window(CLEAN.part(0, 21)).full_share
    np.testing.assert_allclose(share, np.tanh(3 * nu / 300.0))


def test_bad_rows_are_left_out_and_counted():
    columns = {name: np.array(getattr(CLEAN, name))[:20] for name in COLUMNS}
    columns["wrench"][3, 2] = np.nan
    columns["stamp"][[7, 9]] = columns["stamp"][[6, 2]]
    samples = WrenchSamples(**columns)
    assert len(samples) == 17
    assert samples.dropped == {"not_finite": 1, "duplicate": 1, "out_of_order": 1}
    for wrong in (
        {"rotation": np.ones((20, 3, 3))},
        {"wrench": columns["wrench"][:, :3]},
    ):
        with pytest.raises(RecordingError, match=next(iter(wrong))):
            WrenchSamples(**{**columns, **wrong})


def test_bounds_that_cannot_be_are_refused_by_name_and_others_survive_files():
    for wrong in ({"force_error": (1.0, 2.0)}, {"sigma_factor": 0.5}, {"torque_gain": 2.0},
                  {"time_error": -1.0}):  # fmt: skip
        with pytest.raises(InputError, match=next(iter(wrong))):
            WrenchUncertainty(**wrong)
    one = WrenchUncertainty(force_error=[1.0, 2.0, 3.0], prior=SMALL)
    assert WrenchUncertainty.from_dict(one.to_dict()) == one
    with pytest.raises(RecordingError, match="WrenchSamples"):
        NewtonEulerRows.of(one).fitted(object())


@pytest.mark.parametrize("frequency", [1.0, 5.0, 15.0, 25.0])
def test_what_a_delay_leaves_of_a_vibration_is_bounded(frequency):
    """Between the ends and the middle of a window a vibration may turn round many times."""
    axis, way = np.array([0.9, 0.4, 0.17]), 0.02 / frequency**2 * np.array([1.0, 0.5, 0.3])
    phi = np.array([2.0, 0.05, -0.02, 0.1, 0.02, 0.001, 0.002, 0.03, -0.001, 0.02])
    stated = WrenchUncertainty(force_bias=0.0, torque_bias=0.0, time_error=5e-3)
    source, turn, w = NewtonEulerRows.of(stated), 0.3 / frequency, 2.0 * np.pi * frequency

    def motion(t, phase):
        """Return rotation, omega, alpha and acceleration of a sensor that shakes."""
        s, c = np.sin(w * t + phase)[:, None], np.cos(w * t + phase)[:, None]
        rotation = Rotation.from_rotvec(turn * s * axis).as_matrix()
        acceleration = np.einsum("tji,tj->ti", rotation, -(w**2) * s * way)
        return rotation, turn * w * c * axis, -turn * w**2 * s * axis, acceleration

    t, gravity = np.arange(101) * 1e-3, np.array([0.0, 0.0, -9.81])
    for late, phase in ((x, phase) for x in (-5e-3, 5e-3) for phase in (0.0, 0.8, 1.6, 2.4)):
        R, omega, alpha, a = motion(t - late, phase)
        Y = newton_euler_regressor(a - gravity @ R, omega, alpha)
        block = source.window(WrenchSamples(t, *motion(t, phase), Y @ phi, tuple(gravity)))
        left, bound = block.A @ phi - block.b, block.bound(np.abs(phi))
        off = [(np.abs(left + s * block.B[:, 0]) / bound).max() for s in (-1.0, 1.0)]
        assert min(off) <= 1.0
