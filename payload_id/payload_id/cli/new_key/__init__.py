"""`payload-id new-key`: make the key pair with which a cell signs its certificates.

In: a folder.
Out: a private key for its owner alone, and the public key that belongs to it.
"""
