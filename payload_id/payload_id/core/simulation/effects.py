r"""What drives and their sensors make of torques and angles: a chain of effects, one after another.

Each takes n drives at N instants on an even grid of time, and what it remembers of the instants
before; it gives what it changes, and what it will remember: `effect(figures, signal, memory)`. A
motion may come in pieces of any length: together they give what the whole gives. A sliding joint's
drive is the rotary one behind its pinion. D is the warmth, x the angle, L the load, and
u <- clip(u + dx / w, -1, 1) a spring that slips (`hysteresis`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.signal import lfilter

from ..arrays import Array
from .hysteresis import Slip, slipped

WIDTHS = np.array([[0.25], [0.5], [1.0], [2.0]])  # of friction's springs over the presliding angle


@dataclass(frozen=True, eq=False)
class Signal:
    """N instants of n drives, shape (N, n) each but for the step.

    Attributes:
        step: Time between two instants [s].
        angle: x, of the links [rad].
        velocity: [rad/s].
        acceleration: [rad/s2].
        load: L, the torque that goes through the gear to links and payload [N m].
        torque: What the torque's sensor or the motor's current shows so far [N m].
        position: What the encoder shows so far [rad].
        speed: What is published as velocity so far [rad/s].
        warmth: D, temperature above the one that figures hold for [K].
        parts: True torques by cause [N m].
    """

    step: float
    angle: Array
    velocity: Array
    acceleration: Array
    load: Array
    torque: Array
    position: Array
    speed: Array
    warmth: Array | float
    parts: Mapping[str, Array]

    def plus(self, cause: str, torque: Array) -> Signal:
        """Return the signal with a further cause of torque."""
        return replace(self, torque=self.torque + torque, parts={**self.parts, cause: torque})


Effect = Callable[[Any, Signal, Any], tuple[Signal, Any]]


def warming(f: Any, s: Signal, temperature: Array) -> tuple[Signal, Array]:
    r"""Drives warm up: dT/dt = (T_room + R a - T) / t_w,  a = min(|v| / V, 1).

    R is what steady fast motion adds to the room's temperature. Friction's own change is not fed
    back: R is a constant of the drive. It remembers T, shape (n,) [degrees Celsius].
    """
    gained = f.warm_up * np.minimum(np.abs(s.velocity) / f.busy, 1.0)
    keep = float(np.exp(-s.step / f.warm_up_time))
    now = f.room + low_pass(gained, keep, temperature - f.room)
    return replace(s, warmth=now - f.reference), now[-1]


def friction(f: Any, s: Signal, slip: Slip) -> tuple[Signal, Slip]:
    r"""Friction of a gear: Stribeck curve, load, temperature, and hysteresis before it slides.

    In steady sliding it is s(v) sign(v) + b v with s of `sliding` and b = F_v exp(-kappa_v D). Near
    a reversal it is the mean of Maxwell elements [AlBender2005], springs that slip at s(v): a force
    that depends on where the drive went and not on how fast, with closed minor loops and memory of
    past reversals,

        u_i <- clip(u_i + s(0) dx / w_i, -s(v), s(v)),    F = mean u_i + b v.

    A spring gives back at most what it took, and slip opposes u_i: friction is passive.
    """
    rate = sliding(f) / (WIDTHS * np.maximum(f.presliding, 1e-12))
    limit = sliding(f, s.velocity, s.load, s.warmth)[:, np.newaxis]
    u, slip = slipped(s.angle, rate, limit, slip)
    viscous = f.viscous * np.exp(-f.viscous_cooling * s.warmth)
    return s.plus("friction", u.mean(axis=1) + viscous * s.velocity), slip


def sliding(
    f: Any, velocity: Array | float = 0.0, load: Array | float = 0.0, warmth: Array | float = 0.0
) -> Array:
    """Return s = (F_c (1 - kappa_c D) + mu |L|) (1 + sigma exp(-(v / v_s)^2)) [N m]."""
    cooled = np.maximum(1.0 - f.coulomb_cooling * warmth, 0.0)
    coulomb = f.coulomb * cooled + f.load_friction * np.abs(load)
    ratio = velocity / np.maximum(f.stribeck_velocity, 1e-12)
    return np.asarray(coulomb * (1.0 + f.stiction * np.exp(-(ratio**2))))


def ripple(f: Any, s: Signal, _: None) -> tuple[Signal, None]:
    """Torque that repeats with the angle: sum_h A_h sin(k_h x + phi_h).

    k_h is 1 and 2 for a sensor that also feels other loads, 2 N for a strain wave gear of ratio N,
    whose wave generator is an ellipse, and k_c N for a motor that cogs.
    """
    order = (1.0, 2.0, 2.0 * f.gear_ratio, f.cogging_order * f.gear_ratio)
    amplitude = np.vstack([f.crosstalk, f.gear_ripple, f.cogging])
    terms = zip(order, amplitude, f.ripple_phase, strict=True)
    return s.plus("ripple", sum(A * np.sin(k * s.angle + phi) for k, A, phi in terms)), None


def cable(f: Any, s: Signal, slip: Slip) -> tuple[Signal, Slip]:
    """A cable along the arm that no description knows: C sin(x - x_0) + R u, bent and rubbing.

    The sine is bounded on joints that turn endlessly. Its weight is part of the links.
    """
    u, slip = slipped(s.angle, 1.0 / f.cable_width, 1.0, slip)
    bent = f.cable_bending * np.sin(s.angle - f.cable_straight)
    return s.plus("cable", bent + f.cable_rubbing * u[:, 0]), slip


def rotor(f: Any, s: Signal, _: None) -> tuple[Signal, None]:
    """What accelerates the rotors, which a sensor behind the gear does not see: I_a d2x/dt2."""
    return s.plus("rotor", f.rotor_inertia * s.acceleration), None


def torque_signal(f: Any, s: Signal, before: tuple[Slip, Any]) -> tuple[Signal, tuple[Slip, Any]]:
    """Measured torque, late: (1 + g + g_T D) T + o + o_T D + h u(T), a low-pass, a delay.

    A torque sensor and a motor current times a constant are both of this form; they differ in what
    T is made of.
    """
    u, slip = slipped(s.torque, 1.0 / f.hysteresis_width, 1.0, before[0])
    y = (1.0 + f.gain + f.gain_drift * s.warmth) * s.torque
    y = y + f.offset + f.offset_drift * s.warmth + f.hysteresis * u[:, 0]
    y, lag = late(y, f.cut_off, f.delay, s.step, before[1])
    return replace(s, torque=y), (slip, lag)


def elasticity(f: Any, s: Signal, slip: Slip) -> tuple[Signal, Slip]:
    """Twist of a strain wave gear between motor and link, hardening, with lost motion H u(L).

    The three stiffnesses and the hysteresis are how makers of such gears state them. To first
    order: the link's motion is given, and what the rotor's own acceleration adds by its angle being
    another one is left out.
    """
    u, slip = slipped(s.load, 1.0 / f.lost_motion_width, 1.0, slip)
    return replace(s, position=s.position + twist(f, s.load) + f.lost_motion * u[:, 0]), slip


def twist(f: Any, load: Array) -> Array:
    """Return sign(L) (min(|L|, T1) / K1 + part of |L| in [T1, T2] / K2 + beyond T2 / K3) [rad]."""
    size, (first, second) = np.abs(load), f.breaks
    soft, middle, hard = 1.0 / np.outer(f.stiffness, f.gear_size)
    part = soft * np.minimum(size, first) + middle * np.clip(size - first, 0.0, second - first)
    return np.asarray(np.sign(load) * (part + hard * np.maximum(size - second, 0.0)))


def encoder(f: Any, s: Signal, before: tuple[Any, Any, Any]) -> tuple[Signal, tuple[Any, Any, Any]]:
    """Published position and velocity: the encoder's steps, differences of them, filter, delays.

    Without a filter the velocity is the links', without the encoder's steps.
    """
    last, position_lag, speed_lag = before
    read, speed = quantised(s.position, f.position_step), s.speed
    if np.isfinite(f.velocity_cut_off):
        speed = np.diff(read, axis=0, prepend=(read[0] if last is None else last)[None]) / s.step
    position, position_lag = late(read, np.inf, f.position_delay, s.step, position_lag)
    speed, speed_lag = late(speed, f.velocity_cut_off, f.velocity_delay, s.step, speed_lag)
    return replace(s, position=position, speed=speed), (read[-1], position_lag, speed_lag)


EFFECTS: Mapping[str, Effect] = {
    effect.__name__: effect
    for effect in (
        warming,
        friction,
        ripple,
        cable,
        rotor,
        torque_signal,
        elasticity,
        encoder,
    )  # fmt: skip
}


def low_pass(signal: Array, keep: float, level: Array) -> Array:
    """Return y_k = keep y_{k-1} + (1 - keep) x_k with y_0 = level, shape (N, n)."""
    begin = keep * level[np.newaxis]
    return np.asarray(lfilter([1.0 - keep], [1.0, -keep], signal, axis=0, zi=begin)[0])


def late(
    signal: Array, cut_off: float, delay: float, step: float, before: tuple[Array, Array] | None
) -> tuple[Array, tuple[Array, Array]]:
    """Return a signal behind a first-order low-pass and a delay, linear between instants.

    Args:
        signal: Shape (N, n).
        cut_off: Frequency at which 3 dB are lost [Hz]; infinite: no filter.
        delay: [s].
        step: Time between two instants [s].
        before: What the last call returned: the low-pass' level, shape (n,), and what is still in
            the delay, oldest first, shape (K, n). None: the signal was what it is at first.
    """
    smooth = signal
    if np.isfinite(cut_off):
        level = signal[0] if before is None else before[0]
        smooth = low_pass(signal, float(np.exp(-2.0 * np.pi * cut_off * step)), level)
    whole, part = divmod(delay / step, 1.0)
    held = int(whole) + 1
    past = np.repeat(smooth[:1], held, axis=0) if before is None else before[1]
    line = np.concatenate([past, smooth])
    newer, older = line[1 : 1 + len(signal)], line[: len(signal)]
    return (1.0 - part) * newer + part * older, (smooth[-1], line[-held:])


def quantised(signal: Array, step: Array | float) -> Array:
    """Return a signal (N, n) in whole multiples of a step, one or (n,); of 0: as it is."""
    size = np.where(np.asarray(step) > 0, step, 1.0)
    return np.where(np.asarray(step) > 0, np.round(signal / size) * size, signal)
