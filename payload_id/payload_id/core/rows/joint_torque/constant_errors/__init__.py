"""Errors that are constant in a run: parameters of the rows, with a column each, instead of noise.

In: a window of samples, and the middle and half width of the links' boxes.
Out: columns in the unit box, and bounds on what is not linear in them.
"""
