"""`payload-id verify`: prove a saved certificate of a motion anew.

In: a certificate file.
Out: a verdict, and a figure of the margins.
"""
