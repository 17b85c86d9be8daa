"""Profiles: what is known of an arm and its driver, also where there is no robot description.

In: a robot file, whole or to be extended.
Out: joints, effort, driver; a table of what is shipped.
"""
