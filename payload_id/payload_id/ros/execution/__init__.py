"""One certified motion on the arm: checked at the start, watched, and ended with a reason.

In: what is known of the arm each cycle (`snapshot`), a motion that was proved (`commanded_motion`).
Out: the next state and what is to be commanded (`machine`), by what the `monitors` find.
"""
