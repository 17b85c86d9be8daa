"""Nothing moves but what is certified for this arm, here and now, with leave; refusals say why.

The bridge does not start by itself, so that it can be given other assumptions than the
certificates have.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from controller_manager_msgs.srv import SwitchController
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import BridgeState, PayloadEstimate, PlanDescription
from payload_id_msgs.srv import SetObstacles
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from trajectory_msgs.msg import JointTrajectory

from .moving_robot import (
    ABORTED,
    ARM,
    BRIDGE,
    CASE,
    CONTROLLER,
    KNUCKLE,
    LATE,
    PAYLOAD,
    PLANNER,
    SUCCEEDED,
    TRAJECTORY,
    Certificate,
    MovingRobot,
    aside,
    ball,
    moving_robot,
    name_of,
    robot_file,
    seconds,
    shifted,
)
from .nodes import LATCHED

pytestmark = pytest.mark.slow  # nodes in real time

TUBE = 0.02  # [rad], of the Gen3's robot file
CELL = """name: bench
clearance: 0.03
floor: null
bodies: {far_away: {shape: sphere, size: [0.1], position: [9.0, 0.0, 1.0]}}
"""


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MovingRobot]:
    with moving_robot(
        tmp_path_factory.mktemp("uncertified"), autostart=False, start_delay=0.6
    ) as robot:
        assert change(robot, "configure", "activate")
        robot.described = robot.planned(duration=1.0)
        robot.certificates["motion"] = Certificate.of(robot.described)
        yield robot


@pytest.fixture(autouse=True)
def unmoved(robot: MovingRobot) -> Iterator[None]:
    robot.put_right()
    robot.go_to(robot.home)
    robot.commands.clear()
    yield
    robot.observer.wait(lambda then=robot.now: robot.now > then + 0.05, "a cycle")
    assert not robot.commands and np.abs(robot.q - robot.home).max() < TUBE


def change(robot: MovingRobot, *labels: str) -> bool:
    """Have the bridge make transitions of its life cycle; return whether all were made."""
    service, made = f"{BRIDGE}/change_state", True
    for label in labels:
        wanted = Transition(label=label)
        made &= robot.observer.call(ChangeState, service, transition=wanted).success
    return made


def configured(robot: MovingRobot, **values: Any) -> None:
    """Give the bridge other parameters."""
    assert change(robot, "deactivate", "cleanup")
    parameters = [Parameter(k, value=v).to_parameter_msg() for k, v in values.items()]
    answer = robot.observer.call(SetParameters, f"{BRIDGE}/set_parameters", parameters=parameters)
    assert all(x.successful for x in answer.results), answer
    assert change(robot, "configure", "activate")


def refused(
    robot: MovingRobot, *words: str, name: str = "motion", move: Callable[[], Any] | None = None
) -> str:
    """Check that a motion that is asked for does not begin, for a reason; return it."""
    result, status = robot.observer.result((move or (lambda: robot.move(name)[1]))())
    assert status == ABORTED and not result.success, result.message
    assert name_of(result.reason) == "REFUSED" and not getattr(result, "begun", False)
    for word in words:
        assert word in result.message and word in result.reason.sentence, result.message
    assert not robot.commands
    return str(result.message)


def until_refused(robot: MovingRobot, *words: str) -> None:
    """Wait until a motion is refused for a reason that is on its way to the bridge.

    One that was asked for before the bridge could know it is held before it begins.
    """
    early = 0

    def is_refused() -> bool:
        nonlocal early
        result, _ = robot.observer.result(robot.move("motion")[1])
        assert not result.begun, result.message
        if name_of(result.reason) == "REFUSED":
            return all(word in result.message for word in words)
        early += 1
        assert early < 3, result.message
        robot.observer.wait(robot.is_still, "an arm at rest")
        robot.acknowledge()
        robot.commands.clear()
        return False

    robot.observer.wait(is_refused, f"a refusal with {words}", 20.0)
    assert not robot.commands


def not_proved(robot: MovingRobot, *words: str, **changes: Any) -> str:
    """Check that nothing is followed for certificates; return why."""
    certificate = replace(robot.certificates["motion"], **changes)
    move = lambda: robot.move("not proved", certificate=certificate)[1]  # noqa: E731
    return refused(robot, *words, move=move)


def is_said(robot: MovingRobot, words: str) -> None:
    """Wait until the bridge has a doubt, as its diagnostics say."""
    box = robot.observer.mailbox["/diagnostics"]
    box.clear()

    def said() -> bool:
        own = [x for array in box for x in array.status if x.name.startswith("payload_bridge")]
        return any(words in x.message for x in own)

    try:
        robot.observer.wait(said, f"that the bridge says {words}", 20.0)
    except AssertionError as error:
        raise AssertionError(f"{error}: {[x.message for a in box for x in a.status]}") from error


def passes(robot: MovingRobot, seconds: float) -> None:
    """Let a time pass after which something does not count any more."""
    end = time.monotonic() + seconds + 0.05
    robot.observer.wait(lambda: time.monotonic() > end, "time")


# Certificates.


def test_nothing_is_followed_that_was_not_proved(robot):
    whole = robot.certificates["motion"].motion
    for text in ("", "{}", "[]", "nonsense", whole[:-40], whole.replace("{", "[", 1)):
        refused(robot, "certificate", move=lambda t=text: robot.move("x", certificate=_Text(t))[1])
    refused(
        robot, "No motion is in progress",
        move=lambda: robot.move("motion", continues="motion", after=0.5)[1],
    )  # fmt: skip


class _Text:
    """A certificate that is any text."""

    stops: tuple[str, ...] = ()

    def __init__(self, motion: str) -> None:
        self.motion = motion


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the places of all numbers and texts."""
    if isinstance(data, (dict, list)):
        for k, v in data.items() if isinstance(data, dict) else enumerate(data):
            yield from leaves(v, (*path, k))
    else:
        yield path


def altered(text: str, rng: np.random.Generator) -> tuple[str, str]:
    """Return a certificate one of whose entries was changed a little, and which."""
    data = json.loads(text)
    places = [x for x in leaves(data) if x[0] not in ("format",)]
    sections = sorted({x[0] for x in places})
    section = sections[rng.integers(len(sections))]
    places = [x for x in places if x[0] == section]
    path = places[rng.integers(len(places))]
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    old = inner[path[-1]]
    number = isinstance(old, float) or (isinstance(old, int) and not isinstance(old, bool))
    inner[path[-1]] = old * 1.001 + 1e-6 if number else f"{old}x"
    return json.dumps(data), "/".join(map(str, path))


def test_an_altered_certificate_is_refused(robot):
    rng, certificate = np.random.default_rng(7), robot.certificates["motion"]
    for _ in range(24):
        text, place = altered(certificate.motion, rng)
        assert not_proved(robot, motion=text), place
    for _ in range(6):
        text, place = altered(certificate.stops[1], rng)
        stops = (certificate.stops[0], text, *certificate.stops[2:])
        assert not_proved(robot, "top 1", stops=stops), place


def sha(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def forged(text: str, change: Callable[[dict[str, Any]], Any]) -> str:
    """Return a certificate that was changed by somebody who computes its digests anew."""
    data = json.loads(text)
    change(data)
    del data["digest"]
    digests = data["certificate"]["digests"]
    limits = {"name": data["certificate"]["limits"], **data["limits"]}
    for name, section in (
        ("trajectory", data["trajectory"]), ("tube", data["tube"]), ("speeds", data["speeds"]),
        ("obstacles", data["obstacles"]), ("required_clearance", data["clearance"]),
        ("limits", limits), ("geometry", data["geometry"]),
    ):  # fmt: skip
        digests[name] = sha(section)
    box = b"".join(np.asarray(x).tobytes() for x in data["box"].values())
    digests["box"] = hashlib.sha256(box).hexdigest()
    data["digest"] = sha(data)
    return json.dumps(data)


def test_a_forged_certificate_is_refused_for_what_it_lacks(robot):
    certificate = robot.certificates["motion"]
    same = forged(certificate.motion, lambda data: None)
    assert json.loads(same) == json.loads(certificate.motion)  # forged as the planner makes them

    def faster(data):
        data["trajectory"]["duration"] = data["certificate"]["duration"] = 0.15

    def farther(data):
        data["trajectory"]["k"][1] = 2.1

    def moving(data):
        data["trajectory"]["start"]["dq"][6] = 0.3

    lies = (
        ("proof does not repeat", faster),
        ("proof does not repeat", farther),
        ("tube", lambda data: data["tube"]["position"].__setitem__(0, 1e-3)),
        ("limits", lambda data: data["limits"]["torque"].__setitem__(1, 500.0)),
        ("obstacles", lambda data: data["obstacles"].clear()),
        ("required clearance", lambda data: data.update(clearance=0.001)),
        ("speeds", lambda data: data["speeds"].update(tool=9.0)),
        ("box", lambda data: data["box"]["links_upper"][6].__setitem__(0, 0.9)),
        ("geometry", lambda data: data["geometry"]["bodies"].pop()),
        ("joints", lambda data: data["joints"].reverse()),
        ("something else", lambda data: data["turns"].update(joint_1=1)),
        ("version", lambda data: data["certificate"].update(version="0.0.1")),
        ("assumptions", lambda data: data["certificate"]["assumptions"].pop()),
        ("format", lambda data: data.update(format=1)),
    )
    for words, lie in lies:
        not_proved(robot, words, motion=forged(certificate.motion, lie), stops=())
    message = not_proved(robot, motion=forged(certificate.motion, moving), stops=())
    assert "begins in motion" in message or "proof does not repeat" in message


def test_stops_that_are_none_of_this_motion_are_refused(robot):
    certificate, other = robot.certificates["motion"], robot.planned(duration=1.0, seed=5)
    first = certificate.stops[0]
    not_proved(robot, "stop 0", "not of a stop on this motion", stops=Certificate.of(other).stops)
    not_proved(robot, "stop 0", "not of a stop on this motion", stops=(certificate.motion,))
    for key, value in (("ramp", 0.02), ("leaves", 0.99), ("leaves", -0.1)):
        text = forged(first, lambda data, k=key, v=value: data["trajectory"].update({k: v}))
        not_proved(robot, stops=(text,))
    lighter = forged(first, lambda data: data["box"]["payload_upper"].__setitem__(0, 1.0))
    not_proved(robot, "Stop 0", "not certified for what its motion was", stops=(lighter,))


# Certificates for something else than what the bridge knows.


def test_a_certificate_of_another_arm_other_bounds_or_another_cell_is_refused(robot):
    bench = robot.folder / "bench.yaml"
    bench.write_text(CELL)
    wider = "control: {tracking_position: 0.03}"
    other = robot_file(robot.folder, "other.yaml", wider, finger=0.2)
    box = [0.2, 0.1, 0.1]
    configured(
        robot, robot_file=str(other), cell=str(bench), speed_limits="reduced", payload_box=box
    )
    every = ("model", "geometry", "obstacles", "box", "tube", "required clearance", "speeds")
    not_proved(robot, "something else", *(f"The {name} is not the one" for name in every))
    usual: dict[str, Any] = {
        "robot_file": str(robot.file),
        "cell": CASE["cell"],
        "speed_limits": "full",
    }
    usual |= {"payload_box": [0.1, 0.1, 0.1], "uncertainty.link_relative": 0.06}
    configured(robot, **usual)
    not_proved(robot, "The box is not the one that was certified")
    configured(robot, **{"uncertainty.link_relative": 0.05})


def test_nothing_moves_where_nobody_knows_what_is_around_the_arm_nor_in_a_dry_run(robot):
    configured(robot, cell="")
    refused(robot, "cell")
    configured(robot, cell=CASE["cell"], dry_run=True)
    refused(robot, "dry_run")
    configured(robot, dry_run=False)


def test_a_bridge_that_is_not_active_moves_nothing(robot):
    assert change(robot, "deactivate")
    refused(robot, f"ros2 lifecycle set {BRIDGE} activate")
    refused(robot, "activate", move=lambda: execute(robot))
    assert change(robot, "activate")


# The arm is not as it was when the motion was planned.


def test_an_arm_that_stands_elsewhere_does_not_set_off(robot):
    robot.driver.spoil = aside(3, 1.2 * TUBE)
    until_refused(robot, "not where the plan begins", "joint_4")
    robot.driver.spoil = aside(1, 2.0)
    until_refused(robot, "outside the limits", "joint_2")
    refused(robot, "joint_2", move=lambda: execute(robot))
    robot.driver.mend()
    robot.go_to(robot.home + 1.5 * TUBE)  # the arm itself
    robot.commands.clear()
    refused(robot, "not where the plan begins")
    refused(robot, "not where the plan begins", move=lambda: execute(robot))
    robot.go_to(robot.home)
    robot.commands.clear()


def test_an_arm_that_moves_does_not_set_off(robot):
    def spoil(message):
        message.velocity[4] = 0.3  # beyond the tube: heard late, it holds what has not begun
        return message

    robot.driver.spoil = spoil
    until_refused(robot, "The arm is moving", "joint_5")
    robot.driver.mend()
    robot.go_to(robot.home)
    robot.commands.clear()


def test_an_arm_that_is_not_heard_does_not_set_off(robot):
    robot.driver.spoil = lambda message: None
    is_said(robot, "/joint_states")
    refused(robot, "/joint_states")


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (3600.0, "ahead of the clock"),
        (-3600.0, "The stamps of the joint states"),
        (None, "No sensor_msgs/msg/JointState"),
    ],
    ids=["ahead", "behind", "frozen"],
)
def test_an_arm_whose_stamps_and_the_clock_differ_does_not_set_off(robot, by, words):
    frozen = robot.driver.states[-1].header.stamp

    def spoil(message):
        if by is None:
            message.header.stamp = frozen
        else:
            shifted(message.header.stamp, by)
        return message

    robot.driver.spoil = spoil
    is_said(robot, words)
    refused(robot, "stamp")
    robot.driver.mend()
    robot.observer.wait(lambda then=robot.now: robot.now > then + 0.6, "stamps as they should be")


def test_a_finger_that_is_off_or_was_not_heard_lets_nothing_begin(robot):
    for off, place in ((0.03, "0.43"), (-0.03, "0.37")):
        robot.driver.finger = KNUCKLE + off
        until_refused(robot, "knuckle", place)
        robot.driver.finger = KNUCKLE
        robot.observer.wait(lambda then=robot.now: robot.now > then + 0.1, "that it is back")
    robot.driver.finger = None
    passes(robot, LATE)
    refused(robot, "knuckle", "heard")


def test_a_driver_in_fault_lets_nothing_begin(robot):
    robot.set(ARM, fault=True)
    until_refused(robot, "/driver/fault", "/driver/reset_fault")


def test_nothing_begins_where_another_controller_has_the_arm_or_somebody_else_may_command(robot):
    def switch(off="", on=""):
        answer = robot.observer.call(
            SwitchController, "/controller_manager/switch_controller",
            strictness=SwitchController.Request.STRICT,
            deactivate_controllers=off.split(), activate_controllers=on.split(),
        )  # fmt: skip
        assert answer.ok, answer.message

    other = "forward_effort_controller"
    switch(CONTROLLER, other)
    refused(robot, f"--activate {CONTROLLER}")
    switch(other, CONTROLLER)
    with robot.publisher(JointTrajectory, TRAJECTORY, listeners=2):
        until_refused(robot, TRAJECTORY, "observer")
    robot.observer.wait(lambda: not robot.observer.node.count_publishers(TRAJECTORY), "nobody")


def test_of_two_bridges_one_at_a_time_commands_the_arm(robot):
    other = robot.start_bridge("-r", "__node:=other", autostart=True)
    try:

        def moved() -> bool:
            return robot.observer.result(robot.move("motion", "/other")[1])[0].success

        heard = robot.observer.listen(BridgeState, "/other/state", LATCHED)
        robot.observer.wait(lambda: heard, "the other bridge, which has been found then")
        robot.observer.wait(moved, "the other bridge, once it has found the controller", 20.0)
        robot.go_to(robot.home)
        robot.commands.clear()
        begun = robot.move("motion")[1]
        robot.observer.wait(lambda: robot.commands, "the first one's goal")
        late = robot.observer.result(robot.move("motion", "/other")[1])[0]
        assert name_of(late.reason) == "REFUSED" and len(robot.commands) == 1, late
        assert robot.observer.result(begun)[0].success
        robot.go_to(robot.home)
        assert moved()  # it was given back
        robot.go_to(robot.home)
        # Neither can know of the other before a goal is out: then both hold, or one is refused.
        futures = [robot.move("motion", bridge)[1] for bridge in (BRIDGE, "/other")]
        results = [robot.observer.result(future)[0] for future in futures]
        names = {name_of(x.reason) for x in results}
        assert names in ({"COMPLETED", "REFUSED"}, {"FOREIGN_COMMAND"}), results
        robot.acknowledge()
        robot.go_to(robot.home)
        robot.commands.clear()
    finally:
        assert other.stop() == 0


# What is known has changed since.


def test_obstacles_that_the_certificate_does_not_know_let_nothing_begin(robot):
    assert robot.set_obstacles(SetObstacles.Request.ADD, ball()).success
    refused(robot, "The obstacles is not the one")
    refused(robot, "obstacles have changed", move=lambda: execute(robot))
    bad = robot.set_obstacles(SetObstacles.Request.ADD, ball(radius=float("nan"), name="bad"))
    assert not bad.success and "bad" in bad.message and bad.ids == ["ball"]
    assert robot.set_obstacles(SetObstacles.Request.REPLACE).success
    robot.driver.obstacles = [ball(radius=float("nan"))]
    robot.observer.wait(lambda: "cannot be used" in robot.state.doubt, "the bridge's doubt")
    refused(robot, "cannot be used", "ball")
    robot.driver.obstacles = [ball()]
    robot.observer.wait(lambda: [x.name for x in robot.state.bodies] == ["ball"], "the ball")
    until_refused(robot, "The obstacles is not the one")
    robot.driver.obstacles = ()
    robot.observer.wait(lambda: not robot.state.bodies, "no obstacles")
    robot.driver.obstacles = None
    passes(robot, LATE)
    refused(robot, " s old", "obstacles_lifetime")


def test_an_obstacle_that_moves_under_its_name_lets_nothing_begin(robot):
    assert robot.set_obstacles(SetObstacles.Request.ADD, ball()).success
    robot.certificates["beside the ball"] = Certificate.of(robot.planned(duration=1.0))
    for other in (ball((2.0, 0.01, 1.0)), ball(radius=0.11)):
        assert robot.set_obstacles(SetObstacles.Request.ADD, other).success
        refused(robot, "The obstacles is not the one", name="beside the ball")
    assert robot.set_obstacles(SetObstacles.Request.REPLACE).success


def test_another_payload_lets_nothing_begin(robot):
    found = PayloadEstimate(status=PayloadEstimate.INCONSISTENT, message="joint_2 slips")
    robot.say(found)
    until_refused(robot, "joint_2 slips")
    found.status = PayloadEstimate.SMALL_LOAD
    found.lower, found.upper = np.array(PAYLOAD), np.array(PAYLOAD)
    found.upper[0] = 1.51  # [kg], 1.5 was certified
    robot.say(found)
    until_refused(robot, "another payload")


# Nobody gave leave.


def test_without_leave_nothing_begins(robot):
    robot.driver.enabled = False
    until_refused(robot, "'false'", "/enable")
    robot.set(BRIDGE, allow_motion=False)
    robot.driver.enabled = True
    refused(robot, "allow_motion")
    refused(robot, "allow_motion", move=lambda: execute(robot))
    robot.put_right()
    robot.driver.enabled = None
    passes(robot, LATE)
    refused(robot, "No 'true'", "/enable")


def execute(robot: MovingRobot, **fields: Any) -> Any:
    """Ask the planner to execute; return the future."""
    named = {"plan_id": robot.described.plan_id, "token": robot.described.token} | fields
    return robot.observer.goal(Execute, f"{PLANNER}/execute", **named)[1]


def test_only_a_plan_whose_description_was_read_is_executed(robot):
    heard = robot.observer.listen(PlanDescription, f"{PLANNER}/description", LATCHED)
    robot.observer.wait(lambda: heard, "the newest description")
    assert heard[-1].token
    for fields in ({"token": ""}, {"token": "guess"}, {"plan_id": "plan_of_nobody"},
                   {"plan_id": "", "token": ""}, {"speed_scale": 1.01}, {"speed_scale": 0.01},
                   {"speed_scale": float("nan")}):  # fmt: skip
        message = refused(robot, move=lambda fields=fields: execute(robot, **fields))
        assert message.endswith("."), fields


# After a fault, and when all is well.


def test_a_fault_lets_nothing_begin_whatever_becomes_of_the_bridge(robot):
    _, future = robot.move("motion")
    robot.observer.wait(lambda: robot.commands and robot.state.state == BridgeState.MOVING, "it")
    robot.driver.spoil = aside(2, 0.2)
    assert name_of(robot.observer.result(future)[0].reason) == "TUBE_LEFT"
    robot.driver.mend()
    robot.go_to(robot.home)
    robot.commands.clear()
    refused(robot, "~/acknowledge", "TUBE_LEFT")
    refused(robot, "~/acknowledge", "TUBE_LEFT", move=lambda: execute(robot))
    assert not robot.plan().success and "~/acknowledge" in robot.plan().message
    assert change(robot, "deactivate", "cleanup", "configure", "activate")
    message = refused(robot, "~/acknowledge", "TUBE_LEFT")
    assert not robot.acknowledge("").success
    kept = re.search(r"before this start: (\S+json)", message)
    assert kept and change(robot, "deactivate", "cleanup")
    Path(kept[1]).write_text("{")
    assert change(robot, "configure", "activate")
    refused(robot, "~/acknowledge", "cannot be read")
    assert robot.acknowledge("the cable is free").success


def test_the_same_motion_is_followed_when_nothing_is_wrong(robot):
    for future in (lambda: robot.move("motion")[1], lambda: execute(robot)):
        result, status = robot.observer.result(future())
        assert status == SUCCEEDED and result.success, result.message
        assert len(robot.commands) == 1
        command = robot.commands[0]
        time_on_it = np.array([seconds(x.time_from_start) for x in command.points])
        certified = robot.certificates["motion"].at(time_on_it)[0]
        assert np.abs(np.array([x.positions for x in command.points]) - certified).max() < 1e-6
        robot.go_to(robot.home)
        robot.commands.clear()
