"""Which of two controllers has the arm, as far as is known, and which one is to have it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .switch_request import SwitchRequest

ACTIVE, ABSENT = "active", "not loaded"
AGAIN = 0.5  # [s] between two requests
LATE = 0.2  # [s] by which activity may come later than the answer


class ControllerSwitcher:
    """Has a torque controller take the arm for a motion, and its resting controller take it back.

    A request that was given up may be carried out late, an answer be lost, activity be of before a
    switch, and torques be given up for nothing. So the arm may be the torque controller's from the
    first request on, until the manager has answered a request to give it back and its activity does
    not say otherwise. The torque controller must have its torques as long as that.

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
        self._asked_for_torques = False  # by the last request
        self._was_refused = False  # that one
        self._is_doubted = False  # whether activity has said otherwise than an answer
        self._turned_at = -np.inf  # when what is wanted now was first asked for [s]
        self._sure_at: float | None = None  # when activity of after its answer is known [s]
        self._next_try = -np.inf
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
        if self.wanted and self._of(self._torques) == ACTIVE and self._sure_at is not None:
            self._sure_at = -np.inf  # activity has come as far as the answer

    def hear(self, now: float) -> str:
        """Take in the manager's answer; return why it has not switched, empty if it has."""
        answer = self._request.answer()
        if answer is None:
            return ""
        done, words = answer
        if done:
            self.has_arm |= self._asked_for_torques
            self._next_try, self._sure_at = -np.inf, now + LATE
            return ""
        if self._asked_for_torques:
            self._next_try = -np.inf
        self._was_refused = True
        return f"{self._manager} did not switch controllers: {words or 'no words'}"

    def lost(self, now: float) -> str:
        """Return what the torque controller is instead of active; empty if it is, or may be."""
        is_known = self._is_sure(now) and self._seen_at > self._turned_at
        if not self.wanted or not is_known or self._of(self._torques) == ACTIVE:
            return ""
        return self._of(self._torques)

    def settle(self, now: float) -> str:
        """See whether the arm is back; return why not where the manager says so wrongly."""
        if self.wanted or self._asked_for_torques or self._sure_at is None or self._request.waits:
            return ""
        torques, resting = self._of(self._torques), self._of(self._resting)
        agrees = not self._states or (torques != ACTIVE and resting == ACTIVE)
        if agrees and (self._seen_at > self._turned_at or self._is_sure(now)):
            self.may_have_arm = self.has_arm = self._is_doubted = False
            self._sure_at, self.way_back = None, ""
        elif self._is_sure(now):
            self._sure_at, self._next_try = None, now
            if self._is_doubted:  # activity is not just late
                self._next_try += AGAIN
                self.way_back = (
                    f"{self._manager} has answered that '{self._resting}' has the arm again, but "
                    f"shows it as {resting}, and '{self._torques}' as {torques}"
                )
            self._is_doubted = True
            return self.way_back
        return ""

    def ask(self, now: float, is_ready: bool) -> None:
        """Ask for what is wanted, if it is time to.

        Args:
            now: The time [s].
            is_ready: Whether there are torques, without which nothing takes the arm.
        """
        if now < self._next_try:
            return
        waits = self._request.waits
        if self.wanted and is_ready and not self.has_arm and not waits:
            self._ask(self._torques, self._resting, True, now)
        elif not self.wanted and self.may_have_arm:
            answered = self._sure_at is not None
            if self._asked_for_torques or not (waits or answered):
                self._ask(self._resting, self._torques, self._can_be_strict(), now)

    def _ask(self, activate: str, deactivate: str, strict: bool, now: float) -> None:
        """Ask for one controller in place of another one."""
        if self._asked_for_torques is not self.wanted:
            self._turned_at = now
        self._asked_for_torques, self.may_have_arm = self.wanted, True
        self._sure_at, self._was_refused = None, False
        self._next_try = now + AGAIN
        self._request.ask(activate, deactivate, strict)

    def _can_be_strict(self) -> bool:
        """Tell whether torques are given up only where the resting controller takes the arm.

        Not where they may not have it, or have lost it: then that would be refused for ever.
        """
        if not self._states:
            return self.has_arm and not self._was_refused
        return self.has_arm and self._of(self._torques) == ACTIVE

    def _is_sure(self, now: float) -> bool:
        """Tell whether activity of after the last answer is known, if there is any."""
        return self._sure_at is not None and now >= self._sure_at and not self._request.waits

    def _of(self, controller: str) -> str:
        """Return the state of a controller, by activity."""
        return self._states.get(controller, ABSENT)
