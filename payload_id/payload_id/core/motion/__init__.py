"""Motions as functions of time: families, limits, rigorous extrema, and points for a controller.

In: parameters of a family, states to begin from, limits.
Out: `Trajectory`s: q, dq, ddq at any time and their extrema over slices of time.
"""
