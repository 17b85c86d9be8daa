"""`payload-id calibrate`: learn the arm itself from recordings without payload.

In: recordings of the bare arm.
Out: a calibration beside the robot file, and a report.
"""
