"""Two bodies on a hinge, held by a team: where the axis is, and what each body weighs about it.

In: samples of the robots on each of the bodies, with their bounds.
Out: a `HingedPayload`: seventeen sums with deviations, and two physical bodies that have them.
"""
