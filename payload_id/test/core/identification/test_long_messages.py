"""Messages of errors are of bounded length, whatever they name."""

from __future__ import annotations

import pytest

from payload_id.core.errors import HEAD, TAIL, InputError, UnknownNameError


@pytest.mark.slow
@pytest.mark.parametrize("length", [10, HEAD + TAIL + 1, 10**6])
def test_messages_are_of_bounded_length_and_keep_both_ends(length):
    text = str(InputError("a" + "x" * (length - 2) + "z"))
    assert len(text) <= HEAD + TAIL + 7 and text[0] == "a" and text[-1] == "z"
    unknown = UnknownNameError("column", "c", ["x" * 100] * length)
    assert str(unknown).startswith("Unknown column 'c'") and len(unknown.known) == length
