"""`payload-id noise`: the least bounds on the torques' noise that recordings need.

In: recordings of one payload (or none), a robot file, lengths of windows.
Out: a table; exit code 0, 2.
"""
