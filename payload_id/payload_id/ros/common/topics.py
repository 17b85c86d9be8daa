"""What publishers and subscribers of this package agree on: qualities of service, names."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
EVERY = QoSProfile(  # of what is published, with what there was before
    depth=100, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
# Figures of an estimator's condition: whether a run is in progress, why it gets no samples (empty:
# it gets some), and the node whose blocks it takes.
RUNNING, SILENT, SAMPLER = "running", "silent", "sampler"
BLOCKS = QoSProfile(depth=2000, reliability=ReliabilityPolicy.RELIABLE)
