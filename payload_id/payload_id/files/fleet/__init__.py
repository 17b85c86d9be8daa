"""A fleet's recordings: which there are, what is said of each, and the table of results.

In: globs, lists and URLs of recordings; a manifest; rows that workers made.
Out: a Parquet dataset by robot and day, and a page about arms and payloads.
"""
