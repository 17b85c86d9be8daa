"""The node `simulated_arm`: for others, a ros2_control robot that holds a payload.

In: trajectory_msgs/JointTrajectory.
Out: joint states, robot description, clock, the truth for comparison.
"""
