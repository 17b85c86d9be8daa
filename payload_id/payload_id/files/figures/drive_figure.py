"""Figure of simulated drives: published torque against the rigid bodies' torque."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...core.arrays import Array
from .picture_file import literal, save_picture

MEASURED, RIGID = "#9ecae1", "#08519c"


@dataclass(frozen=True)
class JointTorque:
    """One joint in one run.

    Attributes:
        title: Of its column.
        time: Shape (N,) [s].
        velocity: True velocity, shape (N,) [rad/s].
        rigid: Torque that links and payload ask for, shape (N,) [N m].
        measured: Published torque, shape (N,) [N m].
    """

    title: str
    time: Array
    velocity: Array
    rigid: Array
    measured: Array


def draw_joint_torques(path: Path, joints: Sequence[JointTorque], title: str) -> Path:
    """Draw torques over time, and below what drives and sensors add over velocity.

    Args:
        path: Picture to write.
        joints: One for each column.
        title: Headline.

    Returns:
        path: The file.
    """
    figure = Figure(figsize=(5 * len(joints), 7.2), layout="constrained")
    axes = np.reshape(figure.subplots(2, len(joints)), (2, -1))
    for column, joint in zip(axes.T, joints, strict=True):
        _over_time(column[0], joint)
        _over_velocity(column[1], joint)
    axes[0, 0].set_ylabel("torque [N m]")
    axes[1, 0].set_ylabel("published less rigid bodies [N m]")
    axes[0, 0].legend(frameon=False, fontsize=9)
    figure.suptitle(literal(title), fontweight="bold")
    return save_picture(figure, path)


def _over_time(axis: Axes, joint: JointTorque) -> None:
    """Draw both torques."""
    axis.plot(joint.time, joint.measured, color=MEASURED, linewidth=1.0, label="published")
    axis.plot(joint.time, joint.rigid, color=RIGID, linewidth=1.2, label="links and payload")
    axis.set_title(literal(joint.title), fontsize=11)
    axis.set_xlabel("time [s]")
    _plain(axis)


def _over_velocity(axis: Axes, joint: JointTorque) -> None:
    """Draw what is added."""
    added = joint.measured - joint.rigid
    axis.plot(joint.velocity, added, ".", color=RIGID, markersize=1.5, alpha=0.5)
    axis.axhline(0.0, color="black", linewidth=0.6)
    axis.set_xlabel("velocity [rad/s]")
    _plain(axis)


def _plain(axis: Axes) -> None:
    """Draw a grid, and no frame above and to the right."""
    axis.grid(alpha=0.25)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
