"""How estimates, recordings and certificates show themselves in a notebook.

In: the values.
Out: HTML, figures of matplotlib, tables of pandas where that is installed.
"""
