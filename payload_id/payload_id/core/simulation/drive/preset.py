"""Figures of one make of drives, from which single drives are drawn.

What has the dimension of a torque is a fraction of the joint's capacity, its largest torque: gears
and motors of one make in several sizes come close to that, and so a preset fits any arm.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """Drives as they are before any is drawn; everything at 0 is an ideal drive.

    Sizes (of friction, ripple, stiffness, rotor) are drawn for each joint as the figure times
    exp(spread N(0, 1)); what may have either sign is drawn as the figure times N(0, 1).

    Attributes:
        name: Of the preset.
        spread: Of sizes between drives [-].
        coulomb: Coulomb friction over capacity [-].
        stiction: Breakaway over Coulomb friction less 1 [-].
        stribeck_velocity: Speed at which that has gone [rad/s].
        viscous: Viscous friction over capacity [s/rad].
        load_friction: Coulomb friction for each torque that passes the gear [-].
        presliding: Angle in which friction turns over at a reversal [rad].
        coulomb_cooling: Part of Coulomb friction that a kelvin of warmth takes [1/K].
        viscous_cooling: The same of viscous friction [1/K].
        gear_ratio: Turns of the motor for one of the joint [-].
        gear_ripple: Torque that repeats twice in a turn of the wave generator, over capacity [-].
        cogging: Torque that repeats `cogging_order` times in a turn of the motor [-].
        cogging_order: [1 in a turn of the motor].
        crosstalk: Torque that repeats once in a turn of the joint, and twice; either sign [-].
        cable_bending: Torque of an undescribed cable when it is bent, over capacity [-].
        cable_rubbing: Its rubbing, over capacity [-].
        cable_mass: Its mass, spread over all links [kg].
        rotor_inertia: Reflected inertia of the rotor over capacity [s2].
        breaks: Torques T1 and T2 at which a gear becomes stiffer, over capacity [-].
        stiffness: K1, K2 and K3 over capacity [1/rad]; infinite: rigid.
        lost_motion: Half of the width of the gear's loop [rad].
        room: Temperature of the room, of which a session draws its own [degrees Celsius].
        room_spread: [K].
        warm_up: What steady fast motion adds to that [K].
        warm_up_time: Time constant of it [s].
        gain: Error of the torque's gain; either sign [-].
        gain_drift: Change of the gain with warmth [1/K].
        offset: Offset of the torque over capacity, drawn for an arm; either sign [-].
        session_offset: A further one, drawn whenever the arm is switched on; either sign [-].
        offset_drift: Change of the offset with warmth, over capacity; either sign [1/K].
        hysteresis: Of the torque's measurement, over capacity [-].
        cut_off: Of the filter of torques [Hz].
        delay: Of torques behind it [s].
        noise: Standard deviation of each torque over capacity [-].
        torque_step: Of published torques over capacity [-].
        position_step: Of encoders [rad].
        position_delay: [s].
        velocity_cut_off: Of the filter of velocities [Hz].
        velocity_delay: Behind it [s].
        rate: Of joint states [Hz].
        stamp_jitter: Stamps are late by up to this [s].
        link_relative: Bound of the links' deviation from the description [-].
    """

    name: str
    spread: float = 0.0
    coulomb: float = 0.0
    stiction: float = 0.0
    stribeck_velocity: float = 0.05
    viscous: float = 0.0
    load_friction: float = 0.0
    presliding: float = 0.0
    coulomb_cooling: float = 0.0
    viscous_cooling: float = 0.0
    gear_ratio: float = 100.0
    gear_ripple: float = 0.0
    cogging: float = 0.0
    cogging_order: float = 12.0
    crosstalk: float = 0.0
    cable_bending: float = 0.0
    cable_rubbing: float = 0.0
    cable_mass: float = 0.0
    rotor_inertia: float = 0.0
    breaks: tuple[float, float] = (0.1, 0.3)
    stiffness: tuple[float, float, float] = (float("inf"),) * 3
    lost_motion: float = 0.0
    room: float = 23.0
    room_spread: float = 0.0
    warm_up: float = 0.0
    warm_up_time: float = 1800.0
    gain: float = 0.0
    gain_drift: float = 0.0
    offset: float = 0.0
    session_offset: float = 0.0
    offset_drift: float = 0.0
    hysteresis: float = 0.0
    cut_off: float = float("inf")
    delay: float = 0.0
    noise: float = 0.0
    torque_step: float = 0.0
    position_step: float = 0.0
    position_delay: float = 0.0
    velocity_cut_off: float = float("inf")
    velocity_delay: float = 0.0
    rate: float = 250.0
    stamp_jitter: float = 0.0
    link_relative: float = 0.0
