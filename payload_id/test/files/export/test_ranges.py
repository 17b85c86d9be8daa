"""Intervals in another frame hold all that the intervals in the first one hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import (
    change_of_frame,
    from_mass_com_inertia,
    mass_com_inertia,
)
from payload_id.core.identification.status import Status
from payload_id.files.export.loads.load import Load
from payload_id.files.export.loads.ranges import Range
from payload_id.files.export.loads.result_file import Result

TURN = Rotation.from_euler("xyz", [0.3, -1.1, 2.0])
PLACE = np.array([0.05, -0.12, 0.2])
PIECE = """<link name="{name}"/>
<joint name="{name}_joint" type="fixed"><parent link="{on}"/><child link="{name}"/>
<origin xyz="{xyz}" rpy="{rpy}"/></joint>"""
ARM = """<robot name="arm"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="flange"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="flange"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0"
izz="1"/></inertial></link>{pieces}</robot>"""


def described(tool: str = "") -> str:
    """Return an arm whose link 'held' is turned and moved against its flange."""
    rpy = " ".join(map(repr, TURN.as_euler("xyz").tolist()))
    held = PIECE.format(name="held", on="flange", xyz="0.05 -0.12 0.2", rpy=rpy)
    return ARM.format(pieces=held + tool)


def result(phi, half, **changes) -> Result:
    entries = {"source": "run", "status": Status.GOOD, "message": "", "payload_frame": "held",
               "phi": phi, "lower": phi - half, "upper": phi + half,
               "identifiable": np.full(10, True)}  # fmt: skip
    return Result(**{**entries, **changes})


def made_of(masses, points) -> np.ndarray:
    """Return the parameters of point masses."""
    both = zip(masses, points, strict=True)
    return sum(from_mass_com_inertia(m, p, np.zeros((3, 3))) for m, p in both)


def body(rng) -> np.ndarray:
    """Return the parameters of a body made of ten point masses."""
    points = rng.uniform(-0.1, 0.2, (10, 3))
    return made_of(rng.uniform(0.05, 0.2, 10), points)


def test_a_load_is_the_same_body_seen_from_the_flange():
    rng = np.random.default_rng(0)
    points, masses = rng.uniform(-0.1, 0.2, (10, 3)), rng.uniform(0.05, 0.2, 10)
    load = Load.of(result(made_of(masses, points), np.zeros(10)), "flange", described())
    np.testing.assert_allclose(load.phi, made_of(masses, TURN.apply(points) + PLACE), atol=1e-12)
    np.testing.assert_allclose(load.com, masses @ (TURN.apply(points) + PLACE) / masses.sum())
    # Exact numbers give intervals that are points, but for rounding.
    np.testing.assert_allclose(load.com_range.lower, load.com_range.upper, atol=1e-12)
    upper = load.inertia[np.triu_indices(3)]
    np.testing.assert_allclose(load.inertia_range.lower, upper, atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_intervals_hold_every_body_of_the_box_with_and_without_tool(seed):
    rng = np.random.default_rng(seed)
    phi = body(rng)
    half = np.abs(phi) * 10.0 ** rng.uniform(-3, -0.8, 10)
    own = from_mass_com_inertia(0.7, [0.02, 0.0, 0.05], np.diag([1e-3, 2e-3, 2.5e-3]))
    extra = (
        PIECE.format(name="grip", on="flange", xyz="0 0 0", rpy="0 0 0").replace(
            '<link name="grip"/>',
            '<link name="grip"><inertial><origin xyz="0.02 0 0.05"/><mass value="0.7"/><inertia '
            'ixx="1e-3" ixy="0" ixz="0" iyy="2e-3" iyz="0" izz="2.5e-3"/></inertial></link>',
        )
    )  # fmt: skip
    urdf = described(extra)
    alone = Load.of(result(phi, half), "flange", urdf)
    both = alone.with_tool(urdf)
    assert both.tool_mass == pytest.approx(0.7)
    np.testing.assert_allclose(both.phi, alone.phi + own, atol=1e-12)
    turned = change_of_frame(TURN.as_matrix(), PLACE)
    corners = phi + half * rng.choice([-1.0, 1.0], (200, 10))
    inside = phi + half * rng.uniform(-1.0, 1.0, (100, 10))
    for x in (*corners, *inside):
        for load, seen in ((alone, turned @ x), (both, turned @ x + own)):
            mass, com, inertia = mass_com_inertia(seen)
            for held, value in (
                (load.mass_range, np.array([mass])),
                (load.com_range, com),
                (load.inertia_range, inertia[np.triu_indices(3)]),
            ):
                assert Range(held.lower - 1e-12, held.upper + 1e-12).contains(value)


def test_a_mass_that_may_be_zero_leaves_its_centre_without_bounds():
    phi = body(np.random.default_rng(1))
    load = Load.of(result(phi, 1.1 * phi[0] * np.ones(10)), "held", None)
    assert (load.com_range.lower == -np.inf).all() and (load.com_range.upper == np.inf).all()
    with_tool = Load.of(result(phi, 1.1 * phi[0] * np.ones(10)), "flange", described())
    assert not np.isnan(with_tool.com_range.lower).any()
