"""A team of robots that hold one payload: one more source of rows [ZLEFL].

In: `RobotSamples` of each robot, on its own clock and in its own level frame; `TeamBounds`.
Out: `TeamEstimate`: grasp frames, clocks, the payload in every grasp frame with its intervals,
what cannot be given, and why.
"""
