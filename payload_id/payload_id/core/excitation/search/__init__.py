"""From many candidates to the best one that is certified.

In: a `PlanningTask`: family, criterion, limits; a certifier.
Out: a `Plan`, or why there is none.
"""
