"""The work on a fleet's recordings: what is missing is handed out, what comes back is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from ..core.errors import PayloadIdError
from ..core.version import VERSION
from ..files.configuration.atomic_write import exclusive_lock
from ..files.fleet.fleet_table import LOST, UNDATED, FleetTable
from ..files.fleet.manifest import Entry
from .fingerprint import fingerprint
from .identify_recording import Identified, failed, identify_recording, key_of
from .method import Method
from .spread import spread

GONE = (
    "The workers that identified this recording were lost, one after the other: they were killed, "
    "or needed more memory than they have. Run again, with larger workers, or cut the recording."
)


@dataclass(frozen=True)
class FleetJob:
    """One recording, what is said of it, and how it is identified.

    Attributes:
        entry: The recording, and what is said of it.
        method: How.
    """

    entry: Entry
    method: Method

    @property
    def bare(self) -> bool:
        """Whether it is known that the arm carried nothing."""
        return self.entry.known_mass == 0.0

    @property
    def arm(self) -> str:
        """What the arm is called."""
        return self.entry.arm or self.method.robot.name

    @property
    def arguments(self) -> tuple[str, Sequence[str], bool, Method]:
        """What a worker is told."""
        return self.entry.bag, self.entry.tare, self.bare, self.method

    @property
    def lost_key(self) -> str:
        """What names a result that says only that a worker was lost."""
        return LOST + fingerprint((*self.arguments[:3], self.method.digest))[:32]


@dataclass
class Progress:
    """How far the work is.

    Attributes:
        recordings: Number in all.
        kept: Whose result was there already.
        made: Whose result is new.
        lost: That could not be had, or whose workers were lost, now.
        reason: Why, of one of them.
        copies: Of the same content as others.
        verdicts: Number of new rows of each verdict; "error" for those with one.
    """

    recordings: int
    kept: int = 0
    made: int = 0
    lost: int = 0
    reason: str = ""
    copies: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def useless(self) -> bool:
        """Whether no recording could be used, as far as this run knows."""
        return not self.kept and self.verdicts.total() == self.verdicts["error"] > 0

    @property
    def part(self) -> float:
        """The part that is done."""
        done = self.kept + self.made + self.lost + self.copies
        return done / self.recordings if self.recordings else 1.0


def identify_fleet(
    jobs: Sequence[FleetJob],
    table: FleetTable,
    client: Client,
    tell: Callable[[Progress], object] = lambda progress: None,
) -> Progress:
    """Identify from every recording whose result is not there; keep each as it comes.

    What was interrupted goes on where it was: results are named by the content of recording, tares
    and robot file and by the settings. A recording that cannot be used, or that ends its worker,
    has a row that says so; the latter is tried again in the next run.

    Args:
        jobs: One for each recording.
        table: Where results are kept.
        client: Of the cluster.
        tell: Called whenever something is done.

    Raises:
        ConfigurationError: Another run writes into the table's folder.
        OSError: The disk does not take a result.
    """
    with exclusive_lock(table.folder, wait=False):
        table.clear_parts()
        work = _Work(table, client, Progress(len(jobs)), tell)
        work.identify(work.look_up(jobs))
        work.finish()
    return work.progress


class _Work:
    """One run over a fleet.

    Attributes:
        progress: How far it is.
    """

    def __init__(
        self,
        table: FleetTable,
        client: Client,
        progress: Progress,
        tell: Callable[[Progress], object],
    ) -> None:
        """Look at what is there."""
        self.progress = progress
        self._table, self._client, self._tell = table, client, tell
        self._here = table.places()
        self._said = table.said()
        self._jobs: dict[str, list[FleetJob]] = {}  # by key, the first names the recording

    def look_up(self, jobs: Sequence[FleetJob]) -> list[FleetJob]:
        """Take up results that are there; return the jobs without."""
        if not self._here:
            return list(jobs)
        missing = []
        for job, key in self._answers(key_of, jobs):
            if isinstance(key, str) and key in self._here:
                self._take(job, key, "kept")
            else:
                missing.append(job)
        return sorted(missing, key=lambda job: job.entry.bag)

    def identify(self, jobs: Sequence[FleetJob]) -> None:
        """Have workers identify, and keep what they send."""
        for job, answer in self._answers(identify_recording, jobs):
            if isinstance(answer, Identified):
                self._keep(job, answer)
                continue
            self.progress.reason = str(answer)
            row = failed(0, answer) | {"settings": job.method.digest, "software": VERSION}
            row |= {"key": job.lost_key, "tare": list(job.entry.tare)}
            self._keep(job, Identified(job.lost_key, UNDATED, (row,)), "lost")

    def finish(self) -> None:
        """Let every result say of its recording what holds now; remove those that are replaced.

        Results of recordings that were not named stay as they are.
        """
        for key, jobs in self._jobs.items():
            labels, arm = labels_of(jobs), first_of(jobs).arm
            if self._said[key] != (labels, arm):
                self._here[key] = self._table.relabel(self._here[key], labels, arm)
        named = {job.entry.bag for jobs in self._jobs.values() for job in jobs}
        for key, (said, _) in self._said.items():
            if said["bag"] in named and key not in self._jobs:
                self._here[key].unlink()
        self._table.clear_parts()

    def _keep(self, job: FleetJob, answer: Identified, counts_as: str = "made") -> None:
        """Write a result, unless the same content had one already."""
        if answer.key not in self._jobs:
            labels = labels_of([job])
            rows = [labels | row for row in answer.rows]
            self._here[answer.key] = self._table.write(answer.key, job.arm, answer.day, rows)
            self._said[answer.key] = labels, job.arm
            self.progress.verdicts.update(row.get("verdict", "error") for row in rows)
        self._take(job, answer.key, counts_as)

    def _take(self, job: FleetJob, key: str, counts_as: str) -> None:
        """Note that a recording has a result."""
        same = self._jobs.setdefault(key, [])
        same.append(job)
        name = counts_as if len(same) == 1 else "copies"
        setattr(self.progress, name, getattr(self.progress, name) + 1)
        self._tell(self.progress)

    def _answers(
        self, work: Callable[..., Any], jobs: Iterable[FleetJob]
    ) -> Iterator[tuple[FleetJob, Any]]:
        """Yield each job with the answer of a worker, or with the error instead of one."""
        for job, future in spread(self._client, work, jobs, lambda job: job.arguments):
            yield job, answer_of(future)


def answer_of(future: Future) -> Any:
    """Return what a worker found, or the error that kept it from it.

    Whatever goes wrong with one recording is that recording's: the others go on.
    """
    try:
        return future.result()
    except KilledWorker:
        return PayloadIdError(GONE)
    except PayloadIdError as error:
        return error
    except Exception as error:
        return PayloadIdError(f"{type(error).__name__}: {error}")


def first_of(jobs: Sequence[FleetJob]) -> FleetJob:
    """Return the job by which recordings of the same content go: the first in order of names."""
    return min(jobs, key=lambda job: job.entry.bag)


def labels_of(jobs: Sequence[FleetJob]) -> dict[str, Any]:
    """Return what is said of recordings of the same content."""
    first = first_of(jobs).entry
    entries = sorted((job.entry for job in jobs), key=lambda entry: entry.bag)
    return {
        "bag": first.bag,
        "copies": [entry.bag for entry in entries[1:]],
        "payload": first.payload or None,
        "known_mass": first.known_mass,
        "temperature": first.temperature,
    }
