"""A result for one target, or the sentence that says why it may not have it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...core.body.inertial import PARAMETERS, is_physical
from ...core.errors import ConfigurationError, InputError, UnknownNameError
from ...core.identification.status import USABLE
from ..robots.arm_frames import ArmFrames
from ..robots.robot_file import RobotFile
from ..robots.robot_model import RobotModel
from .loads.load import Load
from .loads.result_file import Result
from .loads.tool import tool_on
from .targets.arms import ARMS
from .targets.controllers import CONTROLLERS
from .targets.programs import PROGRAMS
from .targets.target import ALL, MASS_AND_COM, Export, Target

if TYPE_CHECKING:
    from ..drivers.driver_facts import PayloadTarget

SLACK = 1e-9  # part of an estimate that rounding may put beyond its interval
SAME = 1e-6  # [kg] by which masses of one tool may differ
TARGETS: dict[str, Target] = {x.name: x for x in (*PROGRAMS, *ARMS.values(), *CONTROLLERS)}
WITHOUT_INERTIA = "ur"  # whose older drivers have no fields for the inertia, and only these


def exported(
    result: Result,
    name: str,
    robot: RobotFile | None = None,
    frame: str = "",
    rated_mass: float | None = None,
    with_inertia: bool = True,
) -> str:
    """Return a result as a target reads it.

    Args:
        result: What was found.
        name: The target, one of `TARGETS`.
        robot: What is known of the arm: description, frame of the load, rated load.
        frame: Link whose frame the load is stated in; empty: the robot file's for its own target,
            else the payload's.
        rated_mass: Largest mass of the payload [kg]; None: the robot file's.
        with_inertia: False: the inertia is left out where the target can do without.

    Raises:
        InputError: The result may not be used so: verdict, parameters or rated load say no.
        ConfigurationError: Something that is needed is not known.
        UnknownNameError: No such target or link.
    """
    export = export_for(result, name, robot, frame, rated_mass, with_inertia)
    return TARGETS[name].content(export)


def export_for(
    result: Result,
    name: str,
    robot: RobotFile | None = None,
    frame: str = "",
    rated_mass: float | None = None,
    with_inertia: bool = True,
) -> Export:
    """Return what a target may be told: arguments and errors are those of `exported`."""
    if name not in TARGETS:
        raise UnknownNameError("target", name, TARGETS, "--as")
    target = TARGETS[name]
    if not with_inertia and name != WITHOUT_INERTIA:
        raise InputError(
            f"--no-inertia goes with --as {WITHOUT_INERTIA} only, whose older drivers have no "
            f"such fields; found --as {name}."
        )
    needed = target.needs if with_inertia else MASS_AND_COM
    check_usable(result, needed, target)
    known = None if robot is None else robot.driver.payload
    told = known if known is not None and known.target == name else None
    rated = known.rated_mass if rated_mass is None and known is not None else rated_mass
    check_rated(result, rated, target)
    if robot is not None:
        check_same_arm(result, robot)
    # The run's own description comes first: the payload was identified with it.
    urdf = result.urdf or (None if robot is None else robot.urdf)
    load = Load.of(result.estimate, _frame(result, target, told, frame), urdf)
    if target.whole and urdf is None and not result.of_wrench:
        raise ConfigurationError(
            f"To {target.text} belongs all that hangs on '{load.frame}', and what a description "
            "has there beside the payload is not known. Give the robot file (--robot)."
        )
    sensor = result.estimate.payload_frame if result.of_wrench else ""
    if target.whole and robot is not None and result.urdf:
        check_same_tool(result, robot, load.frame, sensor)
    of_robot = None if robot is None else robot.gravity
    if target.whole and urdf is not None:
        load = load.with_tool(tool_on(urdf, load.frame, sensor))
    return Export(
        result=result,
        load=load,
        service="" if told is None else told.service or "",
        type="" if told is None else told.type or "",
        world=None if urdf is None else ArmFrames(urdf).base,
        gravity=of_robot if result.gravity is None else result.gravity,
        rated_mass=rated,
        with_inertia=with_inertia,
    )


def the_robot(result: Result, stated: str | None) -> RobotFile | None:
    """Return the robot file that is named, or the one that the run names; None where none is.

    Raises:
        ConfigurationError: The file cannot be read, or the one that the run names is gone.
    """
    if stated is not None:
        return RobotFile.load(stated)
    if not result.robot:
        return None
    try:
        return RobotFile.load(Path(result.robot) if "/" in result.robot else result.robot)
    except (ConfigurationError, UnknownNameError) as error:
        raise ConfigurationError(
            f"The robot file that {result.source} names cannot be read; name it (--robot). {error}"
        ) from error


def check_same_arm(result: Result, robot: RobotFile) -> None:
    """Raise where a result says of which arm it is, and a robot file describes another one.

    Raises:
        ConfigurationError: It does: its frames and what hangs on them may be elsewhere.
    """
    if not result.robot_digest:
        return
    arm = RobotModel.from_urdf(
        robot.urdf, result.estimate.payload_frame, robot.joints, robot.gravity
    )
    if arm.digest != result.robot_digest:
        raise ConfigurationError(
            f"{result.source} was identified with another arm than {robot.path} describes, or "
            "with an earlier state of its description (robot_digest). Name the robot file that it "
            "was identified with."
        )


def check_usable(result: Result, needed: int, target: Target) -> None:
    """Raise unless the verdict allows use, and all that the target takes is identified.

    Raises:
        InputError: It may not be used.
    """
    found = result.estimate
    if found.status not in USABLE:
        raise InputError(
            f"{result.source} has the verdict {found.status.value}, and only "
            f"{', '.join(x.value for x in USABLE)} may be used. {found.message}".strip()
        )
    unknown = [
        name
        for name, good in zip(PARAMETERS[:needed], found.identifiable[:needed], strict=True)
        if not good
    ]
    if unknown:
        hint = ""
        if needed == ALL and found.identifiable[:MASS_AND_COM].all():
            others = ", ".join(x.name for x in TARGETS.values() if x.needs == MASS_AND_COM)
            hint = (
                " A driver without fields for the inertia takes it with --no-inertia."
                if target.name == WITHOUT_INERTIA
                else f" Targets without inertia take this result: {others}."
            )
        raise InputError(
            f"{target.text} needs {', '.join(unknown)}, which {result.source} has not identified; "
            f"unknown is not zero. {found.message}{hint}".strip()
        )
    phi = found.phi
    if not np.isfinite(phi).all() or phi[0] <= 0.0 or (needed == ALL and not is_physical(phi)):
        raise InputError(
            f"The estimate in {result.source} is of no body: its mass is {phi[0]:.4g} kg, and no "
            "distribution of mass has its parameters. Identify with an estimator that keeps them "
            "possible, such as 'lmi'."
        )
    slack = SLACK * np.maximum(1.0, np.abs(phi))
    off = (phi < found.lower - slack) | (phi > found.upper + slack)
    outside = [PARAMETERS[k] for k in np.flatnonzero(off[:needed])]
    if outside:
        raise InputError(
            f"The estimate in {result.source} is outside of its own interval in "
            f"{', '.join(outside)}. Identify with an estimator that keeps to it, such as 'lmi'."
        )


def check_rated(result: Result, rated: float | None, target: Target) -> None:
    """Raise if the payload may be heavier than is rated.

    Raises:
        InputError: It may be.
        ConfigurationError: The target configures an arm, and its rated load is not known.
    """
    if rated is None:
        if not target.commands:
            return
        raise ConfigurationError(
            f"The rated payload is not known, so that it cannot be said whether {target.text} may "
            "be told this one. Give the robot file (--robot) with 'driver.payload.rated_mass', or "
            "--rated-mass [kg]."
        )
    if not rated > 0.0 or not np.isfinite(rated):
        raise InputError(f"--rated-mass must be a mass above 0 kg; found {rated:g}.")
    if not result.estimate.upper[0] <= rated:
        raise InputError(
            f"The payload may weigh {result.estimate.upper[0]:.4g} kg, the upper end of its "
            f"interval, and {rated:g} kg are rated. Identify it more tightly if it is "
            "surely lighter, or take a lighter one."
        )


def check_same_tool(result: Result, robot: RobotFile, frame: str, sensor: str) -> None:
    """Raise if a run's own description and the robot file have other tools where a load is.

    Raises:
        InputError: They have.
    """
    found = [tool_on(urdf, frame, sensor).mass for urdf in (result.urdf or "", robot.urdf)]
    if abs(found[0] - found[1]) > SAME:
        raise InputError(
            f"Where '{frame}' is, the description that {result.source} was identified with has "
            f"{found[0]:.4g} kg, that of {robot.path.name} {found[1]:.4g} kg; this target needs "
            "all that hangs there. Name the robot file of the run (--robot)."
        )


def _frame(result: Result, target: Target, told: PayloadTarget | None, frame: str) -> str:
    """Return the link whose frame a target takes the load in.

    Raises:
        ConfigurationError: The target has a frame of its own, and which link that is is not known.
    """
    if frame or not target.commands:
        return _link(frame or result.estimate.payload_frame)
    if told is None or told.frame is None:
        raise ConfigurationError(
            f"It is not known in which link's frame {target.text} takes a load: no robot file says "
            f"so with 'driver.payload' of target '{target.name}'. Give one (--robot), or --frame "
            f"with {target.at}."
        )
    return _link(told.frame)


def _link(name: str) -> str:
    """Return the name of a link, which is written into YAML and XML.

    Raises:
        InputError: It has characters that no link's name needs.
    """
    if not name.isprintable() or set(name) & set("<>&\"'${}\\ :"):
        raise InputError(f"The name of a link has characters that cannot be written: {name!r}.")
    return name
