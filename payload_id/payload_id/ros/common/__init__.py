"""What several nodes need: parameters, conversions, diagnostics, subscriptions, the main loop.

In: messages, parameter tables.
Out: plain values and messages.
"""
