"""The node `wrench_sampler`: wrenches and joint states in, samples with their motion out.

In: geometry_msgs/WrenchStamped and sensor_msgs/JointState.
Out: payload_id_msgs/WrenchBlock, a bag of the raw messages, diagnostics.
"""
