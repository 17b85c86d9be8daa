"""Robot descriptions as texts and trees: URDF as it is, xacro expanded.

In: the path of a description.
Out: URDF text, its links and joints.
"""
