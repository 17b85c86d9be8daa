"""`payload-id certificate`: saved certificates of motions, checked anew and signed, without ROS.

In: certificates, robot and cell files, keys.
Out: whether every margin holds and who vouches for it; exit code 0 or 1; signatures; keys.
"""
