"""Files: bags, tables, robot descriptions and reports; built on the mathematics, without ROS."""
