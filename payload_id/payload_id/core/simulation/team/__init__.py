"""Simulated teams: mocobots with delta mechanism and passive gimbal that hold one payload.

In: grasps and payload, mechanism, wrist motions, errors of the sensors.
Out: readings of each robot as its driver publishes them, and the truth behind them.
"""
