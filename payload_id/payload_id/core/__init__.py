"""The mathematics: no ROS, no clock, no files; arrays in, arrays out."""
