"""A quantity that is one number for all joints, or one number for each."""

from __future__ import annotations

PerJoint = float | tuple[float, ...]
