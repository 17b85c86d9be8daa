"""For how long an arm has been seen to stand still, and when it counts as at rest; no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.arrays import Array, BoolArray
from ...core.motion.trajectory import Trajectory
from ...core.safety.tube.tube_watch import position_error
from ...core.samples.stamps import seconds_since
from .clock_watch import FASTEST, LEAP, RECENT
from .silence import STEP

AT_REST = 0.02  # [rad/s or m/s] below which a joint counts as standing still
SETTLED = 0.25  # [s] of joint states in which it must; longer than what a next start looks at
MANY = 200  # places of a motion at which it is looked at where it goes on
SHOWN = 3.0  # times as far from where it was as an arm at rest may seem to move [-]
AGAIN = 2.0  # times the settling that it may take where time is not known [-]
SLOWEST = 5.0  # times as much that it may take where time itself is slow, as a simulation's [-]


@dataclass
class RestWatch:
    """Judges by velocities, and by positions, which tell it where velocities are not measured.

    Attributes:
        continuous: Joints whose position may be reported up to whole turns.
        newest: Stamp of the newest joint states [ns].
        leaps: How often stamps have leapt: back, or ahead of the time that has passed.
    """

    continuous: Sequence[bool]
    newest: int = 0
    leaps: int = 0
    _unseen: float = 0.0  # time without joint states [s]
    _pause: float = 0.0  # the longest one of late between two calls [s], ...
    _pause_age: float = 0.0  # ... and the time since that [s]
    _place: Array | None = None  # where the arm stands; None: it moves
    _since: int = 0  # stamp of the joint states that first showed it there [ns]

    def see(self, stamps: Array, q: Array, dq: Array, passed: float) -> None:
        """Take in joint states: all that have come, and after a pause of this process that is much.

        Args:
            stamps: Shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
            passed: Since the last call, by a clock that nobody sets [s].
        """
        longest = passed >= self._pause or self._pause_age > RECENT
        self._pause, self._pause_age = (
            (passed, 0.0) if longest else (self._pause, self._pause_age + passed)
        )
        self._unseen += passed
        if not len(stamps):
            return
        steps = np.diff(stamps, prepend=self.newest or stamps[0])
        ahead = 1e9 * (LEAP + FASTEST * max(self._unseen, self._pause))
        leapt = np.flatnonzero((steps < -1e9 * LEAP) | (steps > ahead))
        self.newest, self._unseen = int(stamps[-1]), 0.0
        if len(leapt):
            self.leaps += 1
        elif self._place is not None and self._still(self._place, q, dq).all():
            return
        moved = np.flatnonzero(~self._still(q[-1], q, dq))
        first = max(int(moved[-1]) + 1 if len(moved) else 0, int(leapt[-1]) if len(leapt) else 0)
        stands = first < len(stamps)
        self._place = q[-1] if stands else None
        self._since = int(stamps[first]) if stands else self.newest

    def _still(self, place: Array, q: Array, dq: Array) -> BoolArray:
        """Tell which joint states, shape (N, n), show the arm standing at a place, shape (N,)."""
        slow = np.abs(np.nan_to_num(dq)) < AT_REST
        near = np.abs(position_error(place, q, self.continuous)) <= AT_REST * SETTLED
        still: BoolArray = (slow & near).all(axis=1)
        return still

    def restart(self) -> None:
        """Forget for how long it has stood."""
        self._place = None

    @property
    def place(self) -> Array | None:
        """Where the arm stands, shape (n,) [rad or m]; None: it moves, or was not seen."""
        return self._place

    @property
    def moves(self) -> bool:
        """Whether the newest joint states, if there were any, show it in motion."""
        return self.newest > 0 and self._place is None

    @property
    def seconds(self) -> float:
        """For how long the arm has been seen to stand still [s]."""
        return 0.0 if self._place is None else float(seconds_since(self.newest, self._since))


@dataclass
class ComingToRest:
    """When an arm counts as at rest after its motion or a hold, and when it has had time enough.

    Attributes:
        continuous: Joints whose position may be reported up to whole turns.
        reaction: From a command until the controller follows it, at most [s].
        settling: Time that the arm may take to come to rest [s].
        answers_holds: Whether somebody answers that the arm is held; if nobody does, it is believed
            to rest once its motion would have taken it elsewhere.
        arm: What its joint states show.
        ends: Where on its motion a hold ended it [s]; None: none did.
        silence: Longest age of the newest joint states while the arm was to come to rest [s].
        passed: Between the last two looks [s].
    """

    continuous: Sequence[bool]
    reaction: float
    settling: float
    answers_holds: bool
    arm: RestWatch = field(init=False)
    ends: float | None = None
    silence: float = 0.0
    passed: float = 0.0
    _believed: float | None = None  # from when on that a hold ended the motion is believed [s], ...
    _wait: float = 0.0  # ... which is so long after the hold [s], ...
    _unheeded: Trajectory | None = None  # ... and what goes on where nobody heeds it
    _leaps: int = 0  # of stamps, until the arm was to rest or since, ...
    _leapt: float | None = None  # ... and the time after the last since [s]
    _looked: float | None = None  # when the arm was looked at last, by a clock that nobody sets [s]
    _settled: float = 0.0  # for how long it has settled by that clock, but for what was slept [s]
    _before: float = 0.0  # what is left until the motion begins, by the slower clock [s]
    _patience: float = field(init=False)  # for how long it settles where time is not known [s]
    _seen_from_ns: int = 0  # newest stamp when it was to rest, or when some were missing [ns]
    _is_known: bool = True  # whether the time was, when a hold came

    def __post_init__(self) -> None:
        self.arm = RestWatch(self.continuous)
        self._patience = AGAIN * self.settling

    def see(self, stamps: Array, q: Array, dq: Array, steady: float, time: float) -> None:
        """Take in joint states, as `RestWatch.see` does.

        Args:
            stamps: Shape (N,) [ns].
            q: Positions, shape (N, n) [rad or m].
            dq: Velocities, shape (N, n); NaN where not measured [rad/s or m/s].
            steady: The time by a clock that nobody sets [s].
            time: On the motion, now [s].
        """
        self.passed = steady - (steady if self._looked is None else self._looked)
        self._looked, before = steady, self.arm.newest
        self.arm.see(stamps, q, dq, self.passed)
        missing = before and np.diff(stamps, prepend=before).max(initial=0) > 1e9 * SETTLED
        if self.passed > SETTLED or missing:  # what came meanwhile is read at once, or is lost
            self._seen_from_ns = self.arm.newest
        self._before = max(0.0, self._before - self.passed, 0.0 if self.arm.leaps else -time)

    def begin(self) -> None:
        """Look from the newest joint states on for how long the arm stands still."""
        self.arm.restart()
        self._seen_from_ns = self.arm.newest

    def hold(self, time: float, motion: Trajectory, is_known: bool) -> None:
        """Note that the arm is to be held.

        Args:
            time: On its motion [s].
            motion: What it does where it is not held.
            is_known: Whether that time is.
        """
        self.ends, self._leapt = max(time, 0.0), None
        self._believed, self._is_known = self.ends, is_known or self.answers_holds
        if not self.answers_holds:
            self._believed, self._unheeded = _shows(motion, self.ends), motion
        until = self._believed - self.ends if self._is_known else motion.duration
        self._wait = self._before + until
        self._settled, self._patience = 0.0, self._wait + AGAIN * self.settling
        self.begin()

    def go_on(self, left: float) -> None:
        """Note that a hold was refused: the arm goes on with its motion, of which so much is left.

        Args:
            left: Of it [s].
        """
        self.ends = self._believed = self._leapt = None
        self._patience += max(0.0, left)

    def settle(self, start_ns: int, silence: float, slowed: bool) -> None:
        """Let the time pass that the arm takes to come to rest.

        Args:
            start_ns: Stamp of the motion's time 0 [ns].
            silence: Age of the newest joint states [s].
            slowed: Whether a slider may keep the arm from its end.
        """
        self._settled += 0.0 if slowed else min(self.passed, STEP)
        self.silence = max(self.silence, silence)
        if self.arm.leaps > self._leaps:  # times of before do not hold for the stamps of now
            self._leaps, self._leapt = self.arm.leaps, self.newest(start_ns)

    def newest(self, start_ns: int) -> float:
        """Return the newest joint states' time on the motion [s], whose time 0 has a stamp [ns]."""
        return float(seconds_since(self.arm.newest, start_ns))

    def is_over(self, start_ns: int, q: Array, commanded: Trajectory, held: bool) -> bool:
        """Tell whether the arm stands still, and nothing sets it in motion any more.

        Args:
            start_ns: Stamp of the motion's time 0 [ns].
            q: Newest positions, shape (n,) [rad or m].
            commanded: What the arm was told to do.
            held: Whether it is to be held.
        """
        newest, ends = self.newest(start_ns), self._end
        over = newest > 0.0 if held else newest >= commanded.duration
        sure = over if self._is_timed else self._settled >= self._wait
        taken_up = ends is None or newest >= ends + self.reaction
        stands = self.arm.seconds >= SETTLED
        return stands and sure and taken_up and not self._may_follow(q, newest, commanded)

    def is_overdue(self, start_ns: int, time: float, duration: float, is_silent: bool) -> bool:
        """Tell whether the arm has had time enough to come to rest; so its own stamps must say.

        After this process stood still it reads first what has come meanwhile: its time is past
        the end, while the joint states that it reads are of before, or of long after, and those
        between are lost. The arm has its time from there on. Stamps that leap, perhaps again and
        again, or hardly go on, say nothing: then the time that passes counts.

        Args:
            start_ns: Stamp of the motion's time 0 [ns].
            time: On the motion, now [s].
            duration: Of what was commanded [s].
            is_silent: Whether joint states stay away.
        """
        seen_from = float(seconds_since(self._seen_from_ns, start_ns))
        end = duration if self._end is None else self._end
        latest = max(end, seen_from) + self.settling
        if not self._is_timed:
            return self._settled > self._patience
        if self._settled > SLOWEST * self._patience:
            return True
        return time > latest and (self.newest(start_ns) > latest or is_silent)

    @property
    def _end(self) -> float | None:
        """Time on the motion after which a hold ended it [s]; None: none did."""
        return self._believed if self._leapt is None else self._leapt

    @property
    def _is_timed(self) -> bool:
        """Whether the time on the motion is known, by which the arm may set off yet."""
        return self._is_known and not self.arm.leaps

    def _may_follow(self, q: Array, time: float, commanded: Trajectory) -> bool:
        """Tell whether an arm that is to be held may be on its motion yet, where nobody answers.

        Args:
            q: Its positions, shape (n,) [rad or m].
            time: Their time on the motion [s].
            commanded: What was sent before the hold.
        """
        motion = self._unheeded
        if motion is None or self.ends is None or time >= motion.duration:
            return False
        now = np.array([max(time, 0.0)])
        places = [motion.at(now).q, motion.at(np.array([self.ends])).q, commanded.at(now).q]
        off = np.abs(position_error(np.concatenate(places), q, self.continuous)).max(axis=1)
        return bool(off[0] <= off[1:].min())


def _shows(motion: Trajectory, time: float) -> float:
    """Return from when on it shows that a motion is not followed on from a time on [s]."""
    times = np.linspace(time, max(time, motion.duration), MANY)
    q = motion.at(times).q
    away = (np.abs(q - q[0]) > SHOWN * AT_REST * SETTLED).any(axis=1)
    return float(times[np.argmax(away)] if away.any() else times[-1])
