"""A simulated arm: MuJoCo moves it, independent of the estimator's Pinocchio model.

In: a URDF, a payload, errors of links and sensors, commands.
Out: what the sensors of that arm would measure.
"""
