"""From samples to a verdict: one run after another, live or from a recording, the same code.

In: samples in the order of their stamps, `Settings`.
Out: `Estimate`s: point, intervals, status, and the sentence that goes with it.
"""
