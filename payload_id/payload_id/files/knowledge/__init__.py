"""What is stated of a payload: files of named statements, and how they are kept.

In: paths of YAML files.
Out: `Knowledge`, and the same again from beside a recording.
"""
