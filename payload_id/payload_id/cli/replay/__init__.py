"""`payload-id replay`: identify from a recording, without ROS.

In: a bag, a table or a run.
Out: the verdict, and whether a live run is repeated bit for bit.
"""
