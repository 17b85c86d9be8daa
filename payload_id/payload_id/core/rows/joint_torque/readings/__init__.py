"""Whether what a run reads can be what it is said to be, whatever the payload.

In: the windows of a run, one after the other.
Out: the contradiction, as a sentence, and its kind.
"""
