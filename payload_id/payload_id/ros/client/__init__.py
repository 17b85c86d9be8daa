"""Estimator and planner from Python.

In: calls of a program that uses ROS.
Out: services and actions of the nodes; their answers as messages, or as an `Estimate`.
"""

from __future__ import annotations

from .estimator_client import PayloadClient, estimate_from
from .planner_client import PlannerClient, each_stage
from .waiting import NotAnsweredError

__all__ = ["NotAnsweredError", "PayloadClient", "PlannerClient", "each_stage", "estimate_from"]
