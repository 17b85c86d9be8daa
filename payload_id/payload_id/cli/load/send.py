"""What `payload-id load send` does: a load shown, sent, read back, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
from ...core.identification.estimate import Estimate
from ...files.configuration.input_path import input_path
from ...files.configuration.yaml_file import read_yaml
from ...files.drivers.driver_facts import PayloadTarget, named_within
from ...files.export.exported import export_for, the_robot
from ...files.export.load_record import LoadRecord, record_path
from ...files.export.loads.result_file import Result, read_result
from ...files.export.targets.arms import ARMS
from ...files.export.targets.target import UNSENT
from ...files.robots.robot_file import RobotFile
from ...ros.common.main_loop import ros_running
from ...ros.loads.kinova import kinova_refusal
from ...ros.loads.load_service import LoadService
from ...ros.loads.load_writer import differences, flaw
from .command import Sending
from .follow import Follower, HandListener
from .telling import APPLIED, WRITERS, doubt_said, report, taken, write


def run(sending: Sending) -> int:
    """Show or send a load; return the exit code."""
    if sending.target not in ARMS:
        raise UnknownNameError("arm", sending.target, ARMS, "--to")
    if sending.target not in WRITERS:
        raise kinova_refusal(str(sending.result))
    if sending.follow and sending.undo:
        raise InputError("--follow and --undo do not go together: give one of them.")
    place = record_path(input_path(sending.result, "run"), sending.target, _namespace(sending))
    robot = _robot(sending)
    if sending.follow:
        return _follow(sending, robot, place)
    if sending.undo:
        return _undo(sending, robot, place)
    values = _values(read_result(sending.result), robot, sending)
    if not sending.confirm:
        print(f"{UNSENT} {WRITERS[sending.target].effects}\nTo send it: --confirm.")
        return 0
    with _service(robot, sending.target) as service:
        request = service.request(values)
        stated = _stated(sending, service, values)
        service.check()
        has = service.state()
        record = _record(sending, robot, place, values, _known(service, has, stated))
        with doubt_said(record.service):
            write(service, request, record, place, has)
            report(service, taken(service, record, place))
    print(WRITERS[sending.target].effects)
    if record.before is None:
        print(
            "What the arm had before is not known, so --undo cannot take this back; next time "
            "--before FILE says it."
        )
    else:
        print(f"--undo sends what the arm had before ({place}).")
    return 0


def _follow(sending: Sending, robot: RobotFile, place: Path) -> int:
    """Have the arm told of each payload that a hands-free estimator finds, until interrupted."""
    writer = WRITERS[sending.target]
    if robot.effort.source in writer.hides:
        raise InputError(
            f"--follow is not for {robot.name}: once told, its driver takes the load's gravity out "
            "of its torques, so that the estimator would take the hand for empty. Send loads one "
            "by one, or have the driver report currents."
        )
    if not sending.confirm:
        print(f"Nothing is sent. {writer.effects}\nTo have each payload sent: --confirm.")
        return 0
    with _service(robot, sending.target) as service:
        stated = _stated(sending, service)
        service.check()
        empty = _known(service, service.state(), stated)
        if empty is None:
            raise InputError(
                "What the arm has with an empty hand is not known, and must be sent when a payload "
                "has left it: --before FILE."
            )
        listener = HandListener(service, _namespace(sending))

        def values_of(found: Estimate) -> dict[str, Any]:
            """Return what is sent of an estimate."""
            result = Result(listener.topic, found, None, str(robot.path), robot.gravity)
            return _values(result, robot, sending)

        follower = Follower(service, listener, values_of, empty)
        print(f"With an empty hand it has {yaml.safe_dump(empty, default_flow_style=True).strip()}")
        print(f"{writer.effects}\nWaiting for payloads; end with Ctrl-C.")
        while True:
            try:
                hand, values = follower.next_load()
            except KeyboardInterrupt:
                break
            record = _record(sending, robot, place, dict(values), empty)
            with doubt_said(record.service):
                write(service, service.request(values), record, place, None)
                report(service, taken(service, record, place))
            follower.told = hand
    has = "of the payload" if follower.told.found else "as with an empty hand"
    print(f"\nEnded; the arm has the load {has}. --undo sends that of the empty hand ({place}).")
    return 0


def _stated(
    sending: Sending, service: LoadService, values: dict[str, Any] | None = None
) -> dict[str, Any] | None:
    """Return what --before says that the arm has; refused now rather than by --undo.

    Raises:
        InputError: It is no load of this arm.
    """
    if sending.before is None:
        return None
    before: dict[str, Any] = read_yaml(sending.before)
    service.request(before)
    if wrong := flaw(before, values or before):
        raise InputError(f"{sending.before} is no load of this arm: {wrong}.")
    return before


def _known(
    service: LoadService, has: dict[str, Any] | None, stated: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return what the arm has; some drivers tell a part of it."""
    return has if service.restores(has) else stated


def _record(
    sending: Sending,
    robot: RobotFile,
    place: Path,
    values: dict[str, Any],
    known: dict[str, Any] | None,
) -> LoadRecord:
    """Return the record of a call that is about to be made."""
    at = datetime.now(timezone.utc).isoformat(timespec="seconds")
    name = _told(robot, sending.target).service or ""
    before = _before_all(place, sending.target, name, known)
    return LoadRecord(sending.target, name, at, values, before)


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
        with doubt_said(record.service):
            service.write(request)
            replace(record, undone=True).save(place)
            report(service, service.check_taken(record.before))
    print(WRITERS[sending.target].effects)
    return 0


def _robot(sending: Sending) -> RobotFile:
    """Return the robot file, which names the driver's service.

    Raises:
        ConfigurationError: There is none, or it names none for this arm.
    """
    if sending.robot is not None:
        robot: RobotFile | None = RobotFile.load(sending.robot)
    else:  # with --follow there is no result that names one
        robot = None if sending.follow else the_robot(read_result(sending.result), None)
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
    context, service = rclpy.Context(), (told.service or "", told.type or "")
    with ros_running(context), LoadService(robot, WRITERS[target], *service, context) as found:
        yield found


def _values(result: Result, robot: RobotFile, sending: Sending) -> dict[str, Any]:
    """Show what would be sent, and return it.

    Raises:
        InputError: The result may not be used so.
    """
    found = result.estimate
    if found.status not in APPLIED:
        raise InputError(
            f"{result.source} has the verdict {found.status.value}; an arm is told only of loads "
            f"that are {' or '.join(x.value for x in APPLIED)}. {found.message}".strip()
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
