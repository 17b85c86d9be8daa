"""Figures for people, and numbers as people read them.

In: estimates, comparisons, certified motions, torques of drives.
Out: picture files, texts of numbers.
"""
