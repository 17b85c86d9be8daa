"""The rows that a motion would give, and how they change with the motion.

In: motions of many candidates at once.
Out: predicted rows, and derivatives by state.
"""
