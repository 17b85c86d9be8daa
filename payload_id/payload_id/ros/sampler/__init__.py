"""The node `payload_sampler`: joint states in, blocks of checked samples out.

In: sensor_msgs/JointState of the driver.
Out: payload_id_msgs/SampleBlock, a bag of the raw messages, diagnostics.
"""
