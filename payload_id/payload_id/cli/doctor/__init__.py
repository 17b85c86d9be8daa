"""`payload-id doctor`: whether this machine, its network and a robot's driver are as they must be.

In: the environment; with a robot file, the joint states that its driver publishes.
Out: for each thing that was looked at what was found, what is expected, what to do; exit code 0, 2.
"""
