"""Arms that take a load by a request of their driver or API, each in its own units, axes and order.

xArm: xarm_msgs/srv/SetTcpLoad. Universal Robots: ur_msgs/srv/SetPayload; drivers of before 2026
have no fields for the inertia. Franka: franka_msgs/srv/SetLoad; Kinova Gen3: PayloadInformation of
the vendor's API; the tools of both are configured apart from it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .target import ALL, INERTIA_NAMES, MASS_AND_COM, MM, Export, Target, numbers

ORDER = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")  # of the fields for Universal Robots
TRANSITION = 0.5  # [s] over which such an arm takes the load up: 0 lets it jump


def _xarm(export: Export) -> dict[str, Any]:
    """Return the fields, lengths in millimetres."""
    return {"weight": export.load.mass, "center_of_gravity": numbers(export.load.com * MM)}


def _ur(export: Export) -> dict[str, Any]:
    """Return the fields; without inertia for drivers that have none."""
    centre = dict(zip("xyz", numbers(export.load.com), strict=True))
    request: dict[str, Any] = {"mass": export.load.mass, "center_of_gravity": centre}
    if export.with_inertia:
        upper = export.load.inertia[np.triu_indices(3)]
        named = dict(zip(INERTIA_NAMES, numbers(upper), strict=True))
        request |= {name: named[name] for name in ORDER} | {"transition_time": TRANSITION}
    return request


def _franka(export: Export) -> dict[str, Any]:
    """Return the fields; the inertia column by column."""
    return {
        "mass": export.load.mass,
        "center_of_mass": numbers(export.load.com),
        "load_inertia": numbers(export.load.inertia.ravel(order="F")),
    }


def _kinova(export: Export) -> dict[str, Any]:
    """Return the fields of ControlConfig.SetPayloadInformation."""
    centre = dict(zip("xyz", numbers(export.load.com), strict=True))
    return {"payload_mass": export.load.mass, "payload_mass_center": centre}


Arm = partial(Target, commands=True)
ARMS: dict[str, Target] = {
    arm.name: arm
    for arm in (
        Arm(
            "xarm", "uFactory xArm, set_tcp_load", MASS_AND_COM, True, _xarm,
            ("weight in kg, center_of_gravity in mm. The arm then waits for set_state 0.",),
            millimetres=True,
        ),
        Arm(
            "ur", "Universal Robots, set_payload", ALL, True, _ur,
            ("mass in kg, center_of_gravity in m. Inertia in kg m2 about the centre of mass and",
             "transition_time in s; without inertia the arm takes it as none."),
        ),
        Arm(
            "franka", "Franka, set_load", ALL, False, _franka,
            ("mass in kg, center_of_mass in m; load_inertia in kg m2 about that centre,",
             "column by column."),
        ),
        Arm(
            "kinova", "Kinova Gen3, SetPayloadInformation or Web App", MASS_AND_COM, False, _kinova,
            ("payload_mass in kg, payload_mass_center in m in the arm's tool frame, taken as",
             "{}: true while no tool transform is configured.",
             "ros2_kortex has no service; Configurations > Robot > Arm > Tool persists."),
            at="the arm's tool frame, its flange while no tool transform is configured",
        ),
    )
}  # fmt: skip
