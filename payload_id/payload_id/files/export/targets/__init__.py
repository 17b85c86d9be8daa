"""Who takes an identified load: a table of targets, each with its own units, fields and frame.

In: a load in the target's frame.
Out: text as the target reads it, with comments that say how far the intervals reach.
"""
