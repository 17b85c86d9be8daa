"""Which of two controllers has the arm, as far as is known, and which one is to have it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .switch_request import SwitchRequest

ACTIVE, ABSENT = "active", "not loaded"
AGAIN = 0.5  # [s] between two requests to give the arm back
LATE = 0.2  # [s] by which activity may come later than the answer


class ControllerSwitcher:
    """Has a torque controller take the arm for a motion, and its resting controller take it back.

    From the first request on the torque controller may have the arm, and must have its torques,
    until the manager has answered a request to give it back and its activity agrees.

    Attributes:
        wanted: Whether the torque controller is to have the arm.
        may_have_arm: Whether it may.
        has_arm: Whether it does, as the manager has answered.
        way_back: Why the arm is not given back, though the manager says so; else empty.
    """

    def __init__(self, request: SwitchRequest, manager: str, torques: str, resting: str) -> None:
        """The resting controller has the arm.

        Args:
            request: Asks the controller manager.
            manager: Full name of its node.
            torques: The torque controller.
            resting: The resting controller.
        """
        self._request, self._manager = request, manager
        self._torques, self._resting = torques, resting
        self.wanted = self.may_have_arm = self.has_arm = False
        self.way_back = ""
        self._asked_for_torques = self._was_refused = False  # by the last request; the last one
        self._asked_at = self._next_try = -np.inf  # [s]
        self._done_at: float | None = None  # when the last request was answered as done [s]
        self._states: Mapping[str, str] = {}  # of controllers, by activity, ...
        self._seen_at = -np.inf  # ... and when that came [s]

    @property
    def is_settled(self) -> bool:
        """Whether the resting controller has the arm, and nothing is asked."""
        return not self.may_have_arm and not self._request.waits

    def want(self, torques: bool) -> None:
        """Have the torque controller take the arm, or give it back, without delay."""
        self.wanted, self._next_try = torques, -np.inf

    def see(self, states: Mapping[str, str], now: float) -> None:
        """Take in the states of controllers, by activity that comes now [s]."""
        self._states, self._seen_at = states, now
        if self.wanted and self._of(self._torques) == ACTIVE and self._done_at is not None:
            self._done_at = now - LATE  # activity has come as far as the answer

    def hear(self, now: float) -> str:
        """Take in the manager's answer; return why it has not switched, empty if it has."""
        answer = self._request.answer()
        if answer is None:
            return ""
        done, words = answer
        self._was_refused = not done
        if done:
            self.has_arm |= self._asked_for_torques
            self._done_at = now
            return ""
        return f"{self._manager} did not switch controllers: {words or 'no words'}"

    def lost(self, now: float) -> str:
        """Return what the torque controller is instead of active; empty if it is, or may be."""
        is_known = self.has_arm and self._is_told(now) and self._seen_at > self._asked_at
        if not self.wanted or not is_known or self._of(self._torques) == ACTIVE:
            return ""
        return self._of(self._torques)

    def settle(self, now: float) -> str:
        """See whether the arm is back; return why not where the manager says so wrongly."""
        if self.wanted or self._asked_for_torques or self._done_at is None:
            return ""
        torques, resting = self._of(self._torques), self._of(self._resting)
        agrees = not self._states or (torques != ACTIVE and resting == ACTIVE)
        if agrees and (self._seen_at > self._asked_at or self._is_told(now)):
            self.may_have_arm = self.has_arm = False
            self._done_at, self.way_back = None, ""
        elif self._is_told(now):
            self._done_at, self._next_try = None, now + AGAIN
            self.way_back = (
                f"{self._manager} has answered that '{self._resting}' has the arm again, but shows "
                f"it as {resting}, and '{self._torques}' as {torques}"
            )
            return self.way_back
        return ""

    def ask(self, now: float, is_ready: bool) -> None:
        """Ask for what is wanted, if it is time to.

        Args:
            now: The time [s].
            is_ready: Whether there are torques, without which nothing takes the arm.
        """
        if self.wanted:
            if is_ready and not self.may_have_arm and not self._request.waits:
                self._ask(self._torques, self._resting, True, now)
            return
        is_asked = not self._asked_for_torques and (self._request.waits or self._done_at)
        if self.may_have_arm and not is_asked and now >= self._next_try:
            # Torques are given up only where the resting controller takes the arm; not where they
            # may not have it, or that was refused: it would be refused for ever.
            lost = bool(self._states) and self._of(self._torques) != ACTIVE
            strict = self.has_arm and not self._was_refused and not lost
            self._ask(self._resting, self._torques, strict, now)
            self._next_try = now + AGAIN

    def _ask(self, activate: str, deactivate: str, strict: bool, now: float) -> None:
        """Ask for one controller in place of another one."""
        self._asked_for_torques, self.may_have_arm = self.wanted, True
        self._asked_at, self._done_at, self._was_refused = now, None, False
        self._request.ask(activate, deactivate, strict)

    def _is_told(self, now: float) -> bool:
        """Tell whether activity of after the last answer is known, if there is any."""
        return self._done_at is not None and now >= self._done_at + LATE

    def _of(self, controller: str) -> str:
        """Return the state of a controller, by activity."""
        return self._states.get(controller, ABSENT)
