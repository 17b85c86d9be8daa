"""What `payload-id load send` does: a load shown, sent, read back, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import rclpy
import yaml
from rclpy.exceptions import InvalidNamespaceException
from rclpy.validate_namespace import validate_namespace

from ...core.errors import (
    ConfigurationError,
    InputError,
    UnknownNameError,
    printable,
    shortened,
)
from ...core.identification.status import Status
from ...files.configuration.atomic_write import save
from ...files.configuration.input_path import input_path
from ...files.configuration.yaml_file import read_yaml
from ...files.drivers.driver_facts import PayloadTarget, named_within
from ...files.export.exported import export_for, the_robot
from ...files.export.load_record import LoadRecord, record_path
from ...files.export.loads.result_file import Result, read_result
from ...files.export.targets.arms import ARMS
from ...files.export.targets.target import UNSENT
from ...files.robots.robot_file import RobotFile
from ...ros.common.main_loop import start_ros
from ...ros.loads.franka import FrankaLoad
from ...ros.loads.kinova import kinova_refusal
from ...ros.loads.load_service import LoadService, NotAppliedError, NotTakenError
from ...ros.loads.load_writer import LoadWriter, differences, flaw
from ...ros.loads.ur import UniversalRobotsLoad
from ...ros.loads.xarm import XArmLoad
from .command import Sending

WRITERS: dict[str, LoadWriter] = {
    writer.name: writer for writer in (XArmLoad(), UniversalRobotsLoad(), FrankaLoad())
}
APPLIED = (Status.GOOD, Status.TOO_WIDE)


def run(sending: Sending) -> int:
    """Show or send a load; return the exit code."""
    if sending.target not in ARMS:
        raise UnknownNameError("arm", sending.target, ARMS, "--to")
    if sending.target not in WRITERS:
        raise kinova_refusal(str(sending.result))
    result = read_result(sending.result)
    robot = _robot(result, sending)
    place = record_path(input_path(sending.result, "run"), sending.target, _namespace(sending))
    if sending.undo:
        return _undo(sending, robot, place)
    values = _values(result, robot, sending)
    if not sending.confirm:
        print(f"{UNSENT} {WRITERS[sending.target].effects}\nTo send it: --confirm.")
        return 0
    before = None if sending.before is None else read_yaml(sending.before)
    with _service(robot, sending.target) as service:
        request = service.request(values)
        if before is not None:  # refused now rather than by --undo
            service.request(before)
            if wrong := flaw(before, values):
                raise InputError(f"{sending.before} is no load of this arm: {wrong}.")
        service.check()
        has = service.state()
        known = has if service.restores(has) else before  # some drivers tell a part of it
        at = datetime.now(timezone.utc).isoformat(timespec="seconds")
        name = _told(robot, sending.target).service or ""
        record = LoadRecord(
            sending.target, name, at, values, _before_all(place, sending.target, name, known)
        )
        with _doubt_said(name):
            _write(service, request, record, place, has)
            _report(service, _taken(service, record, place), sending.target)
    if record.before is None:
        print(
            "What the arm had before is not known, so --undo cannot take this back; next time "
            "--before FILE says it."
        )
    else:
        print(f"--undo sends what the arm had before ({place}).")
    return 0


@contextmanager
def _doubt_said(service: str) -> Iterator[None]:
    """Say what is not known if somebody interrupts while a load is on its way."""
    try:
        yield
    except KeyboardInterrupt:
        print(
            f"Interrupted while {service} was being told: it is not known which load the arm has "
            "now. Look at it before it moves."
        )
        raise


def _write(
    service: LoadService,
    request: Any,
    record: LoadRecord,
    place: Path,
    has: dict[str, Any] | None,
) -> None:
    """Write a load; the record is kept before, and goes back to what it was if it is refused.

    Raises:
        NotAppliedError: The driver did not take it, or says so while the arm has another load.
    """
    earlier = place.read_bytes() if place.is_file() else None
    record.save(place)
    try:
        service.write(request)
    except NotTakenError as error:
        now = service.state()
        if now is not None and has is not None and (changed := differences(has, now)):
            replace(record, said=now).save(place)
            raise NotAppliedError(
                f"{error} But the arm has another load than before: {'; '.join(changed)}. Look at "
                f"it before it moves; --undo sends what it had before ({place})."
            ) from error
        if earlier is None:
            place.unlink()
        else:
            save(place, earlier, "record of the load")
        raise


def _taken(service: LoadService, record: LoadRecord, place: Path) -> bool:
    """Return whether the arm says that it has the load; keep what else it says."""
    try:
        return service.check_taken(record.written)
    except NotAppliedError:
        with suppress(NotAppliedError):
            said = service.state()
            if said is not None and (record.before is None or differences(record.before, said)):
                replace(record, said=said).save(place)
        raise


def _undo(sending: Sending, robot: RobotFile, place: Path) -> int:
    """Show or send what the arm had before; return the exit code."""
    if not place.is_file():
        raise ConfigurationError(f"There is nothing to undo: no load was applied ({place}).")
    record = LoadRecord.load(place, sending.target)
    if record.undone or record.before is None:
        why = "it was undone already" if record.undone else "it is not known what the arm had"
        raise ConfigurationError(f"The load of {record.at} cannot be taken back: {why} ({place}).")
    _check_same_arm(record, _told(robot, sending.target).service or "", place)
    print(f"# To be sent to {record.service}: what the arm had before {record.at}.")
    print(yaml.safe_dump(record.before, sort_keys=False, default_flow_style=None), end="")
    if not sending.confirm:
        print(f"{UNSENT} To send it: --confirm.")
        return 0
    with _service(robot, sending.target) as service:
        request = service.request(record.before)
        service.check()
        now = service.state()
        if not _may_be(record, now):
            changed = differences(record.written, now or {})
            raise InputError(
                f"The arm has another load than was written at {record.at}: {'; '.join(changed)}. "
                "Somebody else has set it, or the driver began anew; nothing was sent."
            )
        with _doubt_said(record.service):
            service.write(request)
            replace(record, undone=True).save(place)
            _report(service, service.check_taken(record.before), sending.target)
    return 0


def _robot(result: Result, sending: Sending) -> RobotFile:
    """Return the robot file, which names the driver's service.

    Raises:
        ConfigurationError: There is none, or it names none for this arm.
    """
    robot = the_robot(result, sending.robot)
    if robot is None:
        raise ConfigurationError(
            "Which service takes the load is not known: give the robot file (--robot)."
        )
    _told(robot, sending.target)
    namespace, source = _namespace(sending), robot.joint_states
    there = {"topic": named_within(source.topic, namespace)}
    return replace(
        robot,
        driver=robot.driver.within(namespace),
        joint_states=source.model_copy(update=there),
    )


def _namespace(sending: Sending) -> str:
    """Return the namespace of the arm's driver, such as "/left"; empty: none.

    Raises:
        ConfigurationError: No namespace has that name.
    """
    words = sending.namespace.strip("/")
    if not words:
        return ""
    try:
        validate_namespace(f"/{words}")
    except InvalidNamespaceException as error:
        raise ConfigurationError(
            f"--namespace takes a name such as left or cell/left; found "
            f"{printable(shortened(sending.namespace))!r}."
        ) from error
    return f"/{words}"


def _told(robot: RobotFile, target: str) -> PayloadTarget:
    """Return how the arm is told of its load.

    Raises:
        ConfigurationError: The robot file does not say so.
    """
    told = robot.driver.payload
    if told.target != target or not told.service or not told.type:
        raise ConfigurationError(
            f"{robot.path.name} names no service for --to {target}: 'driver.payload' must have "
            f"target, service and type; found target {told.target!r}, service {told.service!r}, "
            f"type {told.type!r}."
        )
    return told


@contextmanager
def _service(robot: RobotFile, target: str) -> Iterator[LoadService]:
    """Return the driver's service while ROS runs."""
    told = _told(robot, target)
    context = rclpy.Context()
    start_ros(context=context)
    try:
        service = (told.service or "", told.type or "")
        with LoadService(robot, WRITERS[target], *service, context) as found:
            yield found
    finally:
        rclpy.try_shutdown(context=context)


def _values(result: Result, robot: RobotFile, sending: Sending) -> dict[str, Any]:
    """Show what would be sent, and return it.

    Raises:
        InputError: The result may not be used so.
    """
    if result.status not in APPLIED:
        raise InputError(
            f"{result.source} has the verdict {result.status.value}; an arm is told only of loads "
            f"that are {' or '.join(x.value for x in APPLIED)}. {result.message}".strip()
        )
    export = export_for(
        result, sending.target, robot, "", sending.rated_mass, not sending.no_inertia
    )
    arm = ARMS[sending.target]
    print(arm.content(export).replace(f" {UNSENT}", ""), end="")
    return dict(arm.written(export))


def _before_all(
    place: Path, target: str, service: str, known: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return what the arm had before the first of several calls for the same result.

    Raises:
        ConfigurationError: The last of them was of another arm.
    """
    if not place.is_file():
        return known
    last = LoadRecord.load(place, target)
    if not last.undone:
        _check_same_arm(last, service, place)
    goes_on = _may_be(last, known) and not last.undone
    return last.before if goes_on else known


def _check_same_arm(record: LoadRecord, service: str, place: Path) -> None:
    """Raise if a load was sent to another arm than the one that has a service.

    Raises:
        ConfigurationError: It was.
    """
    if record.service != service:
        raise ConfigurationError(
            f"The load of {record.at} was sent to {record.service}, and the robot file names "
            f"{service}: take it back with the robot file that it was sent with ({place})."
        )


def _may_be(record: LoadRecord, found: dict[str, Any] | None) -> bool:
    """Tell whether what an arm has is what it made of a load; it may be if it does not say."""
    told = [record.written] if record.said is None else [record.written, record.said]
    return found is None or any(not differences(values, found) for values in told)


def _report(service: LoadService, taken: bool, target: str) -> None:
    """Say what was found."""
    print(
        "Sent; the arm says that it has it."
        if taken
        else "Sent, and the driver said yes. The arm does not say which load it has: compare it on "
        "the pendant."
    )
    for words in service.unwatched:
        print(f"Not checked: {words}")
    print(WRITERS[target].effects)
