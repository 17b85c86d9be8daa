"""The arm as the equations see it: joints, bodies, regressors, and what earlier runs have taught.

In: a URDF as text, joint positions and velocities.
Out: an `ArmModel`, its kinetic regressors, where a centre of mass lies.
"""
