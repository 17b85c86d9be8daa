"""An identified load in the frame of any link, with how far it may be off.

In: the result of a run, a robot description.
Out: mass, centre of mass and inertia with intervals, alone or with the description's tool.
"""
