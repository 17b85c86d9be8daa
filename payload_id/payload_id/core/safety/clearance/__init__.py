"""Distances that bodies keep in continuous time, and what they sweep.

In: convex bodies on links and around the arm, a motion, a tube.
Out: proved distances for each pair and slice, margins, triangles for a picture.
"""
