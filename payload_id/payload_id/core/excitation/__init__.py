"""Motions that make the payload's parameters observable.

In: an arm, limits, what is known so far, a certifier.
Out: certified motions; the next step of a receding horizon.
"""
