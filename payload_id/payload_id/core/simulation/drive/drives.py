"""The drives of one arm, drawn from a preset; of one session; of one run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Array
from .cable import Cable
from .clipped_walk import Slip
from .drive_effect import DriveEffect
from .elasticity import Elasticity
from .friction import SHARES, Friction
from .joint_history import JointHistory
from .late_signal import Lag
from .motion_signal import MotionSignal
from .preset import Preset
from .ripple import Ripple
from .rotor import Rotor
from .torque_signal import TorqueSignal
from .warming import Warming

WARM = 25.0  # temperature that the presets' figures hold for [degrees Celsius]
CABLE_WIDTH = 0.2  # angle in which a cable's rubbing turns over [rad]
# Loads in which lost motion and the sensor's hysteresis turn over, as fractions of the capacity.
LOST_MOTION_WIDTH = 0.04  # makers state lost motion at 4 % of the rated torque
HYSTERESIS_WIDTH = 0.1
LONGEST_USE = 3600.0  # how long an arm may have been in use when a session's first run begins [s]


@dataclass(frozen=True)
class DriveOutput:
    """What drives show at N instants, before noise.

    Attributes:
        torque: Shape (N, n) [N m].
        position: Shape (N, n) [rad].
        velocity: Shape (N, n) [rad/s].
        parts: True torques by cause, shape (N, n) each [N m].
    """

    torque: Array
    position: Array
    velocity: Array
    parts: dict[str, Array]


@dataclass(frozen=True)
class Drives:
    """All drives of one arm, and what they remember.

    Attributes:
        friction: Its torque, and so the next three.
        ripple: Cogging, gear ripple, crosstalk.
        cable: What no description has.
        rotor: As far as the torque signal sees it.
        elasticity: Between the links and the encoders.
        warming: How temperatures follow the motion.
        torque_signal: From torque to published effort.
        motion_signal: From the motor's angle to published position and velocity.
        temperature: At the last instant, shape (n,) [degrees Celsius].
        session_offset: Spread of the torque's offset between sessions, shape (n,) [N m].
        room_spread: Spread of the room's temperature between sessions [K].
    """

    friction: Friction
    ripple: Ripple
    cable: Cable
    rotor: Rotor
    elasticity: Elasticity
    warming: Warming
    torque_signal: TorqueSignal
    motion_signal: MotionSignal
    temperature: Array
    session_offset: Array
    room_spread: float

    @property
    def effects(self) -> dict[str, DriveEffect]:
        """What adds to the torque, by name."""
        return {
            "friction": self.friction,
            "ripple": self.ripple,
            "cable": self.cable,
            "rotor": self.rotor,
        }

    def in_session(self, rng: np.random.Generator) -> Drives:
        """Return the drives some time after being switched on, in a room of its own."""
        offset = self.session_offset * rng.standard_normal(len(self.session_offset))
        room = self.warming.room + self.room_spread * float(rng.standard_normal())
        signal = replace(self.torque_signal, offset=self.torque_signal.offset + offset)
        warming = replace(self.warming, room=room)
        use = float(rng.uniform(0.0, LONGEST_USE))
        return replace(self, torque_signal=signal, warming=warming, temperature=warming.after(use))

    def in_run(self, rng: np.random.Generator) -> Drives:
        """Return the drives as an unknown motion before the run has left their hysteresis."""
        left = rng.uniform(-1.0, 1.0, (len(SHARES) + 3, len(self.temperature)))

        def with_slip(part: Any, u: Array) -> Any:
            """Return something that slips, slipped so far."""
            return replace(part, slip=replace(part.slip, u=u))

        return replace(
            self,
            friction=replace(self.friction, u=left[3:] * self.friction.breakaway),
            cable=with_slip(self.cable, left[0]),
            elasticity=with_slip(self.elasticity, left[1]),
            torque_signal=with_slip(self.torque_signal, left[2]),
        )

    def through(
        self, step: float, angle: Array, velocity: Array, acceleration: Array, load: Array
    ) -> tuple[DriveOutput, Drives]:
        """Return what the drives show along a motion, and the drives as it leaves them.

        A motion may come in pieces of any length: together they give what the whole gives.

        Args:
            step: Time between two instants [s].
            angle: Of the links, shape (N, n) [rad].
            velocity: Same shape [rad/s].
            acceleration: Same shape [rad/s2].
            load: Torque that links and payload ask for, same shape [N m].
        """
        temperature = self.warming.temperature(velocity, step, self.temperature)
        warmth = temperature - WARM
        history = JointHistory(step, angle, velocity, acceleration, load, warmth)
        parts, after = {}, {}
        for name, effect in self.effects.items():
            parts[name], after[name] = effect.through(history)
        total = load + sum(parts.values())
        torque, torque_signal = self.torque_signal.through(total, warmth, step)
        bent, elasticity = self.elasticity.through(load)
        position, speed, motion_signal = self.motion_signal.through(angle + bent, velocity, step)
        changed: dict[str, Any] = after | {
            "elasticity": elasticity,
            "torque_signal": torque_signal,
            "motion_signal": motion_signal,
            "temperature": temperature[-1],
        }
        return DriveOutput(torque, position, speed, parts), replace(self, **changed)


def draw_drives(preset: Preset, capacity: Array, rng: np.random.Generator) -> Drives:
    """Draw the drives of an arm.

    Args:
        preset: What they are drawn from.
        capacity: Largest torque of each drive, shape (n,) [N m].
        rng: Source of randomness.
    """
    n = len(capacity)
    still = np.zeros(n)

    def size(figure: float) -> Array:
        """Return a positive figure for each joint, shape (n,)."""
        return np.asarray(figure * np.exp(preset.spread * rng.standard_normal(n)))

    def signed(figure: float) -> Array:
        """Return a figure of either sign for each joint, shape (n,)."""
        return np.asarray(figure * rng.standard_normal(n))

    ratio = preset.gear_ratio
    order = np.array([1.0, 2.0, 2.0 * ratio, preset.cogging_order * ratio])
    amplitude = [
        signed(preset.crosstalk),
        signed(preset.crosstalk),
        size(preset.gear_ripple),
        size(preset.cogging),
    ]
    return Drives(
        friction=Friction(
            coulomb=capacity * size(preset.coulomb),
            stiction=size(preset.stiction),
            stribeck_velocity=size(preset.stribeck_velocity),
            viscous=capacity * size(preset.viscous),
            load=size(preset.load_friction),
            presliding=size(preset.presliding),
            coulomb_cooling=size(preset.coulomb_cooling),
            viscous_cooling=size(preset.viscous_cooling),
            u=np.zeros((len(SHARES), n)),
        ),
        ripple=Ripple(
            order=order,
            amplitude=capacity * np.array(amplitude),
            phase=rng.uniform(-np.pi, np.pi, (len(order), n)),
        ),
        cable=Cable(
            bending=capacity * size(preset.cable_bending),
            straight=rng.uniform(-np.pi, np.pi, n),
            rubbing=capacity * size(preset.cable_rubbing),
            slip=Slip(np.full(n, CABLE_WIDTH), still),
        ),
        rotor=Rotor(capacity * size(preset.rotor_inertia)),
        elasticity=Elasticity(
            breaks=np.outer(preset.breaks, capacity),
            compliance=1.0 / np.outer(preset.stiffness, capacity * size(1.0)),
            lost_motion=size(preset.lost_motion),
            slip=Slip(LOST_MOTION_WIDTH * capacity, still),
        ),
        warming=Warming(preset.room, size(preset.warm_up), preset.warm_up_time),
        torque_signal=TorqueSignal(
            gain=signed(preset.gain),
            gain_drift=size(preset.gain_drift),
            offset=capacity * signed(preset.offset),
            offset_drift=capacity * signed(preset.offset_drift),
            hysteresis=capacity * size(preset.hysteresis),
            slip=Slip(HYSTERESIS_WIDTH * capacity, still),
            lag=Lag(preset.cut_off, preset.delay),
            noise=capacity * size(preset.noise),
            step=capacity * preset.torque_step,
        ),
        motion_signal=MotionSignal(
            position_step=np.full(n, preset.position_step),
            position_lag=Lag(np.inf, preset.position_delay),
            velocity_lag=Lag(preset.velocity_cut_off, preset.velocity_delay),
        ),
        temperature=np.full(n, preset.room),
        session_offset=capacity * preset.session_offset,
        room_spread=preset.room_spread,
    )
