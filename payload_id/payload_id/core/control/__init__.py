"""Controllers as pure step functions: what to command, given what is measured and desired.

For arms that take torques. The nodes command positions; these run in `simulation`, and the tube of
the robust one is what `safety` certifies for.

In: a state, a measurement, a reference.
Out: the next state and a command; for the robust one also the tube that it guarantees.
"""
