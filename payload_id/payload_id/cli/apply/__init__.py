"""`payload-id apply`: an identified load written into the arm's own controller, and taken back.

In: a run or the JSON of a replay, and a confirmation.
Out: one call of the driver's service, read back where the driver says what it has.
"""
