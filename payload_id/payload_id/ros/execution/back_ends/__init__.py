"""How motion reaches an arm: one file for each interface of ros2_control.

In: points of a certified motion.
Out: messages for a controller.
"""
