"""What a mass rests on that no data prove: how far each assumption may be off; one file each.

In: `Ground`: rows made of samples of a run, and the interval of the mass that came out.
Out: `Reliance`s: from which error on the interval is false, and from which on it is noticed.
"""
