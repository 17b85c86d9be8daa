"""Figures of makes of drives, and presets after arms that exist: each with its source or "chosen".

"Chosen" means that no public figure was found: the order of magnitude is usual, the digits mean
nothing. Sources in brackets:

    [unisa]   unisa-acg/inverse-dynamics-solver@1e1dbb9, the model of Petrone, Ferrentino and
              Chiacchio: The Dynamic Model of the UR10 Robot and its ROS2 Integration,
              arXiv 2502.11940.
    [ur]      Universal Robots, largest joint torques by size, as quoted in
              ros-industrial/universal_robot pull request 513: 56, 150 and 330 N m.
    [raviola] Raviola et al.: Effects of Temperature and Mounting Configuration on the Dynamic
              Parameters Identification of Industrial Robots, Robotics 10(3), 83, 2021.
    [hd]      Harmonic Drive, catalogue of component sets CSF, ratio 80 and above: stiffness K1 to
              K3, torques T1, T2, rated and repeated peak torque, hysteresis loss, sizes 14 to 32;
              from memory of the catalogue, of which only K1 of size 25 was found again, in [cjt].
    [cjt]     Compliant Joint Toolbox (Malzahn and Roozing), parameters of WALK-MAN's big motors.
    [raptor]  roahmlab/RAPTOR@a8e2a45, KinovaConstants.h: friction of the public code of [ZZV].
    [kortex]  Kinovarobotics/ros2_kortex@1fdbef3: effort limits, rate, feedback of the last cycle.
    [offsets] Kinova kortex issues 226 and 38, ros_kortex issue 237: offsets of the Gen3's sensors.
    [xarm]    xArm-Developer/xarm_ros2@0417b0f: effort limits, rates, what effort is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..errors import UnknownNameError

INF = float("inf")


@dataclass(frozen=True)
class Figure:
    """One figure of a make of drives, and how it is drawn for a joint.

    Attributes:
        default: Of an ideal drive.
        what: What it is, with its unit.
        drawn: "size": the figure times exp(spread N(0, 1)); "either": of either sign, times
            N(0, 1); "within": uniform within the figure; "": as it is.
        of_capacity: Whether it is a fraction of the joint's capacity, its largest torque: gears and
            motors of one make in several sizes come close to that, and so a preset fits any arm.
        rows: How many are drawn for each joint; 0: one, without an axis of its own.
    """

    default: Any
    what: str
    drawn: str = ""
    of_capacity: bool = False
    rows: int = 0


# In the order in which they are drawn.
FIGURES: Mapping[str, Figure] = MappingProxyType(
    {
        "spread": Figure(0.0, "Of sizes between drives [-]."),
        "crosstalk": Figure(
            0.0, "Torque that repeats once in a turn of the joint, and twice.", "either", True, 2
        ),
        "gear_ripple": Figure(
            0.0, "Torque that repeats twice in a turn of the wave generator.", "size", True
        ),
        "cogging": Figure(
            0.0, "Torque that repeats `cogging_order` times in a turn of the motor.", "size", True
        ),
        "coulomb": Figure(0.0, "Coulomb friction.", "size", True),
        "stiction": Figure(0.0, "Breakaway over Coulomb friction less 1 [-].", "size"),
        "stribeck_velocity": Figure(0.05, "Speed at which that has gone [rad/s].", "size"),
        "viscous": Figure(0.0, "Viscous friction [s/rad].", "size", True),
        "load_friction": Figure(
            0.0, "Coulomb friction for each torque that passes the gear [-].", "size"
        ),
        "presliding": Figure(
            0.0, "Angle in which friction turns over at a reversal [rad].", "size"
        ),
        "coulomb_cooling": Figure(
            0.0, "Part of Coulomb friction that a kelvin takes [1/K].", "size"
        ),
        "viscous_cooling": Figure(0.0, "The same of viscous friction [1/K].", "size"),
        "ripple_phase": Figure(math.pi, "Where ripple and cogging begin [rad].", "within", rows=4),
        "cable_bending": Figure(
            0.0, "Torque of an undescribed cable when it is bent.", "size", True
        ),
        "cable_straight": Figure(math.pi, "Where it is straight [rad].", "within"),
        "cable_rubbing": Figure(0.0, "Its rubbing.", "size", True),
        "rotor_inertia": Figure(0.0, "Reflected inertia of the rotor [s2].", "size", True),
        "gear_size": Figure(1.0, "What stiffness and its breaks are multiplied by.", "size", True),
        "lost_motion": Figure(0.0, "Half of the width of the gear's loop [rad].", "size"),
        "warm_up": Figure(
            0.0, "What steady fast motion adds to the room's temperature [K].", "size"
        ),
        "gain": Figure(0.0, "Error of the torque's gain [-].", "either"),
        "gain_drift": Figure(0.0, "Change of the gain with warmth [1/K].", "size"),
        "offset": Figure(0.0, "Offset of the torque, of an arm.", "either", True),
        "offset_drift": Figure(0.0, "Change of the offset with warmth [1/K].", "either", True),
        "hysteresis": Figure(0.0, "Of the torque's measurement.", "size", True),
        "noise": Figure(0.0, "Standard deviation of each torque.", "size", True),
        "gear_ratio": Figure(100.0, "Turns of the motor for one of the joint [-]."),
        "cogging_order": Figure(12.0, "[1 in a turn of the motor]."),
        "cable_width": Figure(0.2, "Angle in which a cable's rubbing turns over [rad]; chosen."),
        "cable_mass": Figure(0.0, "Its mass, spread over all links [kg]."),
        "cable_spread": Figure(0.05, "Of its parts from the links' centres of mass [m]; chosen."),
        "pinion": Figure(
            0.3, "Radius between a sliding joint and its drive [m]; chosen: 1 m/s is 3 rad/s to it."
        ),
        "breaks": Figure(
            (0.1, 0.3), "Torques T1 and T2 at which a gear becomes stiffer.", "", True
        ),
        "stiffness": Figure(
            (INF, INF, INF), "K1, K2 and K3 over capacity [1/rad]; infinite: rigid."
        ),
        "lost_motion_width": Figure(
            0.04, "Load in which lost motion turns over, as makers state it.", "", True
        ),
        "room": Figure(23.0, "Of the room, of which a session draws its own [degrees Celsius]."),
        "room_spread": Figure(0.0, "[K]."),
        "reference": Figure(25.0, "Temperature that the other figures hold for [degrees Celsius]."),
        "busy": Figure(0.5, "Speed from which a drive counts as in fast motion [rad/s]; chosen."),
        "warm_up_time": Figure(1800.0, "Time constant of warming [s]."),
        "longest_use": Figure(3600.0, "Longest use of an arm before a session's first run [s]."),
        "session_offset": Figure(
            0.0, "A further offset, drawn whenever the arm is switched on.", "", True
        ),
        "hysteresis_width": Figure(
            0.1, "Torque in which the measurement's hysteresis turns over; chosen.", "", True
        ),
        "cut_off": Figure(INF, "Of the filter of torques [Hz]."),
        "delay": Figure(0.0, "Of torques behind it [s]."),
        "torque_step": Figure(0.0, "Of published torques.", "", True),
        "position_step": Figure(0.0, "Of encoders [rad]."),
        "position_delay": Figure(0.0, "[s]."),
        "velocity_cut_off": Figure(INF, "Of the filter of velocities [Hz]."),
        "velocity_delay": Figure(0.0, "Behind it [s]."),
        "rate": Figure(250.0, "Of joint states [Hz]."),
        "stamp_jitter": Figure(0.0, "Stamps are late by up to this [s]."),
        "link_relative": Figure(0.0, "Bound of the links' deviation from the description [-]."),
    }
)


@dataclass(frozen=True)
class Preset:
    """Drives of one make, from which single ones are drawn.

    Attributes:
        name: Of the preset.
        figures: By the names of `FIGURES`, all of them.
    """

    name: str
    figures: Mapping[str, Any]

    @classmethod
    def of(cls, name: str, **given: Any) -> Preset:
        """Return ideal drives but for some figures."""
        ideal = {key: figure.default for key, figure in FIGURES.items()}
        return cls(name, ideal).but(**given)

    def but(self, **given: Any) -> Preset:
        """Return the preset with other figures.

        Raises:
            UnknownNameError: There is no such figure.
        """
        for name in given:
            if name not in FIGURES:
                raise UnknownNameError("figure of drives", name, FIGURES)
        return Preset(self.name, MappingProxyType({**self.figures, **given}))

    def __getitem__(self, name: str) -> Any:
        """Return a figure."""
        return self.figures[name]


IDEAL = Preset.of("ideal")

# Friction as a strain-wave joint with torque sensor shows it: what lies behind the sensor.
GEN3_LIKE = Preset.of(
    "gen3_like",
    spread=0.15,  # [raptor]: 0.42 to 0.58 N m on four equal joints
    # [raptor] over [kortex]: 0.50 / 39 N m on large joints, 0.146 / 9 on small ones; that it is the
    # friction behind the sensor is assumed, the source does not say. Published sets for this arm
    # differ by a factor of six.
    coulomb=0.0145,
    stiction=0.2,  # chosen
    stribeck_velocity=0.05,  # [rad/s] chosen
    viscous=0.0145,  # [s/rad] chosen: at 1 rad/s as much as Coulomb; [raptor]'s are of the motor
    load_friction=0.01,  # chosen
    presliding=1e-3,  # [rad] chosen
    coulomb_cooling=0.003,  # [1/K] chosen
    viscous_cooling=0.0124,  # [1/K] 17 % over the warm-up of a UR5 [raviola]
    gear_ratio=100.0,  # kortex issue 38
    gear_ripple=0.004,  # chosen
    cogging=0.0,  # is not seen behind the gear
    crosstalk=0.005,  # chosen; the sensors are calibrated by four gains and offsets (issue 189)
    cable_bending=0.004,  # chosen
    cable_rubbing=0.002,  # chosen
    cable_mass=0.1,  # [kg] chosen
    rotor_inertia=0.0,  # is not seen behind the gear
    breaks=(0.2, 0.7),  # [hd]: 7 and 25 N m of size 20, whose rated torque of 40 N m is nearest 39
    stiffness=(410.0, 640.0, 740.0),  # [1/rad] [hd]: 1.6e4, 2.5e4 and 2.9e4 N m/rad of size 20
    lost_motion=1.45e-4,  # [rad] [hd]: half of 1 arc minute
    room=23.0,  # chosen, and so the four below
    room_spread=3.0,
    warm_up=15.0,
    warm_up_time=1800.0,
    gain=0.01,  # chosen: most within the 2.5 % of [ZZV]
    gain_drift=2e-4,  # [1/K] chosen
    offset=0.01,  # chosen: with the next, 1.2 N m rms over six joints were seen [offsets]
    session_offset=0.025,  # they change when the arm is switched on [offsets]
    offset_drift=5e-4,  # [1/K] chosen
    hysteresis=0.003,  # chosen
    cut_off=200.0,  # [Hz] chosen
    delay=1e-3,  # [s] one cycle [kortex]
    noise=0.002,  # chosen
    torque_step=0.0,
    position_step=5e-5,  # [rad] chosen
    position_delay=1e-3,  # [s] one cycle [kortex]
    velocity_cut_off=50.0,  # [Hz] chosen
    velocity_delay=1e-3,  # [s] one cycle [kortex]
    rate=1000.0,  # [Hz] [kortex]
    stamp_jitter=2e-4,  # [s] chosen
    link_relative=0.05,  # [ZZV]
)

# Motor current times a constant; the controller reports it slowly, "just for reference" [xarm].
XARM_LIKE = Preset.of(
    "xarm_like",
    spread=0.2,  # chosen
    coulomb=0.053,  # that of ur_like: no figure of the arm but its simulation's 1 N m [xarm]
    stiction=0.2,  # chosen
    stribeck_velocity=0.05,  # [rad/s] chosen
    viscous=0.05,  # [s/rad] that of ur_like
    load_friction=0.05,  # chosen
    presliding=1e-3,  # [rad] chosen
    coulomb_cooling=0.003,  # [1/K] chosen
    viscous_cooling=0.0124,  # [1/K] [raviola]
    gear_ratio=100.0,  # chosen
    gear_ripple=0.01,  # chosen
    cogging=0.01,  # chosen
    crosstalk=0.0,
    cable_bending=0.004,  # chosen
    cable_rubbing=0.002,  # chosen
    cable_mass=0.15,  # [kg] chosen
    rotor_inertia=0.006,  # [s2] that of ur_like
    breaks=(0.085, 0.3),  # [hd] over the repeated peak torque
    stiffness=(195.0, 310.0, 350.0),  # [1/rad] [hd] over the repeated peak torque
    lost_motion=1.45e-4,  # [rad] [hd]
    room=23.0,  # chosen, and so the four below
    room_spread=3.0,
    warm_up=15.0,
    warm_up_time=1800.0,
    gain=0.05,  # chosen
    gain_drift=1e-3,  # [1/K] magnets lose about 0.1 % of their flux for each kelvin
    offset=0.01,  # that of ur_like
    session_offset=0.002,  # chosen
    offset_drift=1e-4,  # [1/K] chosen
    hysteresis=0.0,
    cut_off=15.0,  # [Hz] chosen
    delay=0.015,  # [s] chosen
    noise=0.004,  # chosen
    torque_step=0.002,  # chosen
    position_step=2e-5,  # [rad] chosen
    position_delay=0.0,
    velocity_cut_off=10.0,  # [Hz] chosen
    velocity_delay=0.02,  # [s] chosen
    rate=100.0,  # [Hz] of detailed reports [xarm]; the controller's own limit is 250
    stamp_jitter=2e-3,  # [s] stamps are of the host that receives [xarm]; the figure is chosen
    link_relative=0.1,  # six sets of link masses are published, 8.2 to 11.8 kg together [xarm]
)

# Actual current times the drive's gain, fast and unfiltered.
UR_LIKE = Preset.of(
    "ur_like",
    spread=0.16,  # [unisa] over [ur]: 0.042 to 0.063 of the largest torque on six joints
    coulomb=0.053,  # [unisa] over [ur]: 13.9, 17.2, 9.4, 2.6, 2.8 and 3.5 N m
    stiction=0.1,  # chosen; the fitted curve has none
    stribeck_velocity=0.05,  # [rad/s] chosen
    viscous=0.05,  # [s/rad] [unisa] over [ur]: 14.5, 14.2, 7.7, 3.6, 2.6 and 2.8 N m s/rad
    load_friction=0.05,  # chosen
    presliding=1e-3,  # [rad] chosen
    coulomb_cooling=0.003,  # [1/K] chosen
    viscous_cooling=0.0124,  # [1/K] 17 % over the warm-up of a UR5 [raviola]
    gear_ratio=101.0,  # usual figure for these arms, not looked up
    gear_ripple=0.006,  # chosen
    cogging=0.006,  # chosen
    crosstalk=0.0,
    cable_bending=0.003,  # chosen
    cable_rubbing=0.001,  # chosen
    cable_mass=0.2,  # [kg] chosen
    rotor_inertia=0.006,  # [s2] [cjt]: 0.81 to 1.19 kg m2 on drives of some 150 N m
    breaks=(0.085, 0.3),  # [hd] over the repeated peak torque: 54, 157 and 333 N m, as [ur]
    stiffness=(195.0, 310.0, 350.0),  # [1/rad] the same
    lost_motion=1.45e-4,  # [rad] [hd]: half of 1 arc minute
    room=23.0,  # chosen, and so the four below
    room_spread=3.0,
    warm_up=15.0,
    warm_up_time=1800.0,
    gain=0.03,  # [unisa]: gains of equal drives differ by up to 5 %
    gain_drift=1e-3,  # [1/K] magnets lose about 0.1 % of their flux for each kelvin
    offset=0.009,  # [unisa] over [ur]: rms of what friction differs by direction
    session_offset=0.002,  # chosen
    offset_drift=1e-4,  # [1/K] chosen
    hysteresis=0.0,
    cut_off=100.0,  # [Hz] chosen
    delay=2e-3,  # [s] chosen: one cycle
    noise=0.005,  # chosen
    torque_step=5e-4,  # chosen
    position_step=1e-5,  # [rad] chosen
    position_delay=0.0,
    velocity_cut_off=30.0,  # [Hz] chosen
    velocity_delay=2e-3,  # [s] chosen: one cycle
    rate=500.0,  # [Hz] the makers' real-time interface; 125 on older controllers
    stamp_jitter=2e-4,  # [s] chosen
    link_relative=0.05,  # chosen
)

PRESETS = {preset.name: preset for preset in (IDEAL, GEN3_LIKE, XARM_LIKE, UR_LIKE)}


def preset_named(name: str) -> Preset:
    """Return a preset.

    Raises:
        UnknownNameError: There is none of that name.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset of drives", name, PRESETS)
    return PRESETS[name]
