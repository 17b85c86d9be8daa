"""`payload-id new-robot`: draft the files of an arm of one's own.

In: a URDF, a table of comma-separated values if there is one.
Out: a commented robot file, a columns file, and what has to be checked.
"""
