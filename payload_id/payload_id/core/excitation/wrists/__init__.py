"""Motions of a team's wrists that make payload and grasp frames observable.

In: a `HeldTeam`, what is known of a held payload and by whom it is held; `WristLimits`.
Out: a `WristPlan`, rest to rest, with the half widths that it is predicted to leave.
"""

from .held_team import HeldTeam
from .plan_wrists import WristPlan, plan_wrists
from .wrist_limits import WristLimits

__all__ = ["HeldTeam", "WristLimits", "WristPlan", "plan_wrists"]
