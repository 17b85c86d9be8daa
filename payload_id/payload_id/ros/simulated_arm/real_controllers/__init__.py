"""A simulated arm behind the real controllers of ros2_control, by the topics of their hardware.

In: commands of joint_state_topic_hardware_interface; a robot file.
Out: commands of the arm; description and parameters for a controller manager.
"""
