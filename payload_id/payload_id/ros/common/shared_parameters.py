"""Parameters that several nodes have: robot file, joint states, recording, and uncertainty."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from ...core.body.payload_prior import PayloadPrior
from ...core.rows.joint_torque.uncertainty import Uncertainty
from ...files.configuration.keys import keys_of
from ...files.robots.robot_file import RobotFile
from ...files.robots.robot_keys import RobotKeys
from .parameters import Parameter

ROBOT_STATED, PRIOR_STATED = "arm", "payload prior"
UNCERTAINTY_PREFIX = "uncertainty."
PRIOR_PREFIX = "uncertainty.prior."

ROBOT_FILE = Parameter(
    "robot_file", "kinova_gen3", "Robot file: its path, or the name of a shipped one."
)
RELIABILITY = Parameter(
    "reliability",
    "",
    "Quality of service of joint_states; empty: as the robot file says.",
    choices=("", "best_effort", "reliable"),
)
SOURCE = Parameter(
    "source",
    "torque",
    "What is measured: joint torques, or the wrench of a force-torque sensor between flange and "
    "payload.",
    choices=("torque", "wrench"),
)
SENSOR_FRAME = Parameter(
    "sensor_frame",
    "",
    "For source wrench, frame of the sensor in the robot's description; empty: the robot file's "
    "payload frame.",
)
PROCESSOR_SHARE = Parameter(
    "processor_share",
    0.15,
    "Share of a processor core that updates of the estimate may take: what one took decides when "
    "the next may come.",
    "-",
    0.01,
    1.0,
)

UNSAID = 1e6  # a largest number from which on it is not spoken of: far beyond what is meant


def _bounds() -> Iterator[Parameter]:
    """Yield the parameters that replace one bound of the robot file each."""
    keys = keys_of(RobotKeys)
    for place in (("uncertainty",), ("uncertainty", "prior")):
        for name in keys.at(place)["properties"]:
            key = keys.at((*place, name))
            number, kind = key, key.get("type", "")
            if "anyOf" in key:
                number, kind = key["anyOf"][0], "number or numbers"
            elif kind == "array":
                number, kind = key["items"], "numbers"
            if kind == "object":
                continue
            text, highest = key["description"], number["maximum"]
            yield Parameter(
                ".".join((*place, name)),
                None,
                f"{text[0].upper()}{text[1:]}; not set: as the robot file says.",
                key.get("unit", ""),
                number["minimum"],
                None if highest >= UNSAID else highest,
                read_only=False,
                kind=kind,
            )


UNCERTAINTY_PARAMETERS = tuple(_bounds())


def stated_figures(robot: RobotFile, prior: PayloadPrior) -> dict[str, object]:
    """Return what estimator and planner must both rest on, as figures of a node's condition.

    Args:
        robot: The robot file: chain, payload frame, gravity.
        prior: What is known of the payload before any data.
    """
    arm = (robot.urdf, tuple(robot.joints), robot.payload_frame, robot.gravity.tolist())
    digest = hashlib.sha256(repr(arm).encode()).hexdigest()[:16]
    return {ROBOT_STATED: f"{robot.name} {digest}", PRIOR_STATED: repr(prior)}


def disagreement(own: Mapping[str, object], others: Mapping[str, object], who: str) -> str:
    """Say in what another node rests on something else; empty where it does not, or is not known.

    Args:
        own: This node's `stated_figures`.
        others: The other node's figures.
        who: Name of the other node.
    """
    unlike = [
        f"{what} '{others[what]}' there, '{own[what]}' here"
        for what in (ROBOT_STATED, PRIOR_STATED)
        if what in others and str(others[what]) != str(own[what])
    ]
    if not unlike:
        return ""
    return (
        f"{who} rests on something else than this node: {'; '.join(unlike)}. Start both with the "
        "same robot file and the same uncertainty.prior."
    )


def uncertainty_of(values: Mapping[str, Any], from_robot_file: Uncertainty) -> Uncertainty:
    """Return the bounds that the parameters replace, and those of the robot file elsewhere.

    Args:
        values: Values of all parameters by name; only `UNCERTAINTY_PARAMETERS` count.
        from_robot_file: The bounds where no parameter replaces them.

    Raises:
        InputError: A bound is impossible.
    """
    entries = from_robot_file.to_dict()
    for name, value in values.items():
        if value is None or not name.startswith(UNCERTAINTY_PREFIX):
            continue
        if name.startswith(PRIOR_PREFIX):
            entries["prior"][name.removeprefix(PRIOR_PREFIX)] = value
        else:
            entries[name.removeprefix(UNCERTAINTY_PREFIX)] = value
    return Uncertainty.from_dict(entries)
