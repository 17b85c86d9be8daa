"""One file for each cause that changes samples or the arm: rows are made anew under it.

In: `RemadeRows`: samples of the run, and the smallest noise factor of rows made of them.
Out: `Finding`s with the value that would explain the rows.
"""
