"""The node `payload_bridge`: the only one that commands the arm; certified motion, under watch.

In: motions with certificates, obstacles, joint states, estimates.
Out: commands to the arm's controller, its own state, the reason for every stop.
"""
