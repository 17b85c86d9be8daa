"""YAML and JSON read strictly, checked against schemas, built on each other; where data are.

In: paths and names of configuration files.
Out: plain values, or an error that names file, key and what is allowed.
"""
