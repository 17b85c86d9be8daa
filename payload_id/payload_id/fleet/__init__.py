"""A fleet's recordings, identified on all cores of a machine or on a cluster by Dask.

In: recordings, what is said of them and how they are identified; a folder for results.
Out: the folder's table, complete whatever was interrupted; common payloads and the arms' health.
"""

from .cluster import cluster_client
from .identify_fleet import FleetJob, Progress, identify_fleet
from .method import AT_CHANGES, WHOLE, Method
from .spread import spread

__all__ = [
    "AT_CHANGES",
    "WHOLE",
    "FleetJob",
    "Method",
    "Progress",
    "cluster_client",
    "identify_fleet",
    "spread",
]
