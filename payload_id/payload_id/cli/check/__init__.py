"""`payload-id check`: look at a recording before anything is identified from it.

In: a recording, a robot file.
Out: for each thing that was looked at what was found, what is expected, what to do; exit code 0, 2.
"""
