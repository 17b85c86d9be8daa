"""Rows from a force-torque sensor by the Newton-Euler equations [NGK, TBEN].

In: windows of `WrenchSamples`, the stated `WrenchUncertainty`.
Out: `RowBlock`s whose d holds all that the equations leave out, and the boxes of psi.
"""
