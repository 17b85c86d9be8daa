"""Estimator and planner from Python.

In: calls of a program that uses ROS.
Out: services and actions of the nodes, their answers as plain values.
"""
