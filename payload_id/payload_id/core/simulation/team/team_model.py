"""The MuJoCo model of a team: closed legs, series springs, gimbals, and the payload they hold.

Each leg is two bodies whose far end a constraint ties to the platform; platforms slide along three
axes, as the parallelograms of real ones force them to. The gimbal's last part is welded to the
payload and weighs next to nothing: it counts as a part of the payload.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from ...arrays import Array
from ...body.inertial import mass_com_inertia
from ...mechanism.readings import DOWN
from .scene import SimulatedMocobot, TeamScene

STEP = 1e-3  # [s] of the integration
ROTOR = 0.02  # inertia of the motors' side of a spring [kg m2]
NEXT_TO_NOTHING = 1e-4  # mass [kg], and 1e-2 of it as an inertia [kg m2], of parts that need some
STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001"'


def team_model(scene: TeamScene) -> mujoco.MjModel:
    """Return the model of a scene; the payload frame's home is the world's frame."""
    rotations, positions = scene.bases()
    robots = range(scene.n)
    bodies = [_robot(i, scene.robots[i], rotations[i], positions[i]) for i in robots]
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle="radian" autolimits="false"/>
        <option timestep="{STEP}" gravity="{_text(np.array(DOWN))}"
          integrator="implicitfast" tolerance="1e-12" iterations="50">
          <flag contact="disable"/></option>
        <worldbody>{_payload(scene)}{"".join(bodies)}</worldbody>
        <tendon>{"".join(_springs(scene))}</tendon>
        <equality>{"".join(_loops(scene.n))}</equality>
        <actuator>{"".join(_motors(scene.n))}</actuator></mujoco>"""
    )


def _payload(scene: TeamScene) -> str:
    """Return the payload, a free body whose frame is {1}, with a site at every grasp."""
    mass, com, inertia = mass_com_inertia(scene.phi)
    full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    grasps = "".join(
        f'<site name="grasp{i}" pos="{_text(p)}" quat="{_quaternion(r)}"/>'
        for i, (r, p) in enumerate(zip(scene.rotations, scene.positions, strict=True))
    )
    return (
        f'<body name="payload"><freejoint name="payload"/><inertial pos="{_text(com)}" '
        f'mass="{mass!r}" fullinertia="{_text(full)}"/>{grasps}</body>'
    )


def _robot(i: int, robot: SimulatedMocobot, rotation: Array, position: Array) -> str:
    """Return a robot: base, legs, platform and gimbal."""
    legs = "".join(_leg(i, k, robot, angle) for k, angle in enumerate(robot.delta.leg_angles))
    place = f'pos="{_text(position)}" quat="{_quaternion(rotation)}"'
    return f'<body name="base{i}" {place}>{legs}{_platform(i, robot)}</body>'


def _leg(i: int, k: int, robot: SimulatedMocobot, angle: float) -> str:
    """Return the rotor, the lower and the upper part of a leg, in the leg's own frame."""
    delta, name = robot.delta, f"{i}_{k}"
    rub = f'frictionloss="{robot.friction!r}" damping="{robot.damping!r}"'
    passive = f'frictionloss="{robot.friction / 10!r}" damping="{robot.damping / 10 + 1e-5!r}"'
    return f"""<body pos="{_text(delta.base_radius * np.array([np.cos(angle), np.sin(angle), 0]))}"
        quat="{_quaternion(Rotation.from_euler("z", angle).as_matrix())}">
      <body><joint name="phi{name}" axis="0 -1 0" armature="{ROTOR}"/>
        {_mass(NEXT_TO_NOTHING)}</body>
      <body><joint name="theta{name}" axis="0 -1 0" {rub}/>
        {_rod(robot.masses.lower_leg, delta.lower_leg)}
        <body pos="{delta.lower_leg!r} 0 0">
          <joint name="beta{name}" axis="0 -1 0" {passive}/>
          <joint name="gamma{name}" axis="0 0 1" {passive}/>
          {_rod(robot.masses.upper_leg, delta.upper_leg)}
          <site name="end{name}" pos="{delta.upper_leg!r} 0 0"/></body></body></body>"""


def _platform(i: int, robot: SimulatedMocobot) -> str:
    """Return a platform on three slides, with the gimbal on it."""
    slides = "".join(
        f'<joint name="slide{axis}{i}" type="slide" axis="{_axis(axis)}"/>' for axis in "xyz"
    )
    ends = "".join(
        f'<site name="tip{i}_{k}" pos="{_text(robot.delta.platform_radius * u)}"/>'
        for k, u in enumerate(robot.delta.outward)
    )
    rub = f'armature="1e-6" damping="1e-5" frictionloss="{robot.gimbal_friction!r}"'
    inner = f'<site name="wrist{i}"/>'
    for axis in reversed(robot.gimbal.order):
        turn = f'<joint name="gimbal{axis}{i}" axis="{_axis(axis)}" {rub}/>'
        inner = f"<body>{turn}{_mass(NEXT_TO_NOTHING)}{inner}</body>"
    weight = _mass(max(robot.masses.platform, NEXT_TO_NOTHING))
    return f'<body name="platform{i}">{slides}{weight}{ends}{inner}</body>'


def _springs(scene: TeamScene) -> Iterator[str]:
    """Yield the series springs: torque k (phi - theta) on the lower leg."""
    for i, robot in enumerate(scene.robots):
        for k in range(3):
            yield (
                f'<fixed name="spring{i}_{k}" stiffness="{robot.spring!r}" springlength="0">'
                f'<joint joint="phi{i}_{k}" coef="1"/><joint joint="theta{i}_{k}" coef="-1"/>'
                "</fixed>"
            )


def _loops(n: int) -> Iterator[str]:
    """Yield what closes the legs, and the gimbals' hold on the payload."""
    for i in range(n):
        for k in range(3):
            yield f'<connect site1="end{i}_{k}" site2="tip{i}_{k}" {STIFF}/>'
        yield f'<weld name="hold{i}" site1="wrist{i}" site2="grasp{i}" {STIFF}/>'


def _motors(n: int) -> Iterator[str]:
    """Yield the motors, whose torques turn the rotors."""
    for i in range(n):
        for k in range(3):
            yield f'<motor joint="phi{i}_{k}"/>'


def _rod(mass: float, length: float) -> str:
    """Return the inertia of a uniform rod along x."""
    m = max(mass, NEXT_TO_NOTHING)
    across = m * length**2 / 12
    return (
        f'<inertial pos="{length / 2!r} 0 0" mass="{m!r}" '
        f'diaginertia="{1e-3 * across!r} {across!r} {across!r}"/>'
    )


def _mass(mass: float) -> str:
    """Return the inertia of a small body at the origin."""
    size = 1e-2 * NEXT_TO_NOTHING
    return f'<inertial pos="0 0 0" mass="{mass!r}" diaginertia="{size} {size} {size}"/>'


def _axis(name: str) -> str:
    return {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}[name]


def _text(values: Array) -> str:
    return " ".join(repr(float(x)) for x in values)


def _quaternion(rotation: Array) -> str:
    return _text(Rotation.from_matrix(rotation).as_quat(scalar_first=True))
