"""The node `payload_planner`: certified exciting motions on request, executed under watch.

In: goals, obstacles, joint states, estimates.
Out: plans with certificates, motions on the arm, reasons.
"""
