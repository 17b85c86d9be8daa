"""The cell around an arm as a file describes it: floor, walls, fixtures, zones, mounting.

In: the path of a cell file, or a reason why there is none.
Out: a `Cell`: bodies that the arm keeps clear of, in the base frame, and what was assumed.
"""
