"""`payload-id export`: an identified load as others take it, without ROS.

In: a run or the JSON of a replay.
Out: a request, parameters or a link, on standard output or in a file; nothing is sent.
"""
