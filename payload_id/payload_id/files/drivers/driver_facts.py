"""What is known of an arm's driver, checked for contradictions; None and () stand for unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.errors import ConfigurationError

TRAJECTORIES = "joint_trajectory"  # last part of the topic of a trajectory controller


@dataclass(frozen=True)
class Controller:
    """The controller that moves the arm.

    Attributes:
        name: Its name.
        type: Its type, package/Class.
        command_interfaces: Those of each joint that it claims.
        state_interfaces: Those of each joint that it reads.
    """

    name: str | None = None
    type: str | None = None
    command_interfaces: tuple[str, ...] = ()
    state_interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Condition:
    """Something that holds while the arm follows its controller.

    Attributes:
        name: What it is called.
        topic: Topic that says so.
        type: Its type, package/msg/Name.
        field: Field of the message.
        allowed: Values with which the arm follows; of a flag 1 is true.
    """

    name: str
    topic: str
    type: str
    field: str
    allowed: tuple[float, ...]

    def holds(self, value: float | bool) -> bool:
        """Return whether the arm follows its controller with this value of the field."""
        return float(value) in self.allowed


@dataclass(frozen=True)
class ResetStep:
    """One of the services that end a fault.

    Attributes:
        name: What it is called.
        service: Its full name.
        type: Its type, package/srv/Name.
        request: What is sent, as YAML.
    """

    name: str
    service: str
    type: str
    request: str


@dataclass(frozen=True)
class PayloadTarget:
    """How the arm's own controller is told of its load.

    Attributes:
        target: Units and fields that it takes, one of `driver_schema.PAYLOAD_TARGETS`.
        service: Service that sets it.
        type: Its type, package/srv/Name.
        state_topic: Topic that says which load the arm has.
        frame: Link of the description whose frame the load is stated in.
        rated_mass: Largest mass of the payload that the vendor rates [kg].
    """

    target: str | None = None
    service: str | None = None
    type: str | None = None
    state_topic: str | None = None
    frame: str | None = None
    rated_mass: float | None = None


@dataclass(frozen=True, eq=False)
class GoalTolerances:
    """Tolerances to be sent with every goal, for every joint, shape (n,).

    Attributes:
        path: Largest position error on the way [rad or m].
        end: ... at the end [rad or m].
        time: Time that it may take to come within that after the motion's end [s].
    """

    path: Array | None = None
    end: Array | None = None
    time: float | None = None


def namespace_of(topic: str, name: str) -> str:
    """Return the namespace in which a topic is the one that a robot file names.

    Args:
        topic: Full name of the topic.
        name: As the robot file says it, perhaps a relative one.

    Returns:
        namespace: Such as "/left"; empty: none, or it is another topic.
    """
    ending = f"/{name.lstrip('/')}"
    return topic.removesuffix(ending) if topic.endswith(ending) else ""


def named_within(name: str, namespace: str) -> str:
    """Return the name of a topic or service in a namespace, unless it has that; relative ones too.

    Args:
        name: As a robot file says it.
        namespace: Such as "/left"; empty: none.
    """
    is_elsewhere = namespace and name and not name.startswith(("~", f"{namespace}/"))
    return f"{namespace}/{name.lstrip('/')}" if is_elsewhere else name


@dataclass(frozen=True, eq=False)
class DriverFacts:
    """What is known of an arm's driver; see `driver_schema.DRIVER` for the keys.

    Attributes:
        software: Package and commit in which it was read.
        controller_manager: Node of the controller manager.
        update_rate: Rate of its loop [Hz].
        state_delay: Age of what joint states hold, at their stamp [s].
        controller: The controller that moves the arm.
        exported: Command interfaces of each joint that the driver offers.
        executed: Those of them that reach the arm.
        back_ends: Ways in which the arm may be moved, the best first.
        goal: Tolerances to be sent with every goal.
        effort_warning: Torque at which the arm's safety system warns, shape (n,) [N m].
        speed_scaling_topic: Topic of the speed slider.
        follows_while: All of these hold while the arm follows its controller.
        reset: What ends a fault, in this order.
        payload: How the arm's own controller is told of its load.
    """

    software: str | None
    controller_manager: str | None
    update_rate: float | None
    state_delay: float | None
    controller: Controller
    exported: tuple[str, ...]
    executed: tuple[str, ...]
    back_ends: tuple[str, ...]
    goal: GoalTolerances
    effort_warning: Array | None
    speed_scaling_topic: str | None
    follows_while: tuple[Condition, ...]
    reset: tuple[ResetStep, ...]
    payload: PayloadTarget

    @classmethod
    def from_entries(cls, entries: Mapping[str, Any], n: int, where: str) -> DriverFacts:
        """Build from the section of a robot file with n joints.

        Args:
            entries: What the file says, checked by the schema.
            n: Number of joints.
            where: Name of the file, for messages.

        Raises:
            ConfigurationError: Entries contradict each other.
        """
        goal = entries["goal"]
        facts = cls(
            **{
                **entries,
                "controller": Controller(**entries["controller"]),
                "effort_warning": _each(entries["effort_warning"], n),
                "goal": GoalTolerances(_each(goal["path"], n), _each(goal["end"], n), goal["time"]),
                "follows_while": tuple(
                    Condition(name, **stated) for name, stated in entries["follows_while"].items()
                ),
                "reset": tuple(
                    ResetStep(name, **stated) for name, stated in entries["reset"].items()
                ),
                "payload": PayloadTarget(**entries["payload"]),
            }
        )
        facts._check(where)
        return facts

    def within(self, namespace: str) -> DriverFacts:
        """Return the same driver in a namespace: its topics and services.

        Args:
            namespace: Before their names, but for those that have it.
        """

        def there(name: str) -> str:
            return named_within(name, namespace)

        slider, load = self.speed_scaling_topic, self.payload
        return replace(
            self,
            speed_scaling_topic=slider and there(slider),
            follows_while=tuple(replace(x, topic=there(x.topic)) for x in self.follows_while),
            reset=tuple(replace(x, service=there(x.service)) for x in self.reset),
            payload=replace(
                load,
                service=load.service and there(load.service),
                state_topic=load.state_topic and there(load.state_topic),
            ),
        )

    @property
    def ignored(self) -> tuple[str, ...]:
        """Command interfaces that the driver offers, accepts, and does nothing with."""
        return tuple(name for name in self.exported if name not in self.executed)

    def executes(self, interface: str) -> bool | None:
        """Return whether commands of an interface reach the arm; None if that is not known."""
        return None if not self.executed else interface in self.executed

    def check_motion(
        self, trajectory_topic: str, tracking_position: Array, joints: Sequence[str], where: str
    ) -> None:
        """Raise if what a robot file says elsewhere contradicts this.

        Args:
            trajectory_topic: Topic to which motion goes.
            tracking_position: Largest tracking error of each joint, shape (n,) [rad or m].
            joints: Names of the joints.
            where: Name of the file.

        Raises:
            ConfigurationError: The topic is another controller's, or a goal would be aborted
                although the arm is within the tube that certificates assume.
        """
        named, parts = self.controller.name, trajectory_topic.rstrip("/").split("/")
        if named and parts[-1] == TRAJECTORIES and len(parts) > 1 and parts[-2] != named:
            raise ConfigurationError(
                f"'command.trajectory_topic' in {where} is {trajectory_topic}, a topic of the "
                f"controller '{parts[-2]}', but 'driver.controller.name' is '{named}'. Change one "
                "of them; a namespace may stand before the controller's name."
            )
        if self.goal.path is None:
            return
        for joint, path, tracking in zip(joints, self.goal.path, tracking_position, strict=True):
            if path < tracking:
                raise ConfigurationError(
                    f"'driver.goal.path' in {where} is {path:g} for {joint}, less than its "
                    f"'control.tracking_position' {tracking:g}: the controller would abort motions "
                    "that are within the certified tube. Raise it, or lower the tracking error."
                )

    def _check(self, where: str) -> None:
        """Raise if the section contradicts itself."""
        if self.exported and (strange := set(self.executed) - set(self.exported)):
            raise ConfigurationError(
                f"'driver.executed' in {where} names {', '.join(sorted(strange))}, which "
                f"'driver.exported' does not: {', '.join(self.exported)}. What the driver does not "
                "offer cannot reach the arm."
            )
        claimed = set(self.controller.command_interfaces)
        if self.executed and (lost := claimed - set(self.executed)):
            raise ConfigurationError(
                f"'driver.controller.command_interfaces' in {where} names "
                f"{', '.join(sorted(lost))}, which does not reach the arm ('driver.executed': "
                f"{', '.join(self.executed)})."
            )
        if "effort" in self.back_ends and not self.executes("effort"):
            raise ConfigurationError(
                f"'driver.back_ends' in {where} names 'effort', but 'driver.executed' does not: "
                "torques would be accepted and ignored while the arm is taken to follow them. "
                "Remove it, or add effort to 'driver.executed' if this driver truly executes it."
            )
        if self.payload.service and not self.payload.target:
            raise ConfigurationError(
                f"'driver.payload.service' in {where} is {self.payload.service}, but its units are "
                "not known: give 'driver.payload.target', too."
            )


def _each(value: float | Sequence[float] | None, n: int) -> Array | None:
    """Return a number for each of n joints, shape (n,); None if unknown."""
    return None if value is None else np.broadcast_to(np.asarray(value, dtype=float), (n,))
