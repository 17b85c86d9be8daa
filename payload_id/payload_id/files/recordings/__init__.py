"""Recordings of any origin in one form.

In: arrays, bags, tables.
Out: `Recording`s and `WrenchRecording`s, judged by the rules of the live path.
"""
