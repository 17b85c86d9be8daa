"""Families of motions that are linear in their free parameters.

In: limits, a state to begin from.
Out: a `Family`: motions for many parameter vectors at once.
"""
