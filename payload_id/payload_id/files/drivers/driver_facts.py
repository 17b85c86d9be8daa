"""What is known of an arm's driver, checked for contradictions; None and () stand for unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, TypeVar

from pydantic import model_validator
from typing_extensions import Self

from ...core.arrays import Array
from ..configuration.model import Model, Number, OneForEach, key, section

TRAJECTORIES = "joint_trajectory"  # last part of the topic of a trajectory controller
Named = tuple[str, ...]
Tolerance = Annotated[Array, OneForEach(lowest=1e-6, one=True)]
M = TypeVar("M", bound=Model)


class Controller(Model):
    """The controller that moves the arm."""

    name: str | None = key("its name", default=None)
    type: str | None = key("its type, package/Class", default=None)
    command_interfaces: Named = key("command interfaces of each joint that it claims", default=())
    state_interfaces: Named = key("state interfaces of each joint that it reads", default=())


class Condition(Model):
    """Something that holds while the arm follows its controller."""

    topic: str = key("topic that says so")
    type: str = key("its type, package/msg/Name")
    field: str = key("field of the message; of a flag 1 is true")
    allowed: tuple[Number, ...] = key("values with which the arm follows")

    def holds(self, value: float | bool) -> bool:
        """Return whether the arm follows its controller with this value of the field."""
        return float(value) in self.allowed


class ResetStep(Model):
    """One of the services that end a fault."""

    service: str = key("its full name")
    type: str = key("its type, package/srv/Name")
    request: str = key("what is sent, as YAML", default="{}")


class PayloadTarget(Model):
    """How the arm's own controller is told of its load."""

    target: (
        Literal[
            "xarm", "ur", "franka", "kinova", "kuka_krc", "kuka_sunrise", "abb", "doosan",
            "fanuc", "yaskawa",
        ] | None
    ) = key("units and fields that it takes; null: not known", default=None)  # fmt: skip
    service: str | None = key("service that sets it; null: none that is known", default=None)
    type: str | None = key("its type, package/srv/Name", default=None)
    state_topic: str | None = key(
        "topic that says which load the arm has; null: none", default=None
    )
    frame: str | None = key(
        "link of the description whose frame the load is stated in", default=None
    )
    rated_mass: float | None = key(
        "largest mass of the payload that the vendor rates, less a gripper that belongs to the "
        "description", "kg", None, ge=0.0,
    )  # fmt: skip


class GoalTolerances(Model):
    """Tolerances to be sent with every goal, for every joint, shape (n,)."""

    path: Tolerance | None = key("largest position error on the way", "rad or m", None)
    end: Tolerance | None = key("largest position error at the end", "rad or m", None)
    time: float | None = key(
        "time that it may take to come within that after the motion's end", "s", None, ge=0.0
    )


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


class DriverFacts(Model):
    """What is known of an arm's driver."""

    controller_manager: str | None = key(
        "node of the controller manager, as without a namespace", default=None
    )
    controller: Controller = section("the controller that moves the arm")
    exported: Named = key("command interfaces of each joint that the driver offers", default=())
    executed: Named = key(
        "those of them that reach the arm; the others are accepted and ignored", default=()
    )
    back_ends: tuple[Literal["follow_joint_trajectory", "effort", "team_topics"], ...] = key(
        "ways in which the arm may be moved, the best first", default=()
    )
    goal: GoalTolerances = section(
        "tolerances to be sent with every goal; without them a controller may check nothing"
    )
    effort_warning: Tolerance | None = key(
        "torque at which the arm's own safety system warns, before it stops the arm with a fault; "
        "the bridge ends a motion there", "N m or N", None,
    )  # fmt: skip
    speed_scaling_topic: str | None = key(
        "topic on which the robot reports its speed slider, std_msgs/Float64 in per cent",
        default=None,
    )
    follows_while: dict[str, Condition] = key(
        "conditions, all of which hold while the arm follows its controller; else it is in fault "
        "or in another mode", default={},
    )  # fmt: skip
    reset: dict[str, ResetStep] = key("services that end a fault, in this order", default={})
    payload: PayloadTarget = section("how the arm's own controller is told of its load")

    def within(self, namespace: str) -> DriverFacts:
        """Return the same driver in a namespace: its topics and services.

        Args:
            namespace: Before their names, but for those that have it.
        """

        def moved(part: M, *names: str) -> M:
            there = {x: named_within(getattr(part, x), namespace) for x in names}
            return part.model_copy(update=there)

        facts = {
            "follows_while": {k: moved(x, "topic") for k, x in self.follows_while.items()},
            "reset": {k: moved(x, "service") for k, x in self.reset.items()},
            "payload": moved(self.payload, "service", "state_topic"),
        }
        return moved(self, "speed_scaling_topic").model_copy(update=facts)

    @property
    def ignored(self) -> tuple[str, ...]:
        """Command interfaces that the driver offers, accepts, and does nothing with."""
        return tuple(name for name in self.exported if name not in self.executed)

    def executes(self, interface: str) -> bool | None:
        """Return whether commands of an interface reach the arm; None if that is not known."""
        return None if not self.executed else interface in self.executed

    def motion_doubt(
        self, trajectory_topic: str, tracking_position: Array, joints: Sequence[str]
    ) -> str:
        """Return what in a robot file contradicts this, empty if nothing does.

        Args:
            trajectory_topic: Topic to which motion goes.
            tracking_position: Largest tracking error of each joint, shape (n,) [rad or m].
            joints: Names of the joints.
        """
        named, parts = self.controller.name, trajectory_topic.rstrip("/").split("/")
        if named and parts[-1] == TRAJECTORIES and len(parts) > 1 and parts[-2] != named:
            return (
                f"has the 'command.trajectory_topic' {trajectory_topic}, a topic of the controller "
                f"'{parts[-2]}', but 'driver.controller.name' is '{named}'. Change one of them; a "
                "namespace may stand before the controller's name."
            )
        paths = [] if self.goal.path is None else self.goal.path.tolist()
        for joint, path, tracking in zip(joints, paths, tracking_position):  # noqa: B905
            if path < tracking:
                return (
                    f"has the 'driver.goal.path' {path:g} for {joint}, less than its "
                    f"'control.tracking_position' {tracking:g}: the controller would abort motions "
                    "that are within the certified tube. Raise it, or lower the tracking error."
                )
        return ""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        """Return the facts, which do not contradict each other."""
        exported, executed = ", ".join(self.exported), ", ".join(self.executed)
        strange = sorted(set(self.executed) - set(self.exported)) if exported else []
        lost = sorted(set(self.controller.command_interfaces) - set(self.executed))
        if strange:
            raise ValueError(
                f"names {', '.join(strange)} in 'driver.executed', which 'driver.exported' does "
                f"not: {exported}. What the driver does not offer cannot reach the arm."
            )
        if lost and executed:
            raise ValueError(
                f"names {', '.join(lost)} in 'driver.controller.command_interfaces', which does "
                f"not reach the arm ('driver.executed': {executed})."
            )
        if "effort" in self.back_ends and not self.executes("effort"):
            raise ValueError(
                "names 'effort' in 'driver.back_ends', but 'driver.executed' does not: torques "
                "would be accepted and ignored while the arm is taken to follow them. Remove it, "
                "or add effort to 'driver.executed' if this driver truly executes it."
            )
        if self.payload.service and not self.payload.target:
            raise ValueError(
                f"has the 'driver.payload.service' {self.payload.service}, but its units are not "
                "known: give 'driver.payload.target', too."
            )
        return self
