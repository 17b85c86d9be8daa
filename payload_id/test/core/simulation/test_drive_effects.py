"""Each effect of a drive against what its equation says, and the laws that it must keep."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.simulation.drive.clipped_walk import Slip
from payload_id.core.simulation.drive.drives import draw_drives
from payload_id.core.simulation.drive.elasticity import Elasticity
from payload_id.core.simulation.drive.friction import SHARES, WIDTHS, Friction
from payload_id.core.simulation.drive.joint_history import JointHistory
from payload_id.core.simulation.drive.late_signal import Lag
from payload_id.core.simulation.drive.presets import PRESETS, preset_named
from payload_id.core.simulation.drive.ripple import Ripple
from payload_id.core.simulation.drive.torque_signal import TorqueSignal

STEP = 1e-3
REAL = [name for name in PRESETS if name != "ideal"]


def friction(n=2, **changed):
    """Return a friction with all its parts."""
    figures = dict(
        coulomb=2.0,
        stiction=0.4,
        stribeck_velocity=0.1,
        viscous=1.5,
        load=0.05,
        presliding=2e-3,
        coulomb_cooling=0.004,
        viscous_cooling=0.01,
    )
    arrays = {name: np.full(n, value) for name, value in (figures | changed).items()}
    return Friction(**arrays, u=np.zeros((len(SHARES), n)))


def torque(effect, there):
    """Return an effect's torque along a history, shape (N, n)."""
    return effect.through(there)[0]


def history(angle, velocity=None, load=0.0, warmth=0.0, step=STEP):
    """Return the history of drives that go through angles, shape (N, n)."""
    velocity = np.gradient(angle, step, axis=0) if velocity is None else velocity
    return JointHistory(
        step,
        angle,
        velocity,
        np.gradient(velocity, step, axis=0),
        load + np.zeros_like(angle),
        warmth + np.zeros_like(angle),
    )


def wandering(rng, count=4000, n=2, size=0.3):
    """Return smooth random angles that end where they begin, shape (count, n)."""
    t = np.linspace(0.0, 2 * np.pi, count)[:, np.newaxis]
    angle = np.zeros((count, n))
    for k in range(1, 6):
        a, b = size * rng.normal(size=(2, n)) / k
        angle += a * np.sin(k * t) + b * (np.cos(k * t) - 1.0)
    return angle


def test_friction_in_steady_sliding_is_the_stribeck_curve():
    f = friction(n=1)
    for v in (-1.0, -0.3, -0.02, 0.02, 0.1, 0.5):
        angle = v * STEP * np.arange(2000)[:, np.newaxis] * max(1.0, 0.05 / abs(v))
        seen = torque(f, history(angle, np.full_like(angle, v), load=3.0, warmth=10.0))[-1, 0]
        coulomb = 2.0 * (1 - 0.04) + 0.05 * 3.0
        sliding = coulomb * (1 + 0.4 * np.exp(-((v / 0.1) ** 2)))
        assert seen == pytest.approx(np.sign(v) * sliding + 1.5 * np.exp(-0.1) * v, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_friction_takes_energy_in_every_closed_cycle(seed):
    """Even while load and warmth, and so the limits of its springs, change."""
    rng = np.random.default_rng(seed)
    angle = wandering(rng, size=0.3 if seed % 2 else 5e-4)
    f = friction(load=0.2)
    there = history(angle, load=5.0 * wandering(rng), warmth=10.0 + wandering(rng))
    start = replace(f, u=f.breakaway * rng.uniform(-1.0, 1.0, (4, 2)))
    force = start.through(there)[0]
    moved = np.diff(angle, axis=0, prepend=angle[:1])
    # What springs have stored before the first instant: u^2 w / (2 s_0) for each share.
    stored = (SHARES * WIDTHS) @ start.u**2 * 2e-3 / (2 * f.breakaway)
    assert (np.sum(force * moved, axis=0) >= -stored - 1e-12).all()


def test_ripple_repeats_and_does_no_work_in_a_turn():
    rng = np.random.default_rng(0)
    ripple = Ripple(np.array([1.0, 2.0, 7.0]), rng.uniform(size=(3, 1)), rng.uniform(size=(3, 1)))
    angle = np.linspace(0.0, 2 * np.pi, 5001)[:, np.newaxis]
    there = torque(ripple, history(angle))
    assert there[0] == pytest.approx(there[-1])
    assert np.trapezoid(there[:, 0], angle[:, 0]) == pytest.approx(0.0, abs=1e-10)
    assert np.abs(there).max() > 0.1


def gears(lost_motion=0.0):
    """Return the elasticity of one gear."""
    return Elasticity(
        breaks=np.array([[4.0], [12.0]]),
        compliance=1.0 / np.array([[1e4], [1.4e4], [1.6e4]]),
        lost_motion=np.array([lost_motion]),
        slip=Slip(np.array([1.0]), np.zeros(1)),
    )


def test_twist_is_odd_continuous_and_hardens():
    load = np.linspace(-30.0, 30.0, 6001)[:, np.newaxis]
    twist = gears().twist(load)
    assert twist == pytest.approx(-twist[::-1])
    stiffness = np.diff(load, axis=0) / np.diff(twist, axis=0)
    for low, high, K in ((0.0, 4.0, 1e4), (4.0, 12.0, 1.4e4), (12.0, 30.0, 1.6e4)):
        inside = (load[1:] > low + 0.02) & (load[1:] < high - 0.02)
        assert stiffness[inside] == pytest.approx(K)


def test_torque_signal_has_gain_offset_and_drift():
    one = np.ones(1)
    signal = TorqueSignal(
        gain=0.02 * one,
        gain_drift=1e-3 * one,
        offset=0.5 * one,
        offset_drift=0.01 * one,
        hysteresis=0.3 * one,
        slip=Slip(one, 0.0 * one),
        lag=Lag(np.inf, 0.0),
        noise=0.1 * one,
        step=0.25 * one,
    )
    torque = np.linspace(0.0, 8.0, 1000)[:, np.newaxis]
    seen = signal.through(torque, 0.0 * torque + 10.0, STEP)[0]
    assert seen[-1] == pytest.approx(8.0 * 1.03 + 0.5 + 0.1 + 0.3)
    published = signal.published(np.zeros((20000, 1)), np.random.default_rng(0))
    assert published / 0.25 == pytest.approx(np.rint(published / 0.25))
    assert np.std(published) == pytest.approx(np.hypot(0.1, 0.25 / np.sqrt(12)), rel=0.1)


@pytest.mark.parametrize("name", REAL)
def test_a_motion_in_pieces_gives_what_the_whole_gives(name):
    cuts = [1, 2, 500, 501, 1300]
    smooth = replace(preset_named(name), position_step=0.0)  # which rounding could go either way
    drives = draw_drives(smooth, np.full(2, 40.0), np.random.default_rng(1))
    drives = drives.in_session(np.random.default_rng(2)).in_run(np.random.default_rng(3))
    angle, load = (5 * wandering(np.random.default_rng(k), count=2000) for k in (4, 5))
    velocity = np.gradient(angle, STEP, axis=0)
    rows = (angle, velocity, np.gradient(velocity, STEP, axis=0), load)
    whole, after = drives.through(STEP, *rows)
    pieces = []
    for part in np.split(np.arange(2000), cuts):
        piece, drives = drives.through(STEP, *(row[part] for row in rows))
        pieces.append(piece)
    for kind in ("torque", "position", "velocity"):
        joined = np.concatenate([getattr(piece, kind) for piece in pieces])
        assert joined == pytest.approx(getattr(whole, kind), abs=1e-9), kind
    assert drives.temperature == pytest.approx(after.temperature)
