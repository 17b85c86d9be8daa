"""`payload-id identify`: from a recording, a run or many recordings, without ROS.

In: bags, tables, runs, lists of them; by one method, or several to be compared.
Out: the verdict, a run, or a table of results; whether a saved run is repeated bit for bit.
"""
