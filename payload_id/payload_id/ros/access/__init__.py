"""Who may do what on a network: topics, services and actions of all nodes, and policies from them.

In: the names that a robot file and parameters give to topics.
Out: policies for SROS 2, permissions for DDS.
"""
