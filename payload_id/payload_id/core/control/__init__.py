"""Controllers as pure step functions: what to command, given what is measured and desired.

In: a state, a measurement, a reference.
Out: the next state and a command; for the robust one also the tube that it guarantees.
"""
