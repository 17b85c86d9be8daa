"""The description holds a tool that is not there, or one that is too heavy."""

from __future__ import annotations

from collections.abc import Iterator

from .cause import Finding
from .evidence import Evidence


class WrongTool:
    """What is carried beyond the description would be no body: less than nothing, in part."""

    name = "wrong tool"

    def findings(self, evidence: Evidence) -> Iterator[Finding]:
        """See the protocol."""
        fit = evidence.relaxed(physical=False)
        mass = fit.phi[0]
        what = f"about {-mass:.2g} kg less" if mass < 0 else "less, in part,"
        sentence = (
            f"The arm carries {what} than the robot description says: the tool in it is not "
            "mounted, or lighter than described. Correct the description, or state the tool's "
            "uncertainty."
        )
        yield Finding(self.name, fit.factor, 10, sentence)
