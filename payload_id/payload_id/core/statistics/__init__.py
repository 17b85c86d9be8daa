"""All rows of a run in triangular factors whose size does not grow with the data.

In: `RowBlock`s.
Out: `Statistics`, and least-squares problems in phi alone.
"""
