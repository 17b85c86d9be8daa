"""The run of a force-torque sensor: delay taken out, poses at rest, contacts named.

In: `WrenchSamples`.
Out: `WrenchEstimate`s.
"""
