"""Each effect of a drive against what its equation says, and the laws that it must keep."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from payload_id.core.simulation import effects
from payload_id.core.simulation.drives import Drives
from payload_id.core.simulation.effects import WIDTHS, Signal, sliding
from payload_id.core.simulation.presets import PRESETS, preset_named

STEP = 1e-3
REAL = [name for name in PRESETS if name != "ideal"]
FRICTION = dict(coulomb=2.0, stiction=0.4, stribeck_velocity=0.1, viscous=1.5, load_friction=0.05,
                presliding=2e-3, coulomb_cooling=0.004, viscous_cooling=0.01)  # fmt: skip


def signal(angle, velocity=None, load=0.0, warmth=0.0):
    """Return what drives that go through angles, shape (N, n), show of themselves alone."""
    velocity = np.gradient(angle, STEP, axis=0) if velocity is None else velocity
    zero = np.zeros_like(angle)
    return Signal(STEP, angle, velocity, np.gradient(velocity, STEP, axis=0), load + zero, zero,
                  angle, velocity, warmth + zero, {})  # fmt: skip


def wandering(rng, count=4000, n=2, size=0.3):
    """Return smooth random angles that end where they begin, shape (count, n)."""
    t = np.linspace(0.0, 2 * np.pi, count)[:, np.newaxis]
    angle = np.zeros((count, n))
    for k in range(1, 6):
        a, b = size * rng.normal(size=(2, n)) / k
        angle += a * np.sin(k * t) + b * (np.cos(k * t) - 1.0)
    return angle


def test_friction_in_steady_sliding_is_the_stribeck_curve():
    f = SimpleNamespace(**FRICTION)
    for v in (-1.0, -0.3, -0.02, 0.02, 0.1, 0.5):
        angle = v * STEP * np.arange(2000)[:, np.newaxis] * max(1.0, 0.05 / abs(v))
        there = signal(angle, np.full_like(angle, v), load=3.0, warmth=10.0)
        seen = effects.friction(f, there, (np.zeros((4, 1)), None))[0].torque[-1, 0]
        coulomb = 2.0 * (1 - 0.04) + 0.05 * 3.0
        steady = coulomb * (1 + 0.4 * np.exp(-((v / 0.1) ** 2)))
        assert seen == pytest.approx(np.sign(v) * steady + 1.5 * np.exp(-0.1) * v, abs=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_friction_takes_energy_in_every_closed_cycle(seed):
    """Even while load and warmth, and so the limits of its springs, change."""
    rng = np.random.default_rng(seed)
    angle = wandering(rng, size=0.3 if seed % 2 else 5e-4)
    f = SimpleNamespace(**(FRICTION | {"load_friction": 0.2}))
    there = signal(angle, load=5.0 * wandering(rng), warmth=10.0 + wandering(rng))
    start = sliding(f) * rng.uniform(-1.0, 1.0, (4, 2))
    force = effects.friction(f, there, (start, None))[0].torque
    moved = np.diff(angle, axis=0, prepend=angle[:1])
    # What springs have stored before the first instant: u^2 w / (2 s_0) for each share.
    stored = (WIDTHS[:, 0] / 4) @ start**2 * 2e-3 / (2 * sliding(f))
    assert (np.sum(force * moved, axis=0) >= -stored - 1e-12).all()


def test_twist_is_odd_continuous_and_hardens():
    f = SimpleNamespace(breaks=np.array([[4.0], [12.0]]), stiffness=[1e4, 1.4e4, 1.6e4],
                        gear_size=np.ones(1))  # fmt: skip
    load = np.linspace(-30.0, 30.0, 6001)[:, np.newaxis]
    twist = effects.twist(f, load)
    assert twist == pytest.approx(-twist[::-1])
    stiffness = np.diff(load, axis=0) / np.diff(twist, axis=0)
    for low, high, K in ((0.0, 4.0, 1e4), (4.0, 12.0, 1.4e4), (12.0, 30.0, 1.6e4)):
        inside = (load[1:] > low + 0.02) & (load[1:] < high - 0.02)
        assert stiffness[inside] == pytest.approx(K)


def test_torque_signal_has_gain_offset_and_drift():
    f = SimpleNamespace(gain=0.02, gain_drift=1e-3, offset=0.5, offset_drift=0.01, hysteresis=0.3,
                        hysteresis_width=1.0, cut_off=np.inf, delay=0.0, noise=0.1,
                        torque_step=0.25)  # fmt: skip
    rising = np.linspace(0.0, 8.0, 1000)[:, np.newaxis]
    there = signal(rising, warmth=10.0).plus("links", rising)
    seen = effects.torque_signal(f, there, ((np.zeros((1, 1)), None), None))[0].torque
    assert seen[-1] == pytest.approx(8.0 * 1.03 + 0.5 + 0.1 + 0.3)
    published = Drives(f, {}).published(np.zeros((20000, 1)), np.random.default_rng(0))
    assert published / 0.25 == pytest.approx(np.rint(published / 0.25))
    assert np.std(published) == pytest.approx(np.hypot(0.1, 0.25 / np.sqrt(12)), rel=0.1)


@pytest.mark.parametrize("name", REAL)
def test_a_motion_in_pieces_gives_what_the_whole_gives(name):
    cuts = [1, 2, 500, 501, 1300]
    smooth = preset_named(name).but(position_step=0.0)  # which rounding could go either way
    drives = Drives.drawn(smooth, np.full(2, 40.0), np.random.default_rng(1))
    drives = drives.started(np.random.default_rng(2), np.random.default_rng(3))
    angle, load = (5 * wandering(np.random.default_rng(k), count=2000) for k in (4, 5))
    velocity = np.gradient(angle, STEP, axis=0)
    rows = (angle, velocity, np.gradient(velocity, STEP, axis=0), load)
    whole, after = drives.through(STEP, *rows)
    pieces = []
    for part in np.split(np.arange(2000), cuts):
        piece, drives = drives.through(STEP, *(row[part] for row in rows))
        pieces.append(piece)
    for kind in ("torque", "position", "speed"):
        joined = np.concatenate([getattr(piece, kind) for piece in pieces])
        assert joined == pytest.approx(getattr(whole, kind), abs=1e-9), kind
    assert drives.memory["warming"] == pytest.approx(after.memory["warming"])
