"""Runs that are fed live, of one arm or of a team: begun, ended, asked and saved by services.

In: parts of what was measured; requests.
Out: reports as the data come; answers.
"""
