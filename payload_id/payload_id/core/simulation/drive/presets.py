"""Presets after arms that exist: every figure with its source, or marked as chosen.

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

from ...errors import UnknownNameError
from .preset import Preset

IDEAL = Preset("ideal")

# Friction as a strain-wave joint with torque sensor shows it: what lies behind the sensor.
GEN3_LIKE = Preset(
    name="gen3_like",
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
XARM_LIKE = Preset(
    name="xarm_like",
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
UR_LIKE = Preset(
    name="ur_like",
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
