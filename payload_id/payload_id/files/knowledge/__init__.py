"""What is stated of a payload: files of named statements.

In: paths of YAML files.
Out: `Knowledge`.
"""
