"""Pauses at every moment of a receding horizon whose bridge hears, proves and tells with delay."""

from __future__ import annotations

import numpy as np
import pytest
from test_horizon_execution import Pieces, Planner

from numeric_arm import HOME, TICK, Arm
from payload_id.core.excitation.receding_horizon import Settings
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.planner.bridge_link import FollowedMotion
from payload_id.ros.planner.horizon_execution import HorizonExecution

PIECES, HANDOVER = 3, 1.5
HEARD, PROVED = 0.03, 0.25  # [s] that a message takes, and a proof
NEXT_STOP = 0.25  # [s] between two certified stops
COMES_TO_REST = 1.2  # [s] that the way to a stop, the stop and settling take at most, beside that


class LateBridge(Pieces):
    """Plays a bridge at the end of a slow line."""

    def __init__(self, arm):
        super().__init__(arm)
        self.sent, self.proved, self.followed_pieces = [], {}, []
        self.moving = None  # whether it has begun to follow the newest motion

    def later(self, seconds, what):
        self.sent.append((self.arm.time + seconds, len(self.sent), what))

    def begin(self, index, motion, documents):
        self.followed = followed = FollowedMotion(str(index), motion)
        self.execution = self.arm.held = None
        self.later(HEARD + PROVED, lambda: self._hand_over(index, motion, followed))
        return followed

    def _hand_over(self, index, motion, followed):
        if followed.done:
            return
        followed.hand_over()

        def move():
            self.execution = self.arm.begin(motion)
            self.followed_pieces.append(index)

        self.later(HEARD, move)

    def prepare(self, index, documents):
        self.prepared.append(index)
        self.proved[index] = self.arm.time + HEARD + PROVED

    def extend(self, followed, index, motion, after):
        before, followed.motion, followed.continuing = followed.motion, motion, True

        def take_over():
            execution = self.execution
            if execution is not None and execution.extend(motion, self.arm.now_ns):
                self.followed_pieces.append(index)
                self.later(HEARD, lambda: setattr(followed, "continuing", False))
            else:
                self.later(HEARD, refused)

        def refused():
            followed.motion = before
            if followed.continuing:
                followed.do_not_continue("It came too late.")

        self.later(max(0.0, self.proved[index] - self.arm.time) + HEARD, take_over)

    def pause(self):
        self.later(HEARD, lambda: self.execution and self.execution.pause(self.arm.now_ns))

    def tell(self):
        ended = self.execution.done and not self.followed.done
        super().tell()
        if ended and not self.execution.begun:  # it was held before it moved
            self.followed_pieces.pop()

    def tick(self):
        if self.execution is None:
            self.arm.time += TICK
        else:
            self.arm.tick(self.execution)
            if round(self.arm.time / TICK) % 10 == 0 or self.execution.done:
                self.tell()
        for entry in sorted(x for x in self.sent if x[0] <= self.arm.time):
            self.sent.remove(entry)
            entry[2]()


def rested_after_pause(moment, not_moving=()):
    """Pause at a moment [s], resume; return when it rested, the run and its bridge."""
    arm = Arm()
    bridge = LateBridge(arm)
    rules = Settings(handover=HANDOVER, pieces=PIECES)
    planner = Planner(not_moving=not_moving)
    run = HorizonExecution.of(rules, HOME, planner.ask, bridge, "", 1.0, 0.4, PROVED)
    asked, rested = False, None
    for _ in range(3000):
        run.advance(arm.now_ns)
        if run.done:
            return rested, run, bridge
        if not asked and arm.time >= moment:
            asked = run.pause(arm.now_ns)
            assert asked, f"no pause is possible at {arm.time:.2f} s"
        if run.paused and rested is None:
            rested = arm.time
            for _ in range(30):
                bridge.tick()
                run.advance(arm.now_ns)
            assert run.paused and not run.done
            run.resume(arm.commands[-1].q[-1] if arm.commands else HOME)
        bridge.tick()
    raise AssertionError(f"a pause at {moment:.2f} s leaves a run that does not end")


@pytest.mark.slow
@pytest.mark.parametrize("begin", [0.0, 0.17])
def test_whatever_the_moment_the_arm_rests_soon_and_all_pieces_follow(begin):
    for moment in np.arange(-0.3 + begin, 3 * HANDOVER, 0.7):
        rested, run, bridge = rested_after_pause(moment)
        assert rested is not None, f"the pause at {moment:.2f} s is lost"
        assert run.reason[0] is Reason.PIECES_DONE
        assert len(run.condition_numbers) == len(bridge.followed_pieces) == PIECES
        if moment < 2 * HANDOVER:  # later there are no stops: the last piece ends where it ends
            assert rested - moment < 3 * NEXT_STOP + COMES_TO_REST, f"{moment:.2f} s"
