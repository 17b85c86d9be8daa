"""Loads as the controllers of industrial arms take them: a table of texts that a person enters.

Where no source that was read states a fact, the text says "not found": look it up before use.
Three of the controllers want principal moments of inertia and the axes that belong to them.

Sources: [kuka] KR IONTEC, 2021, sec. 4 (load data); Beckhoff TF5120, KRC_WriteLoadData. [sunrise]
KUKA's own example DirectServoSampleSimpleJointMotion. [abb] RAPID reference, loaddata;
abb_rapid_msgs/LoadData. [yaskawa] NX100 manual, 9.11 ARM control. [fanuc] Lincoln Electric's
edition of the manual, MOTION/PAYLOAD SET; listings of $PLST_GRP1. [doosan] ConfigCreateTool of
dsr_msgs2; API manual, CONFIG_TOOL.
"""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
from scipy.spatial.transform import Rotation

from ....core.arrays import Array
from .target import ALL, MASS_AND_COM, MM, Export, Target, numbers

CM = 100.0
KGF_CM_S2 = 0.0980665  # [kg m2]: 9.80665 N x 0.01 m x 1 s2
NOT_FOUND = "Whether it outlives a restart: not found."


def principal(inertia: Array) -> tuple[Array, Array]:
    """Return moments, shape (3,), and axes of an inertia about the centre of mass.

    Args:
        inertia: Shape (3, 3) [kg m2].

    Returns:
        moments: Principal moments [kg m2].
        axes: Columns along the principal axes, a rotation as near to none as their order allows.
    """
    moments, axes = np.linalg.eigh(inertia)
    order = list(max(permutations(range(3)), key=lambda x: np.trace(np.abs(axes[:, list(x)]))))
    axes = axes[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, np.argmin(np.diag(axes))] *= -1.0
    return moments[order], axes


def _listed(values: Array) -> list[str]:
    """Return numbers in digits enough for any controller."""
    return [f"{x:.6g}" for x in numbers(values)]


def _krc(export: Export) -> str:
    """Return one LOAD_DATA of KRL."""
    load = export.load
    moments, axes = principal(load.inertia)
    angles = Rotation.from_matrix(axes).as_euler("ZYX", degrees=True)
    centre = zip("XYZABC", _listed(np.append(MM * load.com, angles)), strict=True)
    about = zip("XYZ", _listed(moments), strict=True)
    inside = [",".join(f"{name} {x}" for name, x in part) for part in (centre, about)]
    return f"LOAD_DATA[1]={{M {load.mass:.6g},CM {{{inside[0]}}},J {{{inside[1]}}}}}\n"


def _sunrise(export: Export) -> str:
    """Return the calls that make a LoadData."""
    load = export.load
    return (
        "LoadData load = new LoadData();\n"
        f"load.setMass({load.mass:.6g});\n"
        f"load.setCenterOfMass({', '.join(_listed(MM * load.com))});\n"
    )


def _abb(export: Export) -> str:
    """Return one declaration of RAPID."""
    load = export.load
    moments, axes = principal(load.inertia)
    x, y, z, w = Rotation.from_matrix(axes).as_quat()
    place, turn = (",".join(_listed(v)) for v in (MM * load.com, np.array([w, x, y, z])))
    return (
        f"PERS loaddata payload := [{load.mass:.6g},[{place}],[{turn}],"
        f"{','.join(_listed(moments))}];\n"
    )


def _doosan(export: Export) -> str:
    """Return the request of a service that keeps a tool under a name."""
    load = export.load
    return (
        f"name: payload\nweight: {load.mass:.6g}\ncog: [{', '.join(_listed(MM * load.com))}]\n"
        "inertia: [0, 0, 0, 0, 0, 0]\n"
    )


def _fanuc(export: Export) -> str:
    """Return the items of the screen."""
    load = export.load
    return _items(
        ("PAYLOAD [kg]", "PAYLOAD CENTER X [cm]", "PAYLOAD CENTER Y [cm]", "PAYLOAD CENTER Z [cm]",
         "PAYLOAD INERTIA X [kgfcms^2]", "PAYLOAD INERTIA Y [kgfcms^2]",
         "PAYLOAD INERTIA Z [kgfcms^2]"),
        [load.mass, *(CM * load.com), *(np.diag(load.inertia) / KGF_CM_S2)],
    )  # fmt: skip


def _yaskawa(export: Export) -> str:
    """Return the items of the tool file."""
    load = export.load
    return _items(
        ("W [kg]", "Xg [mm]", "Yg [mm]", "Zg [mm]", "Ix [kg.m2]", "Iy [kg.m2]", "Iz [kg.m2]"),
        [load.mass, *(MM * load.com), *np.diag(load.inertia)],
    )


def _items(names: tuple[str, ...], values: list[float]) -> str:
    """Return one line for each item."""
    shown = zip(names, _listed(np.array(values)), strict=True)
    return "".join(f"{name}: {value}\n" for name, value in shown)


Controller = partial(Target, commands=True, millimetres=True)
CONTROLLERS = (
    Controller(
        "kuka_krc", "KUKA KR C, LOAD_DATA", ALL, True, _krc,
        ("M in kg; CM in mm and degrees in the flange's axes, A about z, then B about y, then C",
         "about x, to the principal axes; J about these, through the centre of mass, in kg m2.",
         "Belongs into $CONFIG.DAT, under the number of the tool; it stays there over a restart.",
         "Whether a program's $LOAD does: not found."), mark=";",
    ),
    Controller(
        "kuka_sunrise", "KUKA Sunrise, LoadData", MASS_AND_COM, True, _sunrise,
        ("Mass in kg, centre of mass in mm in the axes of the frame that the tool is attached by.",
         "Moments of inertia: unit, axes and how they are set not found; as LoadData has them.",
         "Lasts as long as the application that makes it; in the project's template of the tool",
         "longer: how long was not found."), mark="//",
    ),
    Controller(
        "abb", "ABB, loaddata of a payload", ALL, False, _abb,
        ("mass in kg; cog in mm and aom, a quaternion with the scalar first, in the coordinate",
         "system of the active tool (--frame must name it); ix, iy, iz in kg m2 about these axes",
         "through the centre of mass. The tool's own load belongs into its tooldata.",
         "PERS keeps it over a restart; GripLoad makes it count. Whether that does: not found."),
        mark="!", at="the active tool's frame, as its tooldata has it",
    ),
    Controller(
        "doosan", "Doosan, dsr_msgs2/srv/ConfigCreateTool", MASS_AND_COM, True, _doosan,
        ("weight in kg; cog in the flange's axes, here in mm: users' programs have mm, the API",
         "manual's CONFIG_TOOL has m, so compare with what the pendant shows of it afterwards.",
         "inertia: order, unit and point of reference not found; at 0 the arm takes it as none.",
         "A tool that was made by the service is gone after a restart of the driver; one that was",
         "entered on the pendant: not found."),
    ),
    Controller(
        "fanuc", "FANUC, MOTION/PAYLOAD SET", ALL, True, _fanuc,
        ("Center in cm from the middle of the faceplate, in its axes. No products of inertia.",
         "Inertia here about the centre of mass, axes of the faceplate, 1 kgf cm s2 = 0.0980665 kg",
         "m2: point of reference and unit not found in a manual; look at your screen's before use.",
         "Kept in $PLST_GRP1 (CMOS) over a restart; which schedule is active then: not found."),
    ),
    Controller(
        "yaskawa", "Yaskawa, tool load information", ALL, True, _yaskawa,
        ("Centre of gravity in mm in flange coordinates; Ix, Iy, Iz in kg m2 about axes through it",
         "parallel to those. No products of inertia. Kept in the tool file.", NOT_FOUND),
    ),
)  # fmt: skip
