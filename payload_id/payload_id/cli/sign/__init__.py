"""`payload-id sign`: vouch for saved certificates of motions.

In: certificate files, and a private key.
Out: the same files with a signature.
"""
