"""The node `payload_planner`: certified exciting motions on request, handed to the bridge.

In: goals, joint states, estimates, what the bridge says.
Out: plans with certificates, motions for the bridge, reasons.
"""
