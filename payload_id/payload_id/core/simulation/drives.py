"""The drives of one arm, drawn from a preset; what they show along a motion; what they remember."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..arrays import Array
from .effects import EFFECTS, WIDTHS, Signal, quantised, sliding
from .presets import FIGURES, Preset


@dataclass(frozen=True, eq=False)
class Drives:
    """All drives of one arm.

    Attributes:
        figures: By the names of `FIGURES`: one number, or one for each drive (torques in N m).
        memory: What each of `EFFECTS` remembers, by its name.
    """

    figures: Any
    memory: Mapping[str, Any]

    @classmethod
    def drawn(cls, preset: Preset, capacity: Array, rng: np.random.Generator) -> Drives:
        """Draw drives that nothing has moved yet.

        Args:
            preset: What they are drawn from.
            capacity: Largest torque of each drive, shape (n,) [N m].
            rng: Source of randomness.
        """
        n, made = len(capacity), SimpleNamespace()
        for name, figure in FIGURES.items():
            value, shape = np.asarray(preset[name]), (figure.rows, n) if figure.rows else n
            if figure.drawn == "size":
                value = value * np.exp(preset["spread"] * rng.standard_normal(shape))
            elif figure.drawn == "either":
                value = value * rng.standard_normal(shape)
            elif figure.drawn == "within":
                value = rng.uniform(-value, value, shape)
            if figure.of_capacity:
                value = value * capacity if figure.drawn else np.multiply.outer(value, capacity)
            setattr(made, name, value)
        return cls(made, {}).left(np.zeros((3 + len(WIDTHS), n)), np.full(n, preset["room"]))

    def started(self, session: np.random.Generator, run: np.random.Generator) -> Drives:
        """Return the drives some time after being switched on, after a motion that nobody knows.

        Args:
            session: Draws their offsets, the room, and for how long they were in use.
            run: Draws what the motion before has left of hysteresis.
        """
        f, n = self.figures, len(self.figures.offset)
        offset = f.offset + f.session_offset * session.standard_normal(n)
        room = f.room + f.room_spread * float(session.standard_normal())
        use = float(session.uniform(0.0, f.longest_use))
        temperature = room + f.warm_up * (1.0 - np.exp(-use / f.warm_up_time))
        figures = SimpleNamespace(**{**vars(f), "offset": offset, "room": room})
        u = run.uniform(-1.0, 1.0, (3 + len(WIDTHS), n))
        return replace(self, figures=figures).left(u, temperature)

    def left(self, u: Array, temperature: Array) -> Drives:
        """Return the drives as earlier motion has left them.

        Args:
            u: Of the springs of cable, gears, torque signal and friction, each a part of where it
                slips, shape (7, n) [-].
            temperature: Shape (n,) [degrees Celsius].
        """
        memory = {
            "warming": temperature,
            "cable": (u[:1], None),
            "elasticity": (u[1:2], None),
            "torque_signal": ((u[2:3], None), None),
            "friction": (u[3:] * sliding(self.figures), None),
            "encoder": (None, None, None),
        }
        return replace(self, memory=memory)

    def through(
        self, step: float, angle: Array, velocity: Array, acceleration: Array, load: Array
    ) -> tuple[Signal, Drives]:
        """Return what the drives show along a motion, before noise, and them as it leaves them.

        Args:
            step: Time between two instants [s].
            angle: Of the links, shape (N, n) [rad].
            velocity: Same shape [rad/s].
            acceleration: Same shape [rad/s2].
            load: Torque that links and payload ask for, same shape [N m].
        """
        seen, after = (load, angle, velocity), {}
        signal = Signal(step, angle, velocity, acceleration, load, *seen, warmth=0.0, parts={})
        for name, effect in EFFECTS.items():
            signal, after[name] = effect(self.figures, signal, self.memory.get(name))
        return signal, replace(self, memory=after)

    def published(self, torque: Array, rng: np.random.Generator) -> Array:
        """Return measured torques, shape (N, n), with white normal noise and in whole steps."""
        noisy = torque + self.figures.noise * rng.standard_normal(torque.shape)
        return quantised(noisy, self.figures.torque_step)
