"""The node `payload_estimator`: blocks of samples in, estimate, intervals and verdict out.

In: payload_id_msgs/SampleBlock or WrenchBlock; calls that start, stop, tare and save.
Out: payload_id_msgs/PayloadEstimate, markers, run files, diagnostics.
"""
