"""`payload-id policy`: who may do what on a network, as SROS 2 and DDS read it.

In: a robot file, and the names under which nodes and topics run.
Out: a policy, and permissions for every enclave.
"""
