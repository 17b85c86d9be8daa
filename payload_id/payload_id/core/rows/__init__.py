"""Rows A phi + B psi = b + w, |w| <= d: the one form of every measurement.

In: samples, which are cut into windows here.
Out: `RowBlock`s; what is behind them never learns which sensor they came from.
"""
