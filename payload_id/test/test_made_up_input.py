"""Input that nobody would make on purpose: a sentence, an exit code or a status, and no more.

`benchmarks/fuzz.py` does the same ten thousand times at every door.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from made_up_input import DOORS, ending

EXAMPLES = {"table": 12, "columns": 12, "bag": 12, "command line": 12, "shape": 12}  # costly ones


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_whatever_comes_in_is_refused_in_a_sentence_or_done(door):
    @settings(
        max_examples=EXAMPLES.get(door.name, 40),
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(door.drawn)
    def enter(drawn):
        with TemporaryDirectory() as folder:
            ending(door, drawn, Path(folder))

    enter()
