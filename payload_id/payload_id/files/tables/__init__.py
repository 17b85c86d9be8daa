"""Recordings as tables of comma-separated values.

In: CSV files and a description of their columns.
Out: tables of joint states, wrenches and poses, not yet judged.
"""
