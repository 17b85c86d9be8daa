"""What all pages of the view share: what was heard, what is being done, who may command.

In: messages of the nodes, wishes of operators.
Out: the run as steps, curves in bounded memory, services and actions called.
"""
