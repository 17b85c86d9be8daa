"""`payload-id compare`: several estimators and interval methods on one recording.

In: a recording, methods, the truth where it is known.
Out: tables and a figure.
"""
