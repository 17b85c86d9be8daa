"""A delta mechanism with a gimbal on it, as that of a mocobot: kinematics and statics.

In: joint angles and spring torques, many samples at once.
Out: pose of the gimbal's last frame, its velocity, the force that the mechanism exerts there.
"""
