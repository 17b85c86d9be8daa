"""One certified motion on the arm: checked at the start, watched, and ended with a reason.

In: a `CertifiedMotion`, joint states, the time.
Out: points for a back end, the phase, and why the motion ended.
"""
