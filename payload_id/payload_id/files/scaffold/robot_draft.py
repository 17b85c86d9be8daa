"""A robot file drafted from a description: commented YAML, guesses named as such."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.calibration.measured_noise import MARGIN
from ...core.errors import comment
from ...core.motion.limits import inverse_dynamics
from ...core.motion.trajectory import Motion
from ...core.safety.clearance.arm_geometry import AllowedContact
from ..configuration.yaml_file import END
from .arm_in_urdf import ArmFound
from .columns_found import ColumnsFound, in_yaml
from .torque_constants import FITTED

POSES = 300  # random ones, for the largest gravity torque
# Guesses, as parts of a joint's torque scale: about those of the shipped Gen3.
ABSOLUTE, OFFSET, FRICTION = 0.06, 0.05, 0.08
LIFTED = 0.75  # largest payload as a part of the arm's own moving mass
LINK = 0.05  # error of the links' inertial parameters [-]
MOST_LINK = 0.99  # [-]: an error of 1 says nothing of a link
GAIN = 0.05  # error of a torque sensor's gain [-]
SPEED, RAMP = 1.0, 0.3  # [rad/s or m/s] where none is stated; [s] to full speed
UNWEIGHED = 50.0  # [N m or N] of a joint of which neither weight nor limit is stated
PAYLOAD = 5.0  # [kg] of an arm without masses
FACTOR = "# Factor on the description's masses and moments of inertia.\n"
USUAL_RATE = 500.0  # [Hz] of joint states where no table tells


@dataclass(frozen=True)
class Scales:
    """What guesses are measured by.

    Attributes:
        gravity: Largest torque of the arm's own weight at each joint, shape (n,) [N m or N].
        torque: Torque of usual size at each joint, shape (n,) [N m or N].
        mass: Of all that moves [kg]; 0 where the description has none.
        inertia_error: Largest relative error of a body's moments of inertia that makes it one [-].
        weighed: Whether torques and payload are guessed from these masses.
    """

    gravity: Array
    torque: Array
    mass: float
    inertia_error: float
    weighed: bool

    @classmethod
    def of(cls, model: ArmModel, found: ArmFound, doubted: bool) -> Scales:
        """Compute them from the arm's weight in random poses, or its limits if that says nothing.

        Args:
            model: The arm.
            found: Its joints in the description.
            doubted: Whether its masses may be in another unit, or placeholders.
        """
        q = np.random.default_rng(0).uniform(*found.travel, (POSES, model.n))
        still = np.zeros_like(q)
        rest = Motion(np.arange(float(POSES)), q, still, still)
        gravity = np.abs(inverse_dynamics(model, rest, np.zeros(10))).max(axis=0)
        turns = np.array([joint.turns for joint in found.joints])
        # A drive carries or turns all that is further out: one with a vertical axis is no smaller.
        carried = [gravity[j:][turns[j:] == turns[j]].max() for j in range(model.n)]
        usual = 1.5 * np.maximum(carried, 0.25 * gravity.max())
        stated = np.array([np.inf if j.effort is None else j.effort for j in found.joints])
        mass = float(model.link_phi[:, 0].sum())
        limits = np.where(np.isfinite(stated), stated, UNWEIGHED)
        weighed = mass > 0.0 and not doubted
        torque = np.minimum(usual, stated) if weighed else limits
        return cls(gravity, torque, mass, float(model.inertia_error.max()), weighed)


def robot_text(
    found: ArmFound,
    scales: Scales,
    urdf: Path,
    mass_factor: float | None,
    folder: Path,
    columns: ColumnsFound | None,
    near: Sequence[AllowedContact] = (),
) -> str:
    """Return the text of a robot file.

    Args:
        found: The arm.
        scales: Of torques and masses.
        urdf: The description's file.
        mass_factor: On its masses; None: they are not doubted.
        folder: Where the robot file will lie.
        columns: What a table shows; None: there is none.
        near: Bodies that are near in every pose.
    """
    rate = USUAL_RATE if columns is None or not math.isfinite(columns.rate) else columns.rate
    place = os.path.relpath(urdf.resolve(), folder.resolve())
    text = _arm_text(found, place, mass_factor, float(f"{rate:.3g}"))
    text += _near_text(near) + _limits_text(found, scales) + _bounds_text(scales, columns)
    return f"{text}{END}\n"  # by which a copy that is cut off is noticed


def _arm_text(found: ArmFound, place: str, mass_factor: float | None, rate: float) -> str:
    """Return what the arm is, and how it reports its state."""
    n = len(found.joints)
    factor = "" if mass_factor is None else f"{FACTOR}mass_factor: {in_yaml(mass_factor)}\n\n"
    return f"""\
# Drafted by payload-id new-robot. Lines with CHECK are guesses: confirm each of them.
# Every key: docs/nodes.md. What to measure: docs/bounds.md.
---

# Name of the robot in reports.
name: {in_yaml(found.name)}

# Robot description, relative to this file.
urdf: {in_yaml(place)}

{factor}# Moving joints from base to flange, as the description and JointState name them. CHECK the
# names against 'name' of the driver's joint states; the order of its messages does not matter.
joints: {in_yaml([joint.name for joint in found.joints])}

# Link that carries the payload; the result is expressed in it. CHECK: what is bolted to the flange
# all the time belongs into the description, and the frame beyond it. Links that move with it:
{comment([", ".join(found.frames)])}\
payload_frame: {in_yaml(found.payload_frame)}

# Gravity in the base frame [m/s2]. CHECK: as here for a base that stands upright, z up;
# hanging from the ceiling: [0.0, 0.0, 9.81].
gravity: [0.0, 0.0, -9.81]

joint_states:
  # Topic of sensor_msgs/JointState. CHECK for a namespace.
  topic: /joint_states
  # Rate of that topic [Hz].
  rate: {rate:g}

# How JointState.effort becomes torque: sign * effort - offset. For a table its columns file counts.
effort:
  # torque [N m], current [A] (then torque_constants), or none. CHECK: many drivers call a current
  # effort.
  source: torque
  # 1, or -1 where the driver counts against the joint. CHECK: 'payload-id check' tells.
  sign: {in_yaml(np.ones(n))}
  # Known offsets [N m], subtracted after the sign.
  offset: {in_yaml(np.zeros(n))}

"""


def _near_text(near: Sequence[AllowedContact]) -> str:
    """Return the pairs of bodies that are not checked against each other; empty: there are none."""
    if not near:
        return ""
    pairs = "".join(f"  {in_yaml(' '.join(x.bodies))}: {in_yaml(x.reason)}\n" for x in near)
    return f"""\
# Bodies that are not checked against each other, and why. CHECK: these are so near in every pose
# that no motion would keep the planner's clearance; keep those that cannot touch by construction.
allowed_contacts:
{pairs}
"""


def _limits_text(found: ArmFound, scales: Scales) -> str:
    """Return the joints' limits."""
    joints, unsaid = found.joints, _unsaid(found)
    speed = [SPEED if joint.velocity is None else joint.velocity for joint in joints]
    effort = [3.0 * s if j.effort is None else j.effort
              for j, s in zip(joints, scales.torque, strict=True)]  # fmt: skip
    return f"""\
# Joint limits: motions are planned within them, recordings are checked by them.{unsaid}
limits:
  use: urdf
  sets:
    urdf:
      # null: no limit. [rad or m]
      position_lower: {in_yaml([joint.lower for joint in joints])}
      position_upper: {in_yaml([joint.upper for joint in joints])}
      # [rad/s or m/s]
      velocity: {in_yaml(speed)}
      # [rad/s2 or m/s2] CHECK: a description states none; here full speed in {RAMP:g} s.
      acceleration: {in_yaml(np.array(speed) / RAMP)}
      # [N m or N]
      effort: {in_yaml(effort)}

"""


def _bounds_text(scales: Scales, columns: ColumnsFound | None) -> str:
    """Return what is assumed of sensors, links and payload."""
    link, rough = LINK, ""
    if scales.inertia_error > LINK:
        link = min(math.ceil(100.0 * scales.inertia_error) / 100.0, MOST_LINK)
        rough = "\n  # Raised: some link's inertia misses by so much what holds of every body."
    part, of_currents = scales.torque, columns is not None and columns.effort_unit == "A"
    gain, velocity, how = str(FITTED if of_currents else GAIN), "0.02", "Assumed"
    if columns is not None and columns.constant_errors:
        gain = in_yaml(columns.constant_errors)
    if columns is not None and columns.velocity_error:
        velocity = in_yaml(MARGIN * np.array(columns.velocity_error))
        how = f"Measured in {columns.path.name}, times {MARGIN:g}"
    source, mass = "from the limits of its joints, since its masses are not known", PAYLOAD
    if scales.weighed:
        mass = math.ceil(10.0 * LIFTED * scales.mass) / 10.0  # of a bound, not rounded down
        source = f"from its weight (up to {scales.gravity.max():.3g} N m or N at a joint)"
    return f"""\
# Bounds that every interval rests on: they must be TRUE. CHECK all: cautious guesses for an arm
# that nobody has calibrated, {source}.
# 'payload-id calibrate bounds' measures them in a run without payload.
uncertainty:
  # Error of every torque sample as a fraction [-], plus this much [N m]: noise, ripple, vibration.
  torque_relative: 0.025
  torque_absolute: {in_yaml(ABSOLUTE * part)}
  # Error of each sensor's gain, constant [-]. CHECK: of torque constants 0.2 where they are known
  # roughly. A bare run does not tell it, one with a known weight does.
  torque_gain: {gain}
  # Offset of each sensor, constant in a run [N m].
  torque_offset: {in_yaml(OFFSET * part)}
  # Error of each inertial parameter of the links as a fraction [-]. CHECK: 0.05 for a description
  # with the vendor's masses; one with rounded or invented ones needs more.{rough}
  link_relative: {in_yaml(link)}
  # Largest friction in the measured torque [N m], [N m s/rad]. CHECK: torques from motor currents
  # hold all of the gears' friction, sensors behind the gears little.
  friction_coulomb: {in_yaml(FRICTION * part)}
  friction_viscous: {in_yaml(FRICTION * part)}
  # Largest rotor inertia in the measured torque [kg m2]: 0 behind the gears; gear ratio squared
  # times that of the rotor for torques from motor currents.
  rotor_inertia: 0.05
  # Largest error of a position, and of each encoder's zero [rad or m].
  position_error: 3.5e-4
  joint_zero: 2.0e-3
  # Largest error of a velocity [rad/s or m/s]. {how}.
  velocity_error: {velocity}
  # Largest error of a sample's stamp [s].
  stamp_jitter: 1.0e-3
  # Largest error of each component of gravity [m/s2]: 0.1 for a base upright within 0.6 degrees.
  gravity_error: 0.1
  # Box that surely holds the payload before any data. CHECK: more than you will ever lift.
  prior:
    mass_max: {in_yaml(mass)}
    com_max: 0.5

# Where excitation starts and ends [rad or m]; null: no such place.
home: null
"""


def _unsaid(found: ArmFound) -> str:
    """Say which limits the description does not state."""
    lines = []
    for name, said in (("lower", "position"), ("velocity", "velocity"), ("effort", "effort")):
        without = [joint.name for joint in found.joints if getattr(joint, name) is None
                   and (name, joint.kind) != ("lower", "continuous")]  # fmt: skip
        if without:
            lines.append(
                f"\n# CHECK '{said}' of {', '.join(without)}: the description states none."
            )
    return "".join(lines)
