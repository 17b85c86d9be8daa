"""Qualities of service that publishers and subscribers of this package agree on."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
BLOCKS = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE)
