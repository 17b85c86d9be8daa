"""Joint torques over slices of time, for every parameter in a box and every state in a tube.

In: a motion, a `ParameterBox`, a `TrackingTube`.
Out: upper bounds of |torque| for each slice and joint, and their margins.
"""
