"""How far the arm may be from its desired motion, and whether it is.

In: stated tracking errors, or a robust controller and the inertia that it acts on.
Out: a `TrackingTube`, and the part of it that measured states use.
"""
