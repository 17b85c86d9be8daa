"""Controllers of ros2_control as they behave, one file each, and the manager that switches them.

In: what the joints do, cycle by cycle; trajectories, tolerances, commands, switches.
Out: what the drives are told; how goals end. No ROS: messages are read and written elsewhere.
"""
