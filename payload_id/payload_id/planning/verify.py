"""What a saved certificate is worth: whole, of this robot and cell, signed, and true?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import ConfigurationError
from ..core.safety.certificate.verify import Verification
from ..core.safety.certificate.verify import verify as prove_again
from ..core.threads import one_thread
from ..files.cells.cell_file import Cell
from ..files.robots.robot_file import RobotFile
from ..files.robots.robot_model import RobotModel
from ..files.runs.certificate_file import SavedCertificate, load_certificate, robot_of
from ..files.runs.premises import Premise, premises
from ..files.runs.public_key import trusted_keys
from ..files.runs.signature import SignatureVerdict, judged


@dataclass(frozen=True)
class CheckedCertificate:
    """A saved certificate, and what checking it found.

    Attributes:
        saved: The certificate and what it was given for.
        model: The arm that it was held against.
        found: The repeated proofs and samples, with all differences.
        premises: What it rests on, held against robot and cell file.
        signature: Who vouches for it.
    """

    saved: SavedCertificate
    model: RobotModel
    found: Verification
    premises: tuple[Premise, ...]
    signature: SignatureVerdict

    @property
    def verified(self) -> bool:
        """Whether everything is as the certificate says."""
        return self.found.verified

    @property
    def differences(self) -> tuple[str, ...]:
        """What is not as the certificate says, one sentence each."""
        return self.found.differences

    @property
    def same_joints(self) -> bool:
        """Whether it is of the arm's joints; else nothing was proved."""
        return self.model.joints == self.saved.joints

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain numbers, texts, lists and dicts."""
        certificate, found = self.saved.certificate, self.found
        return {
            "verified": found.verified,
            "differences": list(found.differences),
            "margins": {m.constraint: m.left for m in certificate.margins},
            "proved_with_denser_slices": dict(found.proved),
            "sampled": {name: x for name, x in found.sampled.items() if np.isfinite(x)},
            "samples": found.samples,
            "assumptions": list(certificate.assumptions),
            "premises": [asdict(premise) for premise in self.premises],
            "signature": {**asdict(self.signature), "state": self.signature.state.value},
        }


def verify(
    path: Path | str,
    robot: str | None = None,
    cell: str | None = None,
    key: Path | str | Iterable[Path | str] = (),
    samples: int = 2000,
    seed: int = 0,
) -> CheckedCertificate:
    """Check a saved certificate; print its `differences`, or see that it is `verified`.

    Args:
        path: File of the certificate.
        robot: Robot file or shipped name; None: the one that the certificate names.
        cell: Cell file, or "none, REASON"; None: what the certificate names.
        key: Public keys (PEM), or folders of them, whose signatures count; none: signatures are
            shown, and nobody's counts.
        samples: States to sample.
        seed: Of the samples.

    Raises:
        ConfigurationError: A file cannot be read.
    """
    trusted = trusted_keys([key] if isinstance(key, (str, Path)) else key)
    saved = load_certificate(path)
    file = robot_of(saved, robot)
    signature = judged(saved.signature, trusted)
    differences = [signature.sentence] if signature.holds is False else []
    differences += _file_differences(saved, file)
    model = RobotModel.from_robot_file(file)
    if model.joints != saved.joints:
        found = Verification((*differences, "The robot has other joints."), {}, {}, 0)
        return CheckedCertificate(saved, model, found, (), signature)
    rests_on, missing = _premises(saved, file, model, cell)
    differences += [
        *missing,
        *(str(premise) for premise in rests_on if premise.holds is False),
    ]
    with one_thread():
        found = prove_again(saved.certificate, saved.case(model), saved.trajectory, samples, seed)
    return CheckedCertificate(saved, model, _after(differences, found), rests_on, signature)


def _after(differences: Sequence[str], found: Verification) -> Verification:
    """Return a verification with further differences before its own."""
    every = (*differences, *found.differences)
    return Verification(every, found.proved, found.sampled, found.samples)


def _file_differences(saved: SavedCertificate, robot: RobotFile) -> list[str]:
    """Return where a certificate's file contradicts itself or is of another robot."""
    found = []
    if not saved.intact:
        found.append("The file was changed after it was saved: its digest is not its content's.")
    if saved.robot_name != robot.name:
        found.append(f"The certificate is for '{saved.robot_name}', the robot is '{robot.name}'.")
    return found


def _premises(
    saved: SavedCertificate, robot: RobotFile, model: RobotModel, stated: str | None
) -> tuple[tuple[Premise, ...], list[str]]:
    """Return what a certificate rests on, and what is not known of the cell."""
    try:
        cell, missing = Cell.of(stated or saved.cell, saved.clearance), []
    except ConfigurationError as error:
        cell = Cell("unknown", saved.clearance, ())
        missing = [f"It is not known what is around the arm (--cell). {error}"]
    return premises(saved, robot, model, cell), missing
