"""A driver's service for the load, from a node of its own: found, checked, called, read back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy

from ...core.errors import (
    ConfigurationError,
    InputError,
    PayloadIdError,
    brief,
    printable,
    shortened,
)
from ...files.robots.robot_file import RobotFile
from ..common.conversions import decoded
from ..common.polled_subscription import PolledSubscription
from ..common.timeouts import FOUND
from ..common.topic_report import publisher_names
from ..execution.joint_state_listener import JointStateListener
from ..execution.start_check import check_rest
from ..supervision.driver_conditions import driver_conditions
from ..supervision.named_types import named_type
from .load_writer import LoadWriter, Values, differences, is_finite

LOOK = 0.6  # [s] of joint states and of the driver's modes before a load is written
TAKEN_UP = 3.0  # [s] within which the arm must say that it has what it was told
DEPTH = 50
ANY_CLOCK = 1e9  # [s] the stamps do not matter here


class NotAppliedError(PayloadIdError):
    """A load that cannot be written, or of which it is not known whether the arm has it."""


class NotTakenError(NotAppliedError):
    """A load that the driver refused: the arm has what it had."""


class LoadService:
    """Use it as a context manager.

    Attributes:
        unwatched: What could not be checked, and why.
    """

    def __init__(
        self,
        robot: RobotFile,
        writer: LoadWriter,
        service: str,
        type_name: str,
        context: Context | None = None,
    ) -> None:
        """Make the node and find the types.

        Args:
            robot: The robot file.
            writer: The driver's messages.
            service: The driver's service.
            type_name: Its type.
            context: Of rclpy, initialised; None: the default one.

        Raises:
            ConfigurationError: A package of messages is not here, or has no such type.
        """
        self._robot, self._writer, self._kind = robot, writer, named_type(type_name)
        self.unwatched: list[str] = []
        topic = robot.driver.payload.state_topic
        state = named_type(writer.state_type) if topic and writer.state_type else None
        self._node = rclpy.create_node("payload_apply", context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._client = self._node.create_client(self._kind, service)
        self._states = JointStateListener(
            self._node, robot, ANY_CLOCK, topic=robot.joint_states.topic
        )
        self._modes = driver_conditions(self._node, robot.driver)
        profile = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._fault = ""  # of the driver, as it said last
        self._loads = (
            None if state is None else PolledSubscription(self._node, state, topic or "", profile)
        )
        self._state_kind = state

    def __enter__(self) -> LoadService:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the node."""
        self._executor.shutdown()
        self._node.destroy_node()

    def listen(
        self, kind: Any, topic: str, profile: QoSProfile, heard: Callable[[Any], None]
    ) -> None:
        """Have messages of others taken in, too, while this waits for anything."""
        self._node.create_subscription(kind, topic, heard, profile)

    def wait(self) -> None:
        """Take in messages for as long as an arm is looked at before a load is written."""
        self._until(lambda: False, LOOK)

    def check(self) -> None:
        """Raise unless the driver takes loads now and the arm stands still.

        Raises:
            NotAppliedError: There is no such service, or are no joint states.
            InputError: The arm moves, or is in fault or in another mode.
        """
        name = self._client.srv_name
        if not self._until(self._client.service_is_ready, FOUND):
            raise NotAppliedError(
                f"Nobody answers {name}: start the driver, see that it offers the service (that of "
                "the xArm is switched on in xarm_user_params.yaml), or mend "
                "driver.payload.service of the robot file."
            )
        if not self._until(lambda: self._known() and self._states.silence < LOOK, FOUND):
            raise NotAppliedError(
                f"There are no joint states on {self._states.topic}, so it is not known whether "
                "the arm stands still. Start the driver."
            )
        self._until(lambda: not self._known(), LOOK)
        if doubt := self._states.conflict:
            raise InputError(f"{doubt}.")
        check_rest(self._robot.joints, self._states.speed, self._states.topic)
        if self._fault:
            raise InputError(f"The load was not written: {self._fault}")
        self.unwatched = [words for mode in self._modes for words in mode.unwatched()]

    def _known(self) -> bool:
        """Take in joint states and modes; return whether the arm was seen."""
        self._states.take(every=True)
        found = [mode.look() for mode in self._modes]
        self._fault = next(filter(None, found), "")
        return self._states.known

    def state(self) -> dict[str, Any] | None:
        """Return which load the arm has, by messages that come now; None: it does not say.

        Raises:
            NotAppliedError: More than one says it.
        """
        if (loads := self._loads) is None:
            return None
        if self._node.count_publishers(loads.topic) > 1:
            by = ", ".join(publisher_names(self._node, loads.topic))
            raise NotAppliedError(
                f"{loads.topic} has more than one publisher (in {by}), so it is not known which "
                "load the arm has: see that only its own driver publishes there."
            )
        loads.forget()
        found: list[dict[str, Any]] = []

        def heard() -> bool:
            for data, _ in loads.take_all(DEPTH):
                message = decoded(data, self._state_kind)
                said = None if message is None else self._writer.state(message, self._robot.joints)
                if said is not None and is_finite(said):
                    found.append(said)
            return bool(found)

        self._until(heard, TAKEN_UP)
        return found[-1] if found else None

    def request(self, values: Values) -> Any:
        """Return the driver's message.

        Raises:
            ConfigurationError: It has no fields for the values, or they lack one, or are none.
        """
        request = self._kind.Request()
        try:
            self._writer.fill(request, values)
        except KeyError as error:
            raise ConfigurationError(
                f"The load to be sent lacks {error.args[0]!r}; it has {', '.join(values)}."
            ) from error
        except (TypeError, ValueError, AssertionError) as error:
            raise ConfigurationError(
                f"The load to be sent is not what {self._client.srv_name} takes: {brief(values)}."
            ) from error
        return request

    def restores(self, values: Values | None) -> bool:
        """Tell whether values are a whole load, which can be sent again."""
        if values is None:
            return False
        try:
            self.request(values)
        except ConfigurationError:
            return False
        return True

    def write(self, request: Any) -> None:
        """Have the driver take a load.

        Raises:
            NotTakenError: It did not take it.
            NotAppliedError: It gave no answer.
        """
        answer = self._client.call_async(request)
        if not self._until(answer.done, FOUND):
            raise NotAppliedError(
                f"{self._client.srv_name} gave no answer within {FOUND:g} s: it is not known "
                "which load the arm has now. Look at it before it moves."
            )
        if refusal := self._writer.refusal(answer.result()):
            raise NotTakenError(
                f"{self._client.srv_name} did not take the load: {printable(shortened(refusal))}."
            )

    def check_taken(self, values: Values) -> bool:
        """Return whether the arm says that it has a load; False: it does not say which it has.

        Raises:
            NotAppliedError: It has another one.
        """
        end, wrong = time.monotonic() + TAKEN_UP, ["nothing is heard of it"]
        while time.monotonic() < end:
            if (said := self.state()) is None:
                return False
            if not (wrong := differences(values, said)):
                return True
        raise NotAppliedError(
            f"The driver said that it took the load, but the arm has another one: "
            f"{'; '.join(wrong)}. Somebody else may have set it, or the driver began anew. Look at "
            "the arm before it moves."
        )

    def _until(self, holds: Callable[[], bool], longest: float) -> bool:
        """Serve the node until something holds; return whether it does."""
        end = time.monotonic() + longest
        while not (held := holds()) and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.02)
        return held
