"""ROS 2 nodes: thin, they read parameters, convert messages and call the layers below."""
