"""Teams of robots: the file that says who they are, and runs of theirs on disk.

In: the path of a team file; the samples and moments of a run.
Out: a `TeamFile`; a saved run that can be repeated bit by bit.
"""
