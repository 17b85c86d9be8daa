"""What publishers and subscribers of this package agree on: qualities of service, names."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
# Figures of a sampler's condition: why it makes no samples; empty where it makes some.
SILENT, UNUSABLE = "silent", "unusable"
UNRECORDED = "unrecorded"  # likewise: what its recording lacks
# Figures of an estimator's condition, which has SILENT, too.
RUNNING = "running"
SAMPLER = "sampler"  # node whose blocks it takes
BLOCKS = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE)
