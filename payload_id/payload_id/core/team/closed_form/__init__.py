"""Relations between vectors that know nothing of robots: rotations, lever arms, resampling.

In: arrays of vectors, rotations and stamps.
Out: what fits them best, and how far it may be off.
"""
