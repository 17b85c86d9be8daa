"""A team's estimate as data arrive.

In: samples of any robot, in pieces; who let go, when somebody touched the payload.
Out: a `TeamEstimate` at every update, made of all data so far.
"""

from .estimator import TeamEstimator
from .settings import SEQUENCE, TeamSettings

__all__ = ["SEQUENCE", "TeamEstimator", "TeamSettings"]
