"""A robot as files describe it: YAML, URDF, meshes, calibration.

In: the path or name of a robot file.
Out: a `RobotFile`, its `ArmModel`, its bodies.
"""
