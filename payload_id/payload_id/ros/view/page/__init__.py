"""One page in one browser: 3D scene, curves, words, and the controls of an operator.

In: what all pages share, a client of the web server.
Out: what that client shows; wishes of who sits there.
"""
