"""For how long is waited, said once for all nodes and clients [s]."""

from __future__ import annotations

LOOK = 0.05  # between two looks whether something has come about
FEEDBACK = 0.1  # between two messages of how far a goal is
TELL = 1.0  # between two times that a node says how it is
SILENT = 5.0  # without a word of a node that says each second how it is, after which it has ended
FOUND = 10.0  # until a node that runs has been found, and has answered what takes no computing
SOLVED = 90.0  # that an answer may take for which everything is solved, or the arm comes to rest
SENT = 0.2  # in which what was published or answered last goes out, before a process ends
LOG = 5.0  # between two lines of the log about the same thing
