"""What is kept of runs, tares and certified motions.

In: settings, results, certificates.
Out: files beside a recording, and the same values again, bit for bit.
"""
