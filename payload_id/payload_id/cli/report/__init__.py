"""`payload-id report`: a saved run as one page for people, Markdown, or JSON.

In: the folder of a run, folders of earlier runs of the same payload.
Out: an HTML file that needs no other, or text on standard output; exit code 0, 2, 3.
"""
