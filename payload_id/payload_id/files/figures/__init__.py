"""Figures for people, and numbers as people read them.

In: estimates, comparisons, certified motions.
Out: picture files, texts of numbers.
"""
