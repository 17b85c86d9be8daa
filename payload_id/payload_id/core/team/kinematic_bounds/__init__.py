"""What the motions of two robots on one body prove of a grasp frame and of a clock.

In: means of pose and twist, estimates, bounds on errors.
Out: boxes about the estimates, offsets of clocks that are not excluded, or a contradiction.
"""
