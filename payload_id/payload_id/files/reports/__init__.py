"""What a person reads of a run: verdict, numbers, data, assumptions, and how to repeat it.

In: the folder of a saved run, earlier runs of the same payload.
Out: one self-contained HTML file, Markdown, or JSON.
"""
