"""Proof or refusal of a whole motion, and the check of a saved proof.

In: a `SafetyCase` and a motion.
Out: a `Certificate` or a `Refusal`; a verdict on a saved one.
"""
