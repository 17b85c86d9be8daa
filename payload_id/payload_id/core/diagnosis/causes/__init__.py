"""One file for each likely cause of inconsistent rows: a relaxation that would explain them.

In: `Evidence`: rows and the smallest noise factor under a relaxation.
Out: `Finding`s: what would explain the rows, where, and how well.
"""
