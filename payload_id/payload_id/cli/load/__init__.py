"""`payload-id load`: an identified load for others, or for the arm's own controller.

In: a run, or the JSON of an identification; to send it, a confirmation.
Out: what a controller, a filter or a model reads; one call of the driver's service, read back.
"""
