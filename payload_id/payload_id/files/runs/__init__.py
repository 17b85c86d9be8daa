"""What is kept of runs, tares and certified motions, and who vouches for it.

In: settings, results, certificates, keys.
Out: files beside a recording, and the same values again, bit for bit.
"""
