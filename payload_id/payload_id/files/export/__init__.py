"""An identified load as others take it: one entry of a table for each target.

In: the result of a run, a link, what the driver rates.
Out: text in the target's own fields, units and frame, or a sentence that says why not.
"""
