"""The node `payload_sampler`: measurements in, blocks of checked samples out.

In: sensor_msgs/JointState of the driver; of a force-torque sensor geometry_msgs/WrenchStamped, too.
Out: payload_id_msgs/SampleBlock or WrenchBlock, SamplerState, a bag of raw messages, diagnostics.
"""
