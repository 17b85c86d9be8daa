"""From what one robot of a team publishes to samples at its grasp.

In: readings of a mocobot's joints, or poses, twists and wrenches, as they come.
Out: `RobotSamples` that do not depend on how the stream was cut into pieces; counts of what was
left out.
"""
