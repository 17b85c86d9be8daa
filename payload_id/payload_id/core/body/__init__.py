"""What a payload can be: its inertial parameters, the box before any data, its shape.

In: masses, points, triangles, outlines of a body.
Out: phi and the ways to write it, rows that hold for every body of a shape, errors of an estimate.
"""
