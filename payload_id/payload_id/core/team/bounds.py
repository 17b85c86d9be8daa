"""What is assumed about the robots of a team: bounds on everything that is not known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import require_type
from ..stated import FRACTION, check_stated, stated


@dataclass(frozen=True)
class RobotBounds:
    """Bounds on the errors of one robot. Zero means known exactly.

    Bounds hold for each axis, at every sample, whatever the errors of other samples are, except
    those that are said to be constant in a run. "Measured" is what `RobotSamples` hold.

    Attributes:
        orientation: Of R_i0i, each component of the rotation vector from the measured to the true
            one [rad].
        position: Of p_i0i [m].
        angular_velocity: Of omega_i [rad/s].
        linear_velocity: Of v_i [m/s].
        force_absolute: Of f_i, whatever its size [N].
        force_relative: Of f_i, as a part of each measured component [-].
        force_bias: Constant offset of f_i, beside those [N].
        force_gain: Constant error of the force sensor's gain, the same for all axes; that of its
            moments may be another one, within the same bound [-].
        friction: Force that the mechanism's friction hides from the sensors, along the axes of
            {i0}; of either sign at every sample [N].
        moment_absolute: Of m_i where it is measured; where it is not (passive gimbal), the largest
            moment that its friction transmits [N m].
        moment_relative: Of m_i, as a part of each measured component [-].
        tilt: Of {i0} against level, constant in a run [rad].
        gravity: Of the size of gravity where the team is against 9.81 m/s2; the same for all
            robots [m/s2].
        imu_angular_velocity: Of the gyroscope, its bias and misalignment with it [rad/s].
        imu_specific_force: Of the accelerometer, its bias and misalignment with it [m/s2].
        clock: Largest offset of the robot's clock against the first robot's, constant in a run [s].
        jitter: Of each stamp, beside that [s].
    """

    orientation: float = 0.0
    position: float = 0.0
    angular_velocity: float = 0.0
    linear_velocity: float = 0.0
    force_absolute: float = 0.0
    force_relative: float = stated(highest=FRACTION)
    force_bias: float = 0.0
    force_gain: float = stated(highest=FRACTION)
    friction: float = 0.0
    moment_absolute: float = 0.0
    moment_relative: float = stated(highest=FRACTION)
    tilt: float = 0.0
    gravity: float = 0.0
    imu_angular_velocity: float = 0.0
    imu_specific_force: float = 0.0
    clock: float = 0.0
    jitter: float = 0.0

    def __post_init__(self) -> None:
        check_stated(self, "Robot bound")


@dataclass(frozen=True)
class TeamBounds:
    """Bounds of every robot: one set for all, and others for some.

    Attributes:
        default: For every robot that `robots` does not name.
        robots: By name.
    """

    default: RobotBounds = field(default_factory=RobotBounds)
    robots: Mapping[str, RobotBounds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_type(self.default, RobotBounds, "default", "RobotBounds(...)")
        require_type(self.robots, Mapping, "robots", "RobotBounds by name")
        for name, bounds in self.robots.items():
            require_type(bounds, RobotBounds, f"Bounds of robot {name}", "RobotBounds(...)")

    def of(self, name: str) -> RobotBounds:
        """Return the bounds of one robot."""
        return self.robots.get(name, self.default)
