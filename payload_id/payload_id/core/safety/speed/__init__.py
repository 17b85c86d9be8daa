"""How fast any point of tool, payload and links moves, and with which energy, at every instant.

In: a motion's extrema over slices, a tube, bodies on joints, a parameter box, limits in m/s and J.
Out: upper bounds on slices, and their margins.
"""
