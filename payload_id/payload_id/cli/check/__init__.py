"""`payload-id check`: whether a recording, or this machine and a driver, are as they must be.

In: a recording and its robot file; without one the environment, and what a driver publishes.
Out: for each thing that was looked at what was found, what is expected, what to do; exit code 0, 2.
"""
