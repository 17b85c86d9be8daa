"""Estimator and planner from Python.

In: calls of a program that uses ROS.
Out: services and actions of the nodes; their answers as messages, or as an `Estimate`.
"""

from __future__ import annotations

from .payload_client import PayloadClient, each_stage, estimate_from
from .waiting import NotAnsweredError

__all__ = ["NotAnsweredError", "PayloadClient", "each_stage", "estimate_from"]
