"""Using the answer: what the payload does to the arm, and what neither of them explains.

In: rows and intervals of an identification, then samples of the same arm with the same payload.
Out: `Judgement`s, one for each window: torques and wrench of the payload, external torques, each
with a bound, and whether a contact is certain.
"""

from __future__ import annotations

from .feasible_set import FeasibleSet
from .judgement import Judgement
from .watch import ContactWatch

__all__ = ["ContactWatch", "Judgement", "FeasibleSet"]
