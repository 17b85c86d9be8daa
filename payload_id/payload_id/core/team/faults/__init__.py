"""What is wrong or missing in a team's data, and about whom.

In: `Evidence`: blocks, windows, frames with their bounds, bounds on the payload.
Out: `Findings`, each with the robots it is about, and what cannot be given.
"""
