"""YAML read strictly, checked against a schema, built on each other; where shipped data are.

In: paths and names of configuration files.
Out: plain values, or an error that names file, key and what is allowed.
"""
