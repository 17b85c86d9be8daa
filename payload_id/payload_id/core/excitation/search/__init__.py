"""From many candidates to the best one that is certified.

In: a `Task`: family, criterion, limits; a certifier.
Out: a `Plan`, or why there is none.
"""
