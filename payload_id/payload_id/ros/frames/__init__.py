"""What RViz needs to show an arm where no driver publishes it: description and frames.

In: joint states.
Out: /tf, /tf_static and robot_description, unless others publish them.
"""
