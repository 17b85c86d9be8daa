"""Arguments that several commands share, and how results look in the terminal.

In: the command line, estimates.
Out: settings, tables.
"""
