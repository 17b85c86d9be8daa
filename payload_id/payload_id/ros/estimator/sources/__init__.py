"""What payloads are identified from: joint torques, or a wrench; one file for each.

In: blocks of samples as messages, settings of the next run.
Out: rows for the ring buffer, runs that take them in and give estimates.
"""

from __future__ import annotations

from .live_run import torque_run
from .wrench_run import wrench_run

SOURCES = {"torque": torque_run, "wrench": wrench_run}
