"""What a motion may be proved to keep: tube, margins, torque, clearance, certificate.

In: a motion, intervals of all parameters, a tracking tube, bodies, limits.
Out: a certificate with margins, or the first constraint that is not kept.
"""
