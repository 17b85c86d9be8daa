"""Nodes with the life cycle of ROS 2: configured, activated, deactivated, cleaned up.

In: a node's table of parameters, and what its class does at each transition.
Out: a node with the states and services of ROS 2's life cycle, and its diagnostics.
"""
