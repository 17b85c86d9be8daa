"""What earlier runs have shown of an arm, on disk: archives, and robot files that name them.

In: a calibration or a history, the robot file that it belongs to.
Out: a NumPy archive and a robot file that extends the other; the same read back.
"""
