"""Certificates on disk: JSON with everything that is needed to prove the motion again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import real_numbers
from ...core.errors import ConfigurationError, InputError
from ...core.motion.families import trajectory_from_dict
from ...core.motion.limits import MotionLimits
from ...core.motion.trajectory import Trajectory
from ...core.safety.certificate.certificate import Certificate, digest_of
from ...core.safety.certificate.safety_case import SafetyCase, plain_limits
from ...core.safety.clearance.arm_geometry import ArmGeometry
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.speed.speed_limits import SpeedLimits
from ...core.safety.torque.parameter_box import ParameterBox
from ...core.safety.tube.tracking_tube import TrackingTube
from ..configuration.atomic_write import save
from ..configuration.json_file import check_sizes, parsed_json, read_json
from ..configuration.package_data import shipped
from ..robots.robot_file import RobotFile, find_robot_file
from .signature import ENTRY, Signature, signature_of, signed
from .signing_key import SigningKey

LARGEST = 1e12  # of all numbers, in SI units
FORMAT = 2  # raised when older programs could not read a newer file


@dataclass(frozen=True, eq=False)
class SavedCertificate:
    """A certificate together with what it was given for.

    Attributes:
        certificate: What was proved.
        robot: The robot file, as a shipped name or a path.
        robot_name: Name of the robot in it.
        joints: Names.
        geometry: The arm's bodies.
        obstacles: Bodies in the base frame.
        box: Bounds of the payload's and the arm's parameters.
        tube: Bounds of the tracking error.
        limits: What the motion may not exceed.
        clearance: Distance that bodies keep from each other [m].
        speeds: Limits of speeds in space and of kinetic energy.
        turns: By how many whole turns joints have turned more than the motion's positions say.
        trajectory: The desired motion.
        cell: Cell file that it was planned for, or "none, " and the reason; empty: not stated.
        intact: Whether the file's own digest is that of its content.
        signature: Who vouches for all of it; None: nobody.
    """

    certificate: Certificate
    robot: str
    robot_name: str
    joints: tuple[str, ...]
    geometry: ArmGeometry
    obstacles: tuple[ConvexBody, ...]
    box: ParameterBox
    tube: TrackingTube
    limits: MotionLimits
    clearance: float
    speeds: SpeedLimits
    turns: Mapping[str, int]
    trajectory: Trajectory
    cell: str
    intact: bool
    signature: Signature | None

    def case(self, model: ArmModel) -> SafetyCase:
        """Return what the motion was certified against, for this arm."""
        return SafetyCase(
            model=model,
            geometry=self.geometry,
            obstacles=self.obstacles,
            box=self.box,
            tube=self.tube,
            limits=self.limits,
            limits_name=self.certificate.limits,
            clearance=self.clearance,
            speeds=self.speeds,
            turns=self.turns,
        )


def save_certificate(
    path: Path | str,
    certificate: Certificate,
    case: SafetyCase,
    trajectory: Trajectory,
    robot: RobotFile,
    cell: str = "",
    key: SigningKey | None = None,
) -> Path:
    """Write a certificate; the file is there whole or not at all.

    Args:
        path: Where.
        certificate: What was proved.
        case: What it was proved for.
        trajectory: The desired motion.
        robot: The robot file; the certificate names it and holds the digest of its arm.
        cell: Cell file that the motion was planned for, or "none, " and the reason.
        key: Who signs it; None: nobody.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    content = _content(
        SavedCertificate(
            certificate, _reference(robot.path), robot.name, case.model.joints, case.geometry,
            tuple(case.obstacles), case.box, case.tube, case.limits, case.clearance, case.speeds,
            case.turns, trajectory, cell, intact=True, signature=None,
        )
    )  # fmt: skip
    content["digest"] = digest_of(content)
    return _write(Path(path), content if key is None else signed(content, key))


def _content(saved: SavedCertificate) -> dict[str, Any]:
    """Return what a file says of a certificate, as plain numbers, lists and dicts."""
    return {
        "format": FORMAT,
        "robot": {"file": saved.robot, "name": saved.robot_name},
        "cell": saved.cell,
        "joints": list(saved.joints),
        "certificate": saved.certificate.to_dict(),
        "geometry": saved.geometry.to_dict(),
        "obstacles": [body.to_dict() for body in saved.obstacles],
        "box": saved.box.to_dict(),
        "tube": saved.tube.to_dict(),
        "limits": plain_limits(saved.limits),
        "clearance": saved.clearance,
        "speeds": saved.speeds.to_dict(),
        "turns": dict(saved.turns),
        "trajectory": saved.trajectory.to_dict(),
    }


def sign_certificate(path: Path | str, key: SigningKey) -> Signature | None:
    """Sign a saved certificate as it is, in its file; nothing in it is proved by that.

    Args:
        path: Which.
        key: Who signs it.

    Returns:
        earlier: The signature that this one replaces; None: it had none.

    Raises:
        ConfigurationError: The file cannot be read or written, or was changed after it was saved
            or signed.
    """
    content, saved = _read(Path(path))
    if not saved.intact or (saved.signature is not None and saved.signature.flaw):
        when = "saved: its digest" if not saved.intact else "signed: its signature"
        raise ConfigurationError(
            f"{path} was changed after it was {when} is not that of its content. It is not signed; "
            "have the motion planned and certified again."
        )
    _write(Path(path).resolve(), signed(content, key))  # of a link the file that it leads to
    return saved.signature


def _write(path: Path, content: Mapping[str, Any]) -> Path:
    """Write a certificate's content; return its path."""
    return save(path, f"{json.dumps(content, indent=1, allow_nan=False)}\n", "certificate")


def load_certificate(path: Path | str) -> SavedCertificate:
    """Read a certificate; nothing in it is believed before `verify`.

    Raises:
        ConfigurationError: The file is missing, damaged, of a newer format, or such that readers
            may understand it differently.
    """
    return _read(Path(path))[1]


def certificate_in(text: str, where: str) -> SavedCertificate:
    """Read a certificate from its text; nothing in it is believed before `verify`.

    Args:
        text: JSON, as it is saved.
        where: Whence it came, for the message.

    Raises:
        ConfigurationError: As for `load_certificate`.
    """
    try:
        content = parsed_json(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{where} is no readable JSON: {error}.") from error
    return _understood(content, where)


def _read(path: Path) -> tuple[dict[str, Any], SavedCertificate]:
    """Return a certificate's content, and what it says."""
    content = read_json(path, "certificate")
    return content, _understood(content, path)


def _understood(content: Any, path: Path | str) -> SavedCertificate:
    """Return what a certificate's content says."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise ConfigurationError(
            f"{path} is no certificate of format {FORMAT}, which this version reads; found "
            f"{found!r}."
        )
    try:
        check_sizes(content, LARGEST)
        return _saved(content)
    except (
        KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError
    ) as error:  # fmt: skip
        what = f"the entry {error}" if isinstance(error, KeyError) else str(error)
        raise ConfigurationError(f"{path} is no readable certificate: {what}") from error


def _saved(content: Mapping[str, Any]) -> SavedCertificate:
    """Put a saved certificate together."""
    stated = content["digest"]
    rest = {key: value for key, value in content.items() if key not in ("digest", ENTRY)}
    saved = SavedCertificate(
        certificate=Certificate.from_dict(content["certificate"]),
        robot=str(content["robot"]["file"]),
        robot_name=str(content["robot"]["name"]),
        joints=tuple(str(name) for name in content["joints"]),
        geometry=ArmGeometry.from_dict(content["geometry"]),
        obstacles=tuple(ConvexBody.from_dict(body) for body in content["obstacles"]),
        box=ParameterBox.from_dict(dict(content["box"])),
        tube=TrackingTube.from_dict(dict(content["tube"])),
        limits=_limits(content["limits"]),
        clearance=float(content["clearance"]),
        speeds=SpeedLimits.from_dict(content["speeds"]),
        turns={str(name): int(k) for name, k in content.get("turns", {}).items()},
        trajectory=trajectory_from_dict(dict(content["trajectory"])),
        cell=str(content["cell"]),
        intact=stated == digest_of(rest),
        signature=signature_of(content),
    )
    # What is written otherwise than this program writes it was changed: null for false, say.
    return replace(saved, intact=saved.intact and digest_of(_content(saved)) == stated)


def _limits(entries: Mapping[str, Any]) -> MotionLimits:
    """Return limits from lists, None where there is none."""
    values, n = {}, len(entries["velocity"])
    for entry in fields(MotionLimits):
        none = -np.inf if entry.name == "position_lower" else np.inf
        given = [none if x is None else x for x in entries[entry.name]]
        values[entry.name] = real_numbers(given, f"limits of {entry.name}")
        if values[entry.name].shape != (n,):
            raise InputError(f"limits of {entry.name} must be {n} numbers or null; found {given}.")
    return MotionLimits(**values)


def _reference(robot: Path) -> str:
    """Return how a certificate names a robot file, shipped ones by their name."""
    ours = [path.resolve() for path in shipped("robots").values()]
    return robot.stem if robot.resolve() in ours else str(robot)


def robot_of(saved: SavedCertificate, robot: str | None = None) -> RobotFile:
    """Return the robot file that a certificate names, or another one.

    Raises:
        ConfigurationError: It does not exist.
    """
    try:
        return RobotFile.load(robot or saved.robot)
    except InputError as error:
        if robot is not None or find_robot_file(saved.robot).is_file():
            raise
        raise ConfigurationError(
            f"The certificate is for the robot file {saved.robot}, which is not there; give it "
            "with --robot."
        ) from error
