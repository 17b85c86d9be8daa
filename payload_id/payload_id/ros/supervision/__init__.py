"""What an arm's driver and controller say of themselves while it moves; one file for each source.

In: the section 'driver' of a robot file, topics and services of the arm's own software.
Out: why no motion may begin, why one must end, and what nobody watches.
"""
