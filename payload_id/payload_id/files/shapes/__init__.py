"""What is known of a payload's shape: meshes, point clouds, and how they are kept.

In: paths of meshes and clouds.
Out: `Shape`s, and the same again from beside a recording.
"""
