"""What is known of a payload: named statements, and the shape that a mesh or point cloud shows.

In: paths of YAML files, meshes and clouds.
Out: `Knowledge` and `Shape`s.
"""
