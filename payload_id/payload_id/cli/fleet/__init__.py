"""`payload-id fleet`: identify from many recordings, on all cores or on a cluster.

In: recordings, or a manifest of them, and robot files.
Out: a table of results, and what was found in a few lines.
"""
