"""Runs with known weights: the material of an arm's history, made by certified motions.

In groups: somebody puts a weight on and says so, the arm makes some short motions, each planned and
certified from where the arm stands, for that weight and all that the prior allows. What moves the
arm is the planner; here is only asked and recorded. Every run is on disk before anything is
computed from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
from payload_id_msgs.msg import ExcitationGoal

from ...core.arrays import Array
from ...core.body.inertial import PARAMETERS
from ...core.body.payload_prior import PayloadPrior
from ...core.body.weight_in_box import weight_in_box
from ...core.errors import InputError, PayloadIdError, RecordingError
from ...core.history import KnownLoad
from ...core.identification.identify import identify
from ...core.identification.status import Status
from ...files.recordings.known_runs import LIST, KnownRecording, write_known_runs
from ...files.recordings.recording import Recording
from ...files.robots.robot_model import RobotModel
from ..common.timeouts import SOLVED
from .payload_client import PayloadClient
from .planner_setup import PlannerSetup
from .run_recorder import recorded
from .waiting import NotAnsweredError
from .wanted_runs import Wanted, made_before, require_unchanged, weight_name

STANDING = 1.0  # [s] of joint states at rest that are recorded before a new weight is moved
PATIENCE = 10.0  # [s] that they are waited for
PRESENT = 0.8  # part of a run's time that its joint states must cover
LONGEST_STEP = 0.1  # [s] between joint states that cover the time between them
LONGEST_RUN = 3600.0  # [s] including pauses on the path that somebody asked for

# Asks for a weight [kg] (0: none) and waits until it is on; False: end here.
PutOn = Callable[[float], bool]
Say = Callable[[str], object]


class SessionEndedError(PayloadIdError, RuntimeError):
    """The session has ended before its last run; what was made is kept."""


class KnownRuns:
    """A session: asks for weights, has the arm moved, keeps the runs.

    Attributes:
        setup: What the planner works with.
        path: The list of the runs, as `payload-id calibrate history --runs` reads it.
        runs: Made so far, earlier sessions in the same folder included.
    """

    def __init__(
        self,
        client: PayloadClient,
        folder: Path,
        wanted: Wanted,
        put_on: PutOn,
        say: Say,
    ) -> None:
        """Find the planner, and what the folder holds already.

        Args:
            client: Of that planner.
            folder: Where runs are kept; a session that was interrupted there is continued.
            wanted: All runs, those that were made included.
            put_on: Asks for a weight.
            say: Takes a line about what happens.

        Raises:
            NotAnsweredError: There is no planner.
            ConfigurationError: It does not know the payload's box.
            InputError: The folder holds other runs.
        """
        self.setup = PlannerSetup.of(client.node, client.planner, SOLVED)
        self._client = client
        client.wait_until_ready(SOLVED, planner=True)
        self._model = RobotModel.from_robot_file(replace(self.setup.robot, history=None))
        self._folder, self._wanted, self._put_on, self._say = folder, wanted, put_on, say
        self.path = folder / LIST
        self.runs = made_before(self.path, wanted)

    def make(self) -> None:
        """Make all runs that are missing.

        Raises:
            SessionEndedError: It ended before; says why, and what is kept.
        """
        try:
            self._make_missing()
        except PayloadIdError as error:
            raise SessionEndedError(f"{error} {self.kept()}") from error

    def kept(self) -> str:
        """Return a sentence about the runs that were made."""
        count, wanted = len(self.runs), len(self._wanted.masses)
        if not count:
            return "No run was made."
        if count == wanted:
            return f"All {count} runs are in {self.path}."
        return f"{count} of {wanted} runs are in {self.path}; the same command makes the others."

    def _make_missing(self) -> None:
        """Make one run after the other; ask before each other weight, and first of all."""
        first = len(self.runs)
        for number in range(first, len(self._wanted.masses)):
            mass = self._wanted.masses[number]
            if number == first or number in self._wanted.changes:
                if not self._put_on(mass):
                    raise InputError(f"Ended before run {number + 1}, as asked for.")
                self._judge_at_rest(mass)
            self._make_run(number, mass)

    def _judge_at_rest(self, mass: float) -> None:
        """Raise if the torques at rest say that another weight is on: nothing moves then."""
        end = time.monotonic() + PATIENCE
        with self._recorded(mass, "_standing") as (path, received):
            while _covered(1e-9 * np.array(received)) < STANDING and time.monotonic() < end:
                time.sleep(LONGEST_STEP)
        self._check(self._read(path, 0.5 * STANDING), mass)

    def _make_run(self, number: int, mass: float) -> None:
        """Plan, execute and record one run; list it if it can be used."""
        wanted = self._wanted
        lower, upper = self._certified(mass)
        plan = self._client.plan(
            LONGEST_RUN,
            duration=wanted.duration,
            speed_scale=wanted.speed_scale,
            seed=wanted.seed + number,
            intervals=ExcitationGoal.INTERVALS_GIVEN,
            phi_lower=lower.tolist(),
            phi_upper=upper.tolist(),
        )
        with self._recorded(mass) as (path, _):
            asker = "payload-id calibrate record"
            result = self._client.execute(plan, LONGEST_RUN, requested_by=asker)
        if not result.success:
            raise NotAnsweredError(f"Run {number + 1} was not completed: {result.message}")
        self._check(self._read(path, plan.duration), mass)
        require_unchanged(self.path, self.runs)
        self.runs += (KnownRecording(path, KnownLoad.of_mass(mass)),)
        remarks = [
            "Runs with known weights, by payload-id calibrate record.",
            f"Arm: {self.setup.robot.path}",
        ]
        write_known_runs(self.path, self.runs, remarks)
        self._say(
            f"  run {number + 1} of {len(wanted.masses)}: {plan.planning_seconds:.1f} s planned, "
            f"{plan.duration:.1f} s moved, with at most {max(plan.peak_velocity_percent):.0f} % of "
            f"speeds and {max(plan.peak_torque_percent):.0f} % of torques in '{plan.limits}'"
        )

    def _recorded(
        self, mass: float, suffix: str = ""
    ) -> AbstractContextManager[tuple[Path, list[int]]]:
        """Return what records meanwhile, in a place of its own: no two sessions make one name."""
        name = weight_name(mass).replace(" ", "_")
        place = self._folder / f"{datetime.now():%Y%m%d_%H%M%S}_{name}{suffix}"
        setup = self.setup
        return recorded(self._client.node, setup.robot, setup.topic, place, setup.reliability)

    def _payload(self, mass: float) -> tuple[Array, Array]:
        """Return the intervals of a weight somewhere in the payload's box, shape (10,) each."""
        error = self._wanted.tolerance * mass
        return weight_in_box((mass - error, mass + error), *self.setup.box)

    def _certified(self, mass: float) -> tuple[Array, Array]:
        """Return the intervals that motions are certified for, shape (10,) each.

        They hold the prior, too: motions are as those for payloads that are not known, and their
        certificates hold if another weight is on that the prior allows.
        """
        lower, upper = self._payload(mass)
        least, largest = self.setup.uncertainty.prior.box()
        return np.minimum(lower, least), np.maximum(upper, largest)

    def _read(self, path: Path, seconds: float) -> Recording:
        """Return a recording that holds at least so many seconds [s].

        Raises:
            RecordingError: It cannot be used.
        """
        recording = Recording.of_robot(path, self.setup.robot, self.setup.topic)
        covered = _covered(recording.stamp)
        if covered < PRESENT * seconds:
            raise RecordingError(
                f"Joint states without gaps above {LONGEST_STEP:g} s cover {covered:.1f} s of the "
                f"{seconds:.1f} s in {path}: some were lost, or came too rarely."
            )
        return recording

    def _check(self, recording: Recording, mass: float) -> None:
        """Raise if no weight of this mass in the payload's box explains a recording.

        Raises:
            InputError: Another weight is on, or a bound is not true.
        """
        lower, upper = self._payload(mass)
        stated = self.setup.uncertainty
        farthest = float(np.linalg.norm(np.abs(self.setup.box).max(axis=0)))
        prior = PayloadPrior(
            max(stated.prior.mass_max, upper[0]), max(stated.prior.com_max, farthest)
        )
        found = identify(recording, self._model, replace(stated, prior=prior))
        end = (
            f"Stated is {weight_name(mass)}, within the planner's payload_box: either another "
            "weight is on, or a bound in the robot file or the planner's parameters is not true."
        )
        if found.status is Status.INCONSISTENT:
            raise InputError(f"{recording.source}: {found.message} {end}")
        apart = (found.lower > upper) | (found.upper < lower)
        if apart.any():
            k = int(np.argmax(apart))
            raise InputError(
                f"By the torques of {recording.source}, {PARAMETERS[k]} is from "
                f"{found.lower[k]:.3g} to {found.upper[k]:.3g}, not from {lower[k]:.3g} to "
                f"{upper[k]:.3g}. {end}"
            )


def _covered(stamps: Array) -> float:
    """Return the time that joint states cover, without what lies in gaps between them [s]."""
    steps = np.diff(stamps)
    return float(steps[steps <= LONGEST_STEP].sum())
