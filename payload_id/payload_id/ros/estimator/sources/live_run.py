"""One identification run after another, fed live: the mathematics plus a run's book-keeping.

It knows neither threads nor nodes; `RunControl` feeds it: see `Run` there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from payload_id_msgs.msg import SampleBlock

from ....core.arm.arm_model import ArmModel
from ....core.arrays import Array
from ....core.bounds import Interval
from ....core.errors import InputError, in_words
from ....core.identification.estimate import Estimate
from ....core.identification.hand_watch import Seen
from ....core.identification.headline import ENOUGH, enough_of
from ....core.identification.held_out import NOTHING_HELD_OUT, Validation
from ....core.identification.online import OnlineIdentifier
from ....core.identification.problem import Problem
from ....core.identification.settings import Settings
from ....core.identification.status import Status
from ....core.knowledge.catalogue import KnownMass
from ....core.knowledge.knowledge import NOTHING, Knowledge
from ....core.rows.joint_torque.momentum import MomentumRows
from ....core.rows.row_block import RowBlock
from ....core.samples.joint_map import JointMap
from ....core.samples.joint_samples import Samples
from ....core.samples.sample_rows import SampleRows
from ....core.samples.stamps import NANOSECONDS, seconds_since
from ....core.samples.watches import WrenchWatch
from ....files.bags.bag_reader import open_bag
from ....files.bags.joint_states_bag import JOINT_STATE
from ....files.robots.robot_file import RobotFile
from ....files.robots.robot_model import RobotModel
from ....files.runs.run_file import RunFile
from ...common.conversions import Report, rows_of, waiting
from ...runs.run_control import NOT_RUNNING

GIVEN_MASS = "the mass given with the run"


@dataclass(frozen=True)
class RunSettings:
    """How a run is identified.

    Attributes:
        identification: Settings of the mathematics.
        update_period: Time of the data between two updates [s].
    """

    identification: Settings
    update_period: float


@dataclass(frozen=True, eq=False)
class Established:
    """What a run has established of arm and payload.

    Attributes:
        source: Makes rows of samples of this arm.
        rows: Of the run, and of what was known of the arm before.
        interval: Bounds on phi.
    """

    source: MomentumRows
    rows: RowBlock
    interval: Interval


@dataclass
class RunRecord:
    """What is noted of one run; `measured`: whether anything was; `watch`: of a wrench."""

    start_ns: int | None = None
    newest_ns: int = 0
    newest_q: Array | None = None
    updated_ns: int = 0
    end_ns: int = 0
    lost: int = 0
    older: int = 0  # samples since the clock was set back
    measured: bool = False
    watch: WrenchWatch = WrenchWatch()
    failure: str = ""
    updates: tuple[int, ...] = ()
    bounds: tuple[Array, ...] = ()
    standing: tuple[int, bool] = (0, False)
    estimate: Estimate | None = field(default=None, repr=False)
    held: tuple[RunRecord, Problem] | None = None  # when it was last known what was in the hand


class LiveRun:
    """Takes in samples and gives estimates; what it did is in `fill_in`.

    This one is of joint torques.

    Attributes:
        block_type: Message that the samples come in.
        model: The arm.
        joint_map: How efforts became torques.
        settings: Settings of the present run.
        on_ended: Is given what fills in the run file of a payload that has left the hand, and since
            when it was held [ns].
    """

    block_type: Any = SampleBlock

    def __init__(
        self, model: ArmModel, joint_map: JointMap, settings: Callable[[], RunSettings]
    ) -> None:
        """Begin the first run.

        Args:
            model: The arm.
            joint_map: How efforts became torques.
            settings: Gives the settings for the next run.
        """
        self.model, self.joint_map, self._settings_now = model, joint_map, settings
        self.on_ended: Callable[[Callable[[RunFile], RunFile], int], object] = lambda *_: None
        self.forget()

    def rows(self, block: Any) -> SampleRows:
        """Return the samples of a block.

        Raises:
            InputError: It is of another arm, or its numbers do not fit each other.
        """
        return rows_of(block, self.model.joints)

    def recorded_topic(self, blocks: str, bag: str) -> str:
        """Return the topic of the samples in the sampler's recording; empty: it has none yet.

        Args:
            blocks: Topic of the blocks.
            bag: The recording; empty: there is none.

        Raises:
            PayloadIdError: The recording cannot be read.
        """
        if not bag:
            return ""
        with open_bag(bag) as opened:
            kinds = opened.types.items()
            return next((str(topic) for topic, kind in kinds if kind == JOINT_STATE), "")

    @property
    def windows(self) -> int:
        """Number of windows in this run."""
        return self._identifier.windows

    @property
    def samples(self) -> int:
        """Number of samples in this run."""
        return self._identifier.samples

    @property
    def lost(self) -> int:
        """Number of samples of this run that were lost on the way."""
        return self._record.lost

    @property
    def tared(self) -> bool:
        """Whether a run without payload is known."""
        return self._identifier.tared

    @property
    def newest_q(self) -> Array | None:
        """Joint positions of the newest sample, shape (n,) [rad or m]."""
        return self._record.newest_q

    def forget(self, running: bool = False) -> None:
        """Begin anew with the settings that hold now; forget a tare too."""
        self.settings = self._settings_now()
        self._identifier = self._identifier_of(self.settings)
        self._record = RunRecord()

    def _identifier_of(self, settings: RunSettings) -> OnlineIdentifier:
        """Return the identification of runs with some settings."""
        return OnlineIdentifier(self.model, settings.identification)

    def begin(self, mass: KnownMass | None = None, enough: Sequence[float] = ()) -> str:
        """Begin a new run; a tare stays in force if the settings are the same. Return a sentence.

        Args:
            mass: The payload's, for this run alone; None: not known.
            enough: How near mass and centre of mass must be known in this run, see `enough_of`;
                empty: as the parameter says.

        Raises:
            InputError: No payload of the prior has this mass, or `enough` cannot be.
        """
        wanted = with_mass(self._settings_now(), mass)
        if len(enough):
            nearer = replace(wanted.identification, enough=enough_of(enough))
            wanted = replace(wanted, identification=nearer)
        tare, kept = self._identifier.known_arm, self.tared
        if wanted != self.settings:
            kept = kept and _but_for_payload(wanted) == _but_for_payload(self.settings)
            identifier = self._identifier_of(wanted)
            if kept:
                identifier.know(tare)
            forgotten = self.tared and not kept
            self.settings, self._identifier = wanted, identifier
        else:
            self._identifier.reset()
            forgotten = False
        self._record = RunRecord()
        known = " with what the tare has taught about the arm" if self.tared else ""
        if mass is not None:
            known += f" and a mass of {mass.mass:g} kg, stated to within {mass.tolerance:g} kg"
        note = " The settings have changed, so the tare was forgotten." if forgotten else ""
        return f"The run has begun{known}.{note}"

    def tare(self) -> tuple[str, None]:
        """Keep this run as knowledge of the arm without payload, and begin anew.

        Raises:
            InputError: There are no data.
        """
        windows = self.windows
        if windows == 0:
            raise InputError(
                "There are no data to tare with: call ~/start, move the arm WITHOUT the payload, "
                "then call ~/tare."
            )
        self._identifier.tare()
        self._record = RunRecord()
        return (
            f"{windows} windows without payload are kept as knowledge of the arm; now grasp the "
            "payload and move in a run (~/start begins one).",
            None,
        )

    def take(self, parts: Sequence[SampleRows], lost: int) -> None:
        """Take in samples, of which some were lost on the way."""
        self._record.lost += lost
        self.add(SampleRows.joined(parts))

    def add(self, rows: SampleRows) -> None:
        """Take in samples; those that are older than ones before belong to no run."""
        record, count = self._record, len(rows)
        back = record.newest_ns - int(rows.stamp_ns.min())
        rows = rows.newer_than(record.newest_ns)
        if len(rows) < count:
            record.older += count - len(rows)
            record.failure = (
                f"The clock of the samples was set back by {back / NANOSECONDS:.6g} s, and "
                f"{record.older} samples since then are left out: call ~/stop, and ~/start for "
                "another run."
            )
        if not len(rows):
            return
        if record.start_ns is None:
            record.start_ns = record.updated_ns = int(rows.stamp_ns[0])
        record.newest_ns = int(rows.stamp_ns[-1])
        self._take_in(rows, seconds_since(rows.stamp_ns, record.start_ns))

    def _take_in(self, rows: SampleRows, stamp: Array) -> None:
        """Hand samples to the identification, with stamps since the run began, shape (N,) [s]."""
        record = self._record
        record.newest_q = rows.q[-1]
        record.measured = record.measured or not self.joint_map.effort_is_zero(rows.tau).all()
        self._identifier.add(Samples(stamp, rows.q, rows.dq, rows.tau))

    @property
    def _seen(self) -> int:
        """Number of windows that the newest update has seen; -1 before the first."""
        return self._record.updates[-1] if self._record.updates else -1

    def is_new(self, at_end: bool = False) -> bool:
        """Return whether there are data that no update has seen; at the end, or no update yet."""
        return self.windows > max(self._seen, 0) or (
            self._seen < 0 and (at_end or self.samples > 0)
        )

    def is_due(self, rested: bool) -> bool:
        """Return whether an update is due.

        Once another payload is in the hand, or may be, it is due at once; the one with the first
        number of it is due after the update period, rested or not.

        Args:
            rested: Whether updates have taken no more than their share of the processor.
        """
        record, (events, doubt) = self._record, self._identifier.standing
        news = events > record.standing[0] or (doubt and not record.standing[1])
        newest = record.estimate
        unknown = events > 0 and newest is not None and newest.status is Status.NO_DATA
        elapsed = (record.newest_ns - record.updated_ns) / NANOSECONDS
        due = news or ((rested or unknown) and elapsed >= self.settings.update_period)
        return due and self.windows > max(self._seen, 0)

    def update(self, callback: Callable[[Report], object] = lambda report: None) -> Report:
        """Solve with all data so far; `callback` learns at once where they are inconsistent."""
        record = self._record
        self._end_payload()
        record.updated_ns = record.newest_ns
        if self.samples and not record.measured:
            return self._report(self._without_measurement())
        record.estimate = self._identifier.update(
            lambda first: callback(self._report(self._with_notes(first)))
        )
        record.updates = (*record.updates, self._identifier.updates[-1])
        record.bounds = (*record.bounds, record.estimate.bounds)
        record.standing = self._identifier.standing
        record.end_ns = record.newest_ns
        if self.settings.identification.hands_free and not record.standing[1]:
            record.held = (replace(record, held=None), self._identifier.present())
        return self._report(self._with_notes(record.estimate))

    def _end_payload(self) -> None:
        """Tell of a payload that has left the hand since the last update."""
        if self._record.held is None:
            return
        (known, problem), events = self._record.held, self._identifier.events
        told, estimate = known.standing[0], known.estimate
        if not 0 < told < len(events) or events[told - 1].seen is Seen.RELEASED or not estimate:
            return
        self._record.held = None
        known.estimate = problem.with_confidence(estimate)
        self.on_ended(lambda run: self.fill_in(run, (known, problem)), self._held_since(estimate))

    def hold_out(self, running: bool) -> tuple[str, None]:
        """Hold out what comes from now on: it counts, and is judged by what went before.

        Raises:
            InputError: There is no run, or no estimate of what went before.
        """
        if not running:
            raise InputError(NOT_RUNNING)
        estimate = self._record.estimate
        if not self.windows:
            raise InputError("There are no data yet that could predict others.")
        if estimate is None or self.is_new():
            raise InputError("There is no estimate yet that could predict other data.")
        self._identifier.hold_out(estimate)
        return f"Held out: what comes after {self.progress()}.", None

    def validate(self) -> tuple[str, Validation]:
        """Say how what was held out agrees with what went before."""
        estimate = self._record.estimate
        found = NOTHING_HELD_OUT if estimate is None else self._identifier.validation(estimate)
        return found.sentence, found

    def conclude(self) -> Report | None:
        """Return the newest estimate with all that is said at a run's end; None without one."""
        record = self._record
        if record.estimate is None or self.is_new():
            return None
        if record.estimate.confidence is None:
            record.estimate = self._identifier.concluded(record.estimate)
        return self._report(self._with_notes(record.estimate))

    def established(self) -> Established | None:
        """Return what is known now, for those who use it; None without joint torques."""
        rows = self._identifier.rows
        if not isinstance(rows, MomentumRows):
            return None
        return Established(rows, *self._identifier.established())

    def told(self, sentence: str, failed: bool = False) -> Report:
        """Return the report that says why there is no estimate; of errors, later ones tell, too."""
        if failed:
            self._record.failure = f"An error left out data of this run: {sentence}"
        estimate = self._waiting(sentence)
        return self._report(
            estimate.with_status(Status.SOLVER_FAILED, sentence) if failed else estimate
        )

    def _waiting(self, sentence: str) -> Estimate:
        """Return the estimate that says that there is none, and why."""
        settings = self.settings.identification
        frame = self.model.payload_frame
        return waiting(sentence, settings.estimator, settings.intervals, frame)

    def _report(self, estimate: Estimate) -> Report:
        """Return an estimate with the stamp of the newest sample."""
        held = self._held_since(estimate)
        return Report(estimate, self._record.newest_ns, held_since_ns=held)

    def _held_since(self, estimate: Estimate) -> int:
        """Return since when an estimate's payload is in the hand [ns]; 0: that is not known."""
        start = self._record.start_ns
        known = start is not None and estimate.since >= 0.0
        return (start or 0) + round(estimate.since * NANOSECONDS) if known else 0

    def progress(self) -> str:
        """Return in words how much data there are."""
        run, tared = self._identifier, ", with a tare" if self.tared else ""
        return f"{run.samples} samples, {run.windows} windows, {run.seconds:.1f} s{tared}"

    def remarks(self, message: str) -> str:
        """Return nothing: the message says all."""
        return ""

    def save(self, folder: Path, entries: Callable[[], RunFile]) -> tuple[Path, str]:
        """Write all that is needed to repeat the run from its bag.

        Args:
            folder: Where to write; made if it does not exist.
            entries: Gives the entries that do not come from the run.

        Returns:
            path: The folder.
            said: What became of a run that was there; empty: there was none.

        Raises:
            PayloadIdError: There is nothing to save, or it cannot be written.
        """
        if not self.windows:
            raise InputError("There is no estimate to save yet: call ~/start and move the arm.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {folder} cannot be made: {in_words(error)}.") from error
        run = self.fill_in(entries())
        kept = run.earlier_run(folder)
        earlier = "" if kept is None else f" The run that was saved there before is now in {kept}."
        return run.save(folder).parent.resolve(), earlier

    def fill_in(self, run: RunFile, earlier: tuple[RunRecord, Problem] | None = None) -> RunFile:
        """Return a run file with the entries that come from the run, up to its last update.

        Args:
            run: With all other entries.
            earlier: As the run was, after an update; None: as it is.
        """
        record, problem = earlier or (self._record, self._identifier.present())
        run = replace(
            run,
            start_ns=record.start_ns,
            end_ns=record.end_ns,
            settings=self.settings.identification,
            updates=record.updates,
            calibration=self.model.calibration,
            history=self.model.history,
            tare=self._identifier.known_arm if self.tared else None,
        )
        last = record.estimate
        return run if last is None else run.with_result(last, record.bounds, problem)

    def _with_notes(self, estimate: Estimate) -> Estimate:
        """Add to the sentence what was lost or failed."""
        notes, status = [estimate.message], estimate.status
        if self.lost:
            notes.append(
                f"{self.lost} samples of this run were lost on the way; the windows that they "
                "would have filled are left out."
            )
        if self._record.failure:
            notes.append(self._record.failure)
            status = Status.SOLVER_FAILED if status is Status.NO_DATA else status
        return estimate.with_status(status, " ".join(note for note in notes if note))

    def _complaint(self) -> str:
        """Say that nothing is measured."""
        return (
            f"Every effort is exactly zero in all {self.samples} samples, so nothing can be "
            "identified. Switch on the driver's effort state interface, or remap the "
            "sampler's joint_states to the topic that carries torques."
        )

    def _without_measurement(self) -> Estimate:
        """Return the estimate that says that nothing is measured."""
        return replace(
            self._waiting(self._complaint()),
            status=Status.NO_DATA,
            samples=self.samples,
            windows=self.windows,
            seconds=self._identifier.seconds,
        )


def torque_run(
    robot: RobotFile, sensor_frame: str, uncertainty: str, settings: Callable[[], RunSettings]
) -> LiveRun:
    """Return runs of the torques that a robot measures; there is no further sensor."""
    return LiveRun(RobotModel.from_robot_file(robot), robot.joint_map(), settings)


def with_mass(settings: RunSettings, mass: KnownMass | None) -> RunSettings:
    """Return settings with the payload's mass as further knowledge.

    Raises:
        InputError: The mass is impossible, or the knowledge states one under the same name.
    """
    if mass is None:
        return settings
    stated = Knowledge((mass.statement(GIVEN_MASS),))
    known = settings.identification.knowledge.with_more(stated)
    return replace(settings, identification=replace(settings.identification, knowledge=known))


def _but_for_payload(settings: RunSettings) -> RunSettings:
    """Return settings without what is stated and asked of the payload, which no tare rests on."""
    of_arm = replace(settings.identification, knowledge=NOTHING, enough=ENOUGH)
    return replace(settings, identification=of_arm)
