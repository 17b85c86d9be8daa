"""Planning and proving for one robot, without ROS: what nodes, command line and Python all call.

In: robot and cell files, bounds, motions, `PlanRequest`s and `PieceRequest`s, picklable.
Out: certified motions and their figures, or why there are none; what a saved certificate is worth.
"""
