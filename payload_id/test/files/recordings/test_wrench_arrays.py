"""Wrenches given as arrays: rows that cannot be used are left out, nonsense gets a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id import WrenchRecording, WrenchUncertainty, identify_poses, identify_wrench
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.core.rows.wrench.newton_euler import newton_euler_regressor

PAYLOAD = from_mass_com_inertia(1.3, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
BOUNDS = WrenchUncertainty(
    force_error=0.05,
    torque_error=0.005,
    angular_acceleration_error=0.2,
    prior=PayloadPrior(mass_max=3.0, com_max=0.3),
)
NAN, INF = float("nan"), float("inf")
TIME = np.arange(0.0, 5.0, 5e-3)


def arrays():
    """Return stamps, wrench and rotation of a sensor that turns about its origin."""
    angle = np.stack([np.sin(2.0 * TIME), np.cos(1.3 * TIME), 0.8 * np.sin(2.9 * TIME)], axis=1)
    rotation = Rotation.from_euler("xyz", angle)
    h = 1e-4
    turned = lambda t: Rotation.from_euler(  # noqa: E731
        "xyz", np.stack([np.sin(2.0 * t), np.cos(1.3 * t), 0.8 * np.sin(2.9 * t)], axis=1)
    )
    omega = lambda t: (turned(t - h).inv() * turned(t + h)).as_rotvec() / (2 * h)  # noqa: E731
    alpha = (omega(TIME + h) - omega(TIME - h)) / (2 * h)
    proper = rotation.inv().apply([0.0, 0.0, 9.80665])
    Y = newton_euler_regressor(proper, omega(TIME), alpha)
    return {"stamp": TIME.copy(), "wrench": Y @ PAYLOAD, "rotation": rotation.as_matrix()}


def changed(name, change):
    given = arrays()
    given[name] = change(given[name])
    return given


def one(value, row=300):
    """Return a change that puts a value into a row."""

    def change(array):
        array[row] = value
        return array

    return change


@pytest.mark.parametrize("name", ["stamp", "wrench", "rotation", "origin"])
@pytest.mark.parametrize("value", [NAN, INF, -INF, 1e300])
def test_a_row_that_cannot_be_used_is_left_out(name, value):
    given = arrays() | {"origin": np.zeros((len(TIME), 3))}
    given[name] = one(value)(given[name])
    estimate = identify_wrench(WrenchRecording.from_arrays(**given), BOUNDS)
    assert estimate.contains(PAYLOAD).all() and estimate.phi[0] == pytest.approx(1.3, rel=0.01)


@pytest.mark.parametrize(
    "given",
    [
        changed("stamp", lambda x: x[:-1]),
        changed("stamp", lambda x: x * 0.0),
        changed("stamp", lambda x: x[:, None]),
        changed("stamp", lambda x: 0.0),
        changed("wrench", lambda x: x.T),
        changed("wrench", lambda x: x[:, :3]),
        changed("wrench", lambda x: x * NAN),
        changed("wrench", lambda x: "six numbers"),
        changed("wrench", lambda x: x * 1j),
        changed("rotation", lambda x: x[:-3]),
        changed("rotation", lambda x: x.reshape(-1, 9)),
        changed("rotation", lambda x: x * 0.0),
        changed("rotation", lambda x: -x),
        changed("rotation", lambda x: x * NAN),
        arrays() | {"origin": np.zeros((3, len(TIME)))},
        *(arrays() | {"sign": x} for x in (2, 0, 0.5, NAN, "a", None, [1, 1])),
        *(arrays() | {"gravity": x} for x in ((0, 0), None, "x", (0, 0, 0), (0, 0, -1e300))),
        *(arrays() | {"cutoff": x} for x in (0, -1, 1e-9, 1e9, NAN, "a", [8.0])),
    ],
)
def test_nonsense_gets_a_sentence(given):
    with pytest.raises(InputError, match=r"\w+ .*\."):
        WrenchRecording.from_arrays(**given)


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_a_dead_sensor_has_no_payload(value):
    given = changed("wrench", lambda x: np.full_like(x, value))
    with pytest.raises(InputError, match="stuck"):
        identify_wrench(WrenchRecording.from_arrays(**given), BOUNDS)
    with pytest.raises(InputError, match="stuck"):
        identify_poses(given["rotation"][::50], given["wrench"][::50], BOUNDS)


@pytest.mark.parametrize("cutoff", [None, 8.0])
def test_stamps_that_differ_by_microseconds_change_next_to_nothing(cutoff):
    jitter = np.random.default_rng(1).uniform(-3e-5, 3e-5, len(TIME))
    even = WrenchRecording.from_arrays(**arrays(), cutoff=cutoff)
    uneven = WrenchRecording.from_arrays(**changed("stamp", lambda x: x + jitter), cutoff=cutoff)
    middle = slice(100, -100)
    for name, most in (("angular_velocity", 0.01), ("angular_acceleration", 0.2)):
        difference = np.abs(getattr(even, name) - getattr(uneven, name)[: len(even)])[middle]
        assert difference.max() < most
