"""How much of a limit is left: the common form, and margins of position, velocity, acceleration.

In: a motion's extrema over slices, limits, a tube.
Out: `Margin`s, or a `Refusal`.
"""
