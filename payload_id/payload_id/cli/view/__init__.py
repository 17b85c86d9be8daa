"""`payload-id view`: the live view in the browser.

In: names of nodes, an address.
Out: a web page, until interrupted.
"""
