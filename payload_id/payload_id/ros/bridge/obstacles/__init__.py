"""Obstacles from services and topics, in frames that /tf tells.

In: payload_id_msgs/Obstacle, /tf.
Out: convex bodies in the base frame.
"""
