"""Why no payload explains the rows: what may be false, as one table that one engine runs.

A hypothesis (`hypothesis.py`, members and table in `hypotheses`) says what would be otherwise: of
the rows, of the samples or of the arm. The engine (`diagnose.py`) finds the smallest noise factor
under each anew and names the simplest that brings it to about 1. The same table tells what an
identified mass rests on (`sensitivity.py`) and why samples are left out (`false_samples.py`);
a force-torque sensor has a table of its own.

In: inconsistent rows, and what made them.
Out: a `Diagnosis` with cause, joint and time; the motion that would make a parameter identifiable.
"""

from __future__ import annotations

from .diagnose import Diagnosis, diagnose
from .evidence import Evidence
from .false_samples import FIRST_SAMPLES, false_reading, why_false, why_no_window
from .hypotheses import table_of
from .hypotheses.payload_slipped import PayloadSlipped
from .hypothesis import Finding
from .identified_mass import IdentifiedMass
from .motion_advice import MotionSeen, advise
from .reprocessed import Reprocessed
from .sensitivity import Sensitivity, sensitivities, sensitivity_in_words
from .stated_knowledge import contradicted
from .window_buffer import WindowBuffer

__all__ = [
    "FIRST_SAMPLES", "Diagnosis", "Evidence", "Finding", "IdentifiedMass", "MotionSeen",
    "PayloadSlipped", "Reprocessed", "Sensitivity", "WindowBuffer", "advise", "contradicted",
    "diagnose", "false_reading", "sensitivities", "sensitivity_in_words", "table_of", "why_false",
    "why_no_window",
]  # fmt: skip
