"""Controllers as pure step functions: what to command, given what is measured and desired.

For arms that take torques. They run in `simulation`; the robust one, whose tube `safety` certifies,
also moves arms whose drivers execute torques (`ros/effort_loop`).

In: a state, a measurement, a reference.
Out: the next state and a command; for the robust one also the tube that it guarantees.
"""
