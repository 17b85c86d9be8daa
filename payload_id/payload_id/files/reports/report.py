"""The report of a run: everything that a person reads, as plain values, before it is set."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...core.diagnosis import sensitivity_in_words
from ...core.identification.status import NO_NUMBER, Status
from ...core.recording_checks.check_result import CheckResult
from ...core.recording_checks.timing import timing
from ...core.safety.margins.margin import CLEARANCES
from ..runs.certificate_file import SavedCertificate
from .assumptions import Assumption, assumptions_of, use_sentence
from .comparison import Compared, agreement, compared, moment
from .kept_run import KeptRun, kept_run, run_folder
from .provenance import KeptFile, certificates_of, files_of, versions
from .quality import Channel, channels_of
from .quantities import Group, groups_of

# What to do first, by verdict; the message says more.
FIRST = {
    Status.GOOD: "Use the numbers with their intervals: ./payload-id load export writes them for a "
    "controller or a model, ./payload-id load send into the arm's own controller.",
    Status.TOO_WIDE: "Use the numbers only where their intervals are narrow enough for it; do what "
    "the verdict says would narrow them most, and identify again.",
    Status.SMALL_LOAD: "Treat the load as none up to the upper end of the mass, or tare without a "
    "payload and identify again.",
    Status.NOT_IDENTIFIABLE: "Do not use these numbers. Move as the verdict says, and identify "
    "again.",
    Status.INCONSISTENT: "Do not use these numbers. Look for the cause that the verdict names, "
    "then check the recording: ./payload-id check.",
    Status.NO_DATA: "There is nothing to use. See that joint states with efforts arrive: "
    "./payload-id check.",
    Status.SOLVER_FAILED: "Do not use these numbers; report this run with its folder.",
    Status.WAITING: "Wait for the first windows of data.",
}


@dataclass(frozen=True)
class CertifiedMotion:
    """What a certificate in the run's folder says.

    Attributes:
        file: Its name.
        seconds: Length of the motion [s].
        limits: Name of the set of limits.
        intact: Whether the file is as it was saved.
        signed: Whether somebody vouches for it.
        margins: Constraint, what is left in words, and where.
    """

    file: str
    seconds: float
    limits: str
    intact: bool
    signed: bool
    margins: tuple[tuple[str, str, str], ...]

    @classmethod
    def of(cls, name: str, saved: SavedCertificate) -> CertifiedMotion:
        """Return what a person reads of a certificate."""
        found = saved.certificate
        margins = tuple(
            (
                m.constraint,
                f"{1e3 * m.left:.0f} mm" if m.constraint in CLEARANCES else f"{m.left:.0%}",
                " and ".join(m.where),
            )
            for m in found.margins
        )
        return cls(
            name, found.duration, found.limits, saved.intact, saved.signature is not None, margins
        )


@dataclass(frozen=True)
class Report:
    """What is known of a run.

    Attributes:
        run: The run.
        when: When it began, in universal time; empty if that is not known.
        first: What to do first.
        groups: The numbers.
        assumptions: What was stated.
        use: How far the data are from breaking that, in words.
        lines: What the stamps tell.
        channels: Motion and noise of each joint or axis.
        certificates: Of motions, in the run's folder.
        runs: This run and earlier ones.
        agreement: Whether they agree, in words; empty for one run.
        versions: Of software.
        files: Of the run's folder.
        command: That identifies from its recording again.
    """

    run: KeptRun
    when: str
    first: str
    groups: tuple[Group, ...]
    assumptions: tuple[Assumption, ...]
    use: str
    lines: tuple[CheckResult, ...]
    channels: tuple[Channel, ...]
    certificates: tuple[CertifiedMotion, ...]
    runs: tuple[Compared, ...]
    agreement: str
    versions: dict[str, str]
    files: tuple[KeptFile, ...]
    command: str

    @classmethod
    def of(cls, path: Path | str, earlier: Sequence[Path | str] = ()) -> Report:
        """Gather all that a person reads of a run, from its folder.

        Args:
            path: Folder of the run, or the one above its folder `bag`.
            earlier: Folders of earlier runs of the same payload, to compare with.

        Raises:
            PayloadIdError: A file is missing, damaged or changed, or runs cannot be compared.
        """
        folder, others = run_folder(path), [run_folder(each) for each in earlier]
        run = kept_run(folder)
        runs, samples = compared(run, others), run.job.recording
        return cls(
            run=run,
            when=moment(run.file),
            first=FIRST[run.estimate.status],
            groups=groups_of(run.estimate),
            assumptions=assumptions_of(run),
            use=use_sentence(run),
            lines=tuple(timing(samples, None)) if len(samples) > 1 else (),
            channels=channels_of(run),
            certificates=tuple(CertifiedMotion.of(*each) for each in certificates_of(run)),
            runs=runs,
            agreement=agreement(runs),
            versions=versions(run),
            files=files_of(run),
            command=f"./payload-id identify {shlex.quote(str(folder))}",
        )

    @property
    def title(self) -> str:
        """What it is a report of."""
        return f"Payload at {self.run.estimate.payload_frame or 'the sensor'}: {self.run.name}"

    @property
    def headline(self) -> tuple[str, ...]:
        """Mass and centre of mass by the strongest kind of interval; empty where no number is."""
        found, status = self.run.estimate.headline, self.run.estimate.status
        if found is None or status in NO_NUMBER:
            return ()
        mass, com = found.lines
        return f"mass {mass}", f"centre of mass {com}"

    @property
    def message(self) -> str:
        """The verdict's sentence, without what the report says of the mass in a table."""
        message, more = self.run.estimate.message, sensitivity_in_words(self.run.estimate.rests_on)
        return message.removesuffix(more).strip() if more else message

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for programs; None stands for a number that is not known."""
        return {
            "run": str(self.run.folder),
            "when": self.when,
            **self.run.estimate.to_dict(),
            "first": self.first,
            "quantities": [
                {"group": group.title, **asdict(each)}
                for group in self.groups
                for each in group.quantities
            ],
            "assumptions": [asdict(each) for each in self.assumptions],
            "bounds_used": self.run.bounds_used,
            "quality": [asdict(line) for line in self.lines],
            "notes": list(self.run.recording.notes),
            "channels": [asdict(each) for each in self.channels],
            "certificates": [asdict(each) for each in self.certificates],
            "runs": [each.to_dict() for each in self.runs],
            "agreement": self.agreement,
            "versions": self.versions,
            "files": [asdict(each) for each in self.files],
            "command": self.command,
        }  # fmt: skip
