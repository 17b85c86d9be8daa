"""`payload-id live`: running nodes from the command line.

In: a task: start, stop, tare, save, status, watch, plan, describe, execute,
identify, obstacles.
Out: the nodes' own sentences, the estimate as it comes, the progress of plans and motions.
"""
