"""The paper's own method, one step after the other [ZLEFL, Sec. III]; for comparison.

In: samples of all robots on common stamps, and which of them are for which step.
Out: pairwise frames, mass, centre of mass, inertia.
"""

from __future__ import annotations

from .sequential import Sequential, sequential

__all__ = ["Sequential", "sequential"]
