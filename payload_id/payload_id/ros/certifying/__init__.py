"""What nodes that prove motions share: a process of its own, a robot's safety cases, proofs anew.

In: robot and cell files, bounds, certificates.
Out: `SafetyCase`s, motions that are proved, or why they are not.
"""
