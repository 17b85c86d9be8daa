"""The live view: a page in the browser that shows what the nodes do, and asks them for more.

In: the public topics, services and actions of the nodes; nothing that a client could not use.
Out: a 3D scene, curves, and the run as steps of which it is always said what comes next.
"""
