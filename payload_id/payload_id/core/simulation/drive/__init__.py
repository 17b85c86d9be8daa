"""What drives and their sensors make of an arm's torques: one file for each effect.

In: angles and torques of joints over time, the figures of a preset.
Out: torques as they are measured, positions and velocities as they are published.
"""
