"""Telling an arm's own controller of its load: one file for each driver.

In: fields and values of a driver's request, as `files/export` makes them.
Out: calls of the driver's service, and what the arm says it has.
"""
