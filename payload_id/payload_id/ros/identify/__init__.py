"""Sampler and estimator in one process.

In: parameters of both.
Out: topics and services of both.
"""
