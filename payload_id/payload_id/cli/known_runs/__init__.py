"""`payload-id known-runs`: have a running planner move the arm with known weights.

In: weights, number and length of the runs; a person who changes the weights.
Out: recordings and the list of them that `payload-id calibrate --history` reads.
"""
