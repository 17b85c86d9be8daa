"""Rows from joint torques by the change of momentum over a window [ZZV, Theorem 8].

In: windows of `Samples`, an `ArmModel`, the stated `Uncertainty`.
Out: `RowBlock`s whose d holds all that the equations leave out, and the boxes of psi.
"""
