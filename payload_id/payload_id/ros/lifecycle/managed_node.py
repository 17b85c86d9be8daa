"""A node with the life cycle of ROS 2: it checks when configured, and acts while it is active.

Unless the parameter `autostart` is false, a node configures and activates itself. A transition out
of the active state waits, while everything is served, until nothing is in progress any more: an arm
is at rest, a run has ended. Nothing new is begun meanwhile.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from lifecycle_msgs.srv import ChangeState
from rclpy.action import ActionClient, ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter as RosParameter

from ...core.errors import ConfigurationError
from ...files.robots.robot_file import RobotFile
from ..common.awaited_answers import until
from ..common.diagnostics import LIFECYCLE, Condition, Level, publish_diagnostics
from ..common.error_sentence import OUTLIVED, refusal_sentence
from ..common.parameters import AUTOSTART, Parameter, declare_parameters

EMPTY = RosParameter.Type.NOT_SET
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE
PATIENCE = 60.0  # [s] in which it must have; a node that is not done then stays active
ACTIVE, FINALIZED = "active", "finalized"


class ManagedNode(LifecycleNode):
    """A node of this package; subclasses say what its transitions do.

    Attributes:
        robot: The robot file, once configured.
        is_ending: Whether its process ends in some seconds.
        resources: What to end when the configuration is given up, last one first.
    """

    robot: RobotFile

    def __init__(self, name: str, table: Sequence[Parameter], subject: str, **options: Any) -> None:
        """Make the node, and bring it up unless `autostart` is false.

        Args:
            name: Of the node.
            table: Its parameters.
            subject: What its diagnostics are of, such as "joint states".
            options: Arguments of rclpy's Node, such as parameter_overrides.

        Raises:
            Exception: What `configure` or `activate` raised; never without autostart.
        """
        self._configured = self._building = self._leaving = self._starting = False
        self.is_ending = False
        self._in_progress = 0
        self._failure: Exception | None = None  # of the last attempt to configure or activate
        self.resources = ExitStack()
        self._entities: list[Any] = []
        try:
            super().__init__(name, automatically_declare_parameters_from_overrides=True, **options)
        except ValueError as error:
            given = getattr(self, "_parameter_overrides", {})
            empty = [key for key, each in given.items() if each.type_ == EMPTY]
            if not empty:
                raise
            raise ConfigurationError(
                f"Parameter '{empty[0]}' has no value, or an empty list, of which ROS 2 does not "
                "know the kind: leave it out."
            ) from error
        # rclpy's own callback raises, and nobody is answered, where a transition is not possible;
        # and what is in its group stands still while it waits.
        service = self._service_change_state
        self._rclpy_change_state, service.callback = service.callback, self._on_change_state
        service.callback_group = ReentrantCallbackGroup()
        self._tell = publish_diagnostics(self, subject, self._hardware, self._judged)
        declare_parameters(self, (AUTOSTART, *table))
        if not AUTOSTART.check(self.get_parameter(AUTOSTART.name).value):
            self.get_logger().info(f"Waits: `ros2 lifecycle set {self._full_name} configure`.")
            return
        self._starting = True
        for trigger in (self.trigger_configure, self.trigger_activate):
            if trigger() is not SUCCESS:
                self.close()
                raise self._failure or RuntimeError(f"{name} could not be brought up")
        self._starting = False

    # What subclasses do.

    def configure(self) -> None:
        """Check parameters and files, and make everything; it rests until it is activated.

        Raises:
            Exception: What is wrong, as a sentence; the node stays unconfigured.
        """
        raise NotImplementedError

    def activate(self) -> None:
        """Begin to act, on what arrives from now on; timers run after this.

        Raises:
            Exception: Why that is not possible; the node stays inactive.
        """

    async def leave(self) -> None:
        """Have what is in progress come to its end; called while the node is active still."""

    def deactivate(self) -> None:
        """Stop acting; timers stand still. The end of an active node's process comes here too."""

    def condition(self) -> Condition:
        """Judge an active node."""
        raise NotImplementedError

    # What they use.

    @property
    def state(self) -> str:
        """State of the life cycle, such as "active"."""
        return str(self._state_machine.current_state[1])

    @property
    def inactivity(self) -> str:
        """Why the node does nothing that it is asked for, as a sentence; empty: it is active."""
        if self.state == ACTIVE:
            leaving = f"The node {self._full_name} is being deactivated or shut down."
            return leaving if self._leaving else ""
        if self.state == FINALIZED:
            return f"The node {self._full_name} has been shut down: start it anew."
        how = "activate" if self._configured else "configure"
        return (
            f"The node {self._full_name} is {self.state}: "
            f"`ros2 lifecycle set {self._full_name} {how}`."
        )

    def counted(self, callback: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """Return a callback whose end the node waits for before it becomes inactive."""

        async def call(*arguments: Any) -> Any:
            with self._progress():
                return await callback(*arguments)

        return call

    def create_publisher(self, *arguments: Any, **options: Any) -> Any:
        """As rclpy's, without its events: an executor looks at each of them at every wake-up."""
        quiet = PublisherEventCallbacks(use_default_callbacks=False)
        return super().create_publisher(*arguments, event_callbacks=quiet, **options)

    def create_subscription(self, *arguments: Any, **options: Any) -> Any:
        """As rclpy's, without its events, likewise."""
        quiet = SubscriptionEventCallbacks(use_default_callbacks=False)
        return super().create_subscription(*arguments, event_callbacks=quiet, **options)

    def create_service(self, srv_type: Any, srv_name: str, callback: Any, **options: Any) -> Any:
        """Create a service; one of this package answers only while the node is active."""
        if self._building and hasattr(srv_type.Response(), "success"):
            callback = self._guarded(callback)
        return super().create_service(srv_type, srv_name, callback, **options)

    def add_on_set_parameters_callback(self, callback: Any) -> None:
        """As rclpy's, until the configuration is given up."""
        super().add_on_set_parameters_callback(callback)
        self.resources.callback(self.remove_on_set_parameters_callback, callback)

    def add_post_set_parameters_callback(self, callback: Any) -> None:
        """As rclpy's, until the configuration is given up."""
        super().add_post_set_parameters_callback(callback)
        if self._building:
            self.resources.callback(self.remove_post_set_parameters_callback, callback)

    @property
    def in_progress(self) -> int:
        """Number of requests that are in progress."""
        return self._in_progress

    async def part(self) -> None:
        """Begin nothing new, and have what is in progress come to its end."""
        if self.state == ACTIVE and not self._leaving:
            self._leaving = self.is_ending = True
            await self.leave()

    def close(self) -> None:
        """End what the node has made, in order; further calls change nothing."""
        if self.state == ACTIVE and self._configured:
            self.deactivate()
        self._give_up()

    # Transitions, as rclpy calls them.

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Check and make everything."""
        before, failure = set(map(id, self._all_entities())), None
        self._building = True
        try:
            self.configure()
        except Exception as error:  # whatever it is: the process goes on where it is managed
            failure = error
        self._building = False
        self._entities = [x for x in self._all_entities() if id(x) not in before]
        if failure is not None:
            self._give_up()
            return self._failed("configured", failure)
        self._configured, self._failure = True, None
        for timer in self._own_timers():
            timer.cancel()
        return SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to act."""
        try:
            self.activate()
        except Exception as error:
            return self._failed("activated", error)
        self._failure = None
        for timer in self._own_timers():
            timer.reset()
        return SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop acting."""
        return self._made(self._rest)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give up the configuration, as after an error in a transition."""
        return self._made(self._give_up)

    on_error = on_cleanup

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop acting, and give up the configuration for good."""
        steps = (self._rest, self._give_up) if state.label == ACTIVE else (self._give_up,)
        return self._made(*steps)

    def _made(self, *steps: Callable[[], None]) -> TransitionCallbackReturn:
        """Take the steps of a transition; an error, of which rclpy says nothing, is noted."""
        try:
            for step in steps:
                step()
        except Exception as error:
            OUTLIVED.note(error)
            return TransitionCallbackReturn.ERROR
        return SUCCESS

    def _rest(self) -> None:
        """Stop acting."""
        for timer in self._own_timers():
            timer.cancel()
        self.deactivate()

    async def _on_change_state(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        """Make a transition, once nothing is in progress where it leads out of the active state."""
        response.success = False
        if refusal := self._refusal(request):
            self.get_logger().warning(refusal)
            return response
        if self.state == ACTIVE and not await self._left():
            return response
        try:
            self._rclpy_change_state(request, response)
        except rclpy_implementation.RCLError as error:
            self.get_logger().error(f"No transition: {error}")
        finally:
            self._leaving = False
        self.get_logger().info(f"The node is {self.state}.")
        self._tell()
        return response

    def _refusal(self, request: ChangeState.Request) -> str:
        """Say why a transition is not made; empty if it may be."""
        asked = request.transition
        if self._leaving:
            return "A transition is in progress: what was in progress before comes to its end."
        possible = {x[1]: x[0] for x in self._state_machine.available_transitions}
        if asked.label in possible or (not asked.label and asked.id in possible.values()):
            return ""
        return (
            f"No transition '{asked.label or asked.id}' from the state {self.state}; from here: "
            f"{', '.join(possible)}."
        )

    async def _left(self) -> bool:
        """Have what is in progress come to its end; return whether it has."""
        self._leaving = True
        try:
            await self.leave()
            rested = await until(self, lambda: not self._in_progress, PATIENCE)
            why = f"after {PATIENCE:g} s something is in progress still."
        except Exception as error:
            rested, why = False, refusal_sentence(error)
        if not rested:
            self._leaving = False
            self.get_logger().error(f"Not deactivated: {why}")
        return rested

    # Bookkeeping.

    @contextmanager
    def _progress(self) -> Iterator[None]:
        """Count what is in progress."""
        self._in_progress += 1
        try:
            yield
        finally:
            self._in_progress -= 1

    def _guarded(self, callback: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        """Return a service's callback that answers false unless the node is active."""

        async def answer(request: Any, response: Any) -> Any:
            if self.inactivity:
                response.success, response.message = False, self.inactivity
                return response
            with self._progress():
                answered = callback(request, response)
                return await answered if inspect.isawaitable(answered) else answered

        return answer

    def _failed(self, what: str, error: Exception) -> TransitionCallbackReturn:
        """Note why a transition was not made."""
        self._failure = error
        if not self._starting:
            self.get_logger().error(f"Not {what}: {refusal_sentence(error)}")
        return FAILURE

    def _give_up(self) -> None:
        """End and destroy all that `configure` has made."""
        self._configured = False
        self.resources.close()
        entities, self._entities = self._entities, []
        for entity in entities:
            if isinstance(entity, (ActionServer, ActionClient)):
                entity.destroy()
        for destroy in (self.destroy_timer, self.destroy_subscription, self.destroy_publisher,
                        self.destroy_client, self.destroy_service):  # fmt: skip
            for entity in entities:
                destroy(entity)

    def _all_entities(self) -> Iterator[Any]:
        """Return what an executor serves of the node, and its publishers."""
        for kind in ("timers", "subscriptions", "publishers", "clients", "services", "waitables"):
            yield from getattr(self, kind)

    def _own_timers(self) -> list[Any]:
        """Return the timers that `configure` has made and that are still there."""
        timers = list(self.timers)
        return [x for x in self._entities if any(x is timer for timer in timers)]

    @property
    def _full_name(self) -> str:
        return str(self.get_fully_qualified_name())

    def _hardware(self) -> str:
        """Return the robot's name; empty before the node is configured."""
        return self.robot.name if self._configured else ""

    def _judged(self) -> Condition:
        """Judge the node, in whatever state it is."""
        state = self.state
        if state == ACTIVE:
            found = self.condition()
            return Condition(found.level, found.sentence, {LIFECYCLE: state, **found.figures})
        level, sentence = Level.STALE, self.inactivity
        if self._failure is not None:
            level, sentence = Level.ERROR, f"{refusal_sentence(self._failure)} {sentence}"
        return Condition(level, sentence, {LIFECYCLE: state})
