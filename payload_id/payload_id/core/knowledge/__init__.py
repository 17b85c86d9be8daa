"""What a user states of a payload: convex sets of phi in one conic form, whoever stated them.

In: constraints of CVXPY, members of the catalogue.
Out: `Knowledge`: statements with names, ready for interval methods and estimators.
"""
