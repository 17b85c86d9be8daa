"""Robot and columns files drafted from a description and a table, for a person to check.

In: a URDF, a table of comma-separated values.
Out: commented YAML, and what has to be checked of it.
"""
