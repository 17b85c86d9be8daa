"""Planning in a process of its own: what it is asked, what it does, what it answers.

In: `PlanRequest`s and `PieceRequest`s, picklable.
Out: certified motions and their figures, or why there are none.
"""
