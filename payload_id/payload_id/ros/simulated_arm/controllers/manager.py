"""controller_manager: which controllers run, and what they claim.

Source: ros-controls/ros2_control@9ffbf97, controller_manager.cpp; its words are the real one's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller_manager_msgs.srv import SwitchController

from .controller import Command, Controller, Cycle, UpdateError

STRICT = SwitchController.Request.STRICT
NOTHING = "After checking the controllers, no controllers need to be activated or deactivated."
SWITCHED = "Successfully switched controllers!"


class ControllerManager:
    """Runs controllers, and switches them.

    Attributes:
        controllers: All that are loaded, by name.
        commands: Command interfaces that the driver offers, such as joint_1/position.
        states: Its state interfaces.
    """

    def __init__(
        self,
        controllers: Sequence[Controller],
        commands: Sequence[str],
        states: Sequence[str],
        warn: Callable[[str], object],
    ) -> None:
        """Load controllers, none of them active.

        Args:
            controllers: Them.
            commands: Command interfaces that the driver offers, such as joint_1/position.
            states: Its state interfaces.
            warn: Called with a sentence when a controller cannot go on.
        """
        self.controllers = {x.name: x for x in controllers}
        self.commands, self.states, self._warn = tuple(commands), tuple(states), warn
        self._told: list[Command] = []  # by controllers that began or ended

    def claimed(self) -> set[str]:
        """Return the command interfaces that somebody uses."""
        return {x for each in self.controllers.values() if each.active for x in each.claims}

    def switch(
        self,
        activate: Sequence[str],
        deactivate: Sequence[str],
        strictness: int = 0,
    ) -> tuple[bool, str]:
        """Deactivate some controllers, and activate others.

        Returns:
            ok: Whether it was done, or nothing had to be.
            message: The manager's words.
        """
        strict = strictness == STRICT  # everything else is best effort
        if unknown := (
            self._unknown("deactivate", deactivate, strict)
            or self._unknown("activate", activate, strict)
        ):
            return False, unknown
        off, on = self._loaded(deactivate), self._loaded(activate)
        if strict and (refused := _as_they_are(on, off)):
            return False, refused
        off = [x for x in off if x.active]
        on = [x for x in on if x in off or not x.active]
        if trouble := self._unavailable(on, off):
            return False, trouble
        told = [x.deactivate() for x in off] + [x.activate() for x in on]
        self._told += filter(None, told)
        return True, SWITCHED if told else NOTHING

    def update(self, cycle: Cycle) -> list[Command]:
        """Let all controllers that run take in one cycle; return what the drives are told."""
        told, self._told = self._told, []
        for each in self.controllers.values():
            if not each.active:
                continue
            try:
                command = each.update(cycle)
            except UpdateError as error:
                self._warn(f"Deactivating controller '{each.name}' as its update failed: {error}")
                command = each.deactivate()
            if command is not None:
                told.append(command)
        return told

    def _loaded(self, names: Sequence[str]) -> list[Controller]:
        """Return controllers by their names, those that are loaded."""
        return [self.controllers[x] for x in names if x in self.controllers]

    def _unknown(self, verb: str, names: Sequence[str], strict: bool) -> str:
        """Say which controllers are not loaded; empty: all are, or enough of them are."""
        said = [
            f"Could not {verb} controller with name '{name}' because no controller with this name "
            "exists"
            for name in names
            if name not in self.controllers
        ]
        if strict and said:
            return said[0]
        return "\n".join([*said, ""]) if said and len(said) == len(names) else ""

    def _unavailable(self, on: Sequence[Controller], off: Sequence[Controller]) -> str:
        """Say what a controller cannot claim; empty if they can claim all."""
        freed = {name for x in off for name in x.claims}
        taken = self.claimed() - freed
        for each in [x for x in on if x not in off]:
            for name in each.claims:
                if name not in self.commands:
                    what = "is not available"
                elif name in taken:
                    what = "is currently claimed by another controller"
                else:
                    continue
                return (
                    f"Unable to activate controller '{each.name}' since the command interface "
                    f"'{name}' {what}."
                )
            taken |= set(each.claims)
        return ""


def _as_they_are(on: Sequence[Controller], off: Sequence[Controller]) -> str:
    """Say which controllers are as they are to be already; empty if none is."""
    for each in on:
        if each.active and each not in off:
            return f"Controller with name '{each.name}' is already active."
    for each in off:
        if not each.active:
            return (
                f"Controller with name '{each.name}' can not be deactivated since it is not active."
            )
    return ""
