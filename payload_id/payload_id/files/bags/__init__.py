"""rosbag2 recordings, whole or cut off, without ROS.

In: folders with sqlite3 or MCAP files; raw messages to keep.
Out: tables of joint states, wrenches and poses; bags.
"""
