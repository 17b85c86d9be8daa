"""Which pairs of bodies are checked: by link, with whatever the description adds to an arm."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.errors import ModelError
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.limits import MotionLimits
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.core.safety.clearance.overlap import signed_distances
from payload_id.core.safety.margins.margin import Refusal
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.core.safety.tube.tracking_tube import TrackingTube
from payload_id.files.robots.arm_geometry import description_geometry
from payload_id.files.robots.passive_joints import held_joints, held_still
from payload_id.files.robots.robot_file import RobotFile

BOX = '<collision><origin xyz="{place}"/><geometry><box size="{size}"/></geometry></collision>'


def link(name: str, size: str = "", place: str = "0 0 0", mass: float = 0.0) -> str:
    """Return a link, with a box if it has a size."""
    inertial = (
        f'<inertial><mass value="{mass}"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" '
        'izz="1e-3"/></inertial>'
    )
    shape = BOX.format(size=size, place=place) if size else ""
    return f'<link name="{name}">{inertial if mass else ""}{shape}</link>'


def joint(
    name: str, parent: str, child: str, kind: str = "fixed", xyz: str = "0 0 0",
    axis: str = "0 0 1", extra: str = "",
) -> str:  # fmt: skip
    """Return a joint."""
    limit = '<limit lower="-3" upper="3" velocity="2" effort="100"/>' if kind != "fixed" else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>{extra or limit}</joint>'
    )


def added(urdf: str, *elements: str) -> str:
    """Return a description with more elements."""
    return urdf.replace("</robot>", "".join(elements) + "</robot>")


def case_of(model: ArmModel, geometry) -> SafetyCase:
    """Return a case in which only clearances matter."""
    wide = np.full(model.n, 1e6)
    return SafetyCase(
        model=model,
        geometry=geometry,
        obstacles=(),
        box=ParameterBox.around(model, (np.zeros(10), np.zeros(10)), Uncertainty()),
        tube=TrackingTube.exact(model.n),
        limits=MotionLimits(-wide, wide, wide, wide, wide),
    )


def between(start: np.ndarray, end: np.ndarray) -> BezierPiece:
    """Return a motion of 3 s from rest to rest."""
    return BezierPiece(MotionState.at_rest(start), end - start, 3.0)


def gap(model: ArmModel, geometry, links: tuple[str, str], q: np.ndarray) -> float:
    """Return coal's distance of two links at a pose, negative where they overlap."""
    own = [[k for k, item in enumerate(geometry.bodies) if item.link == name] for name in links]
    pairs = np.array([(a, b) for a in own[0] for b in own[1]])
    return float(signed_distances(model, geometry, pairs, q[None]).min())


def refused(outcome: Certificate | Refusal, *links: str) -> None:
    """Check that a motion was refused because of two links."""
    assert isinstance(outcome, Refusal), outcome
    assert {name.split("/")[0] for name in outcome.where} == set(links), outcome


def test_a_table_fixed_to_the_world_is_checked_against_an_arm_on_a_rail():
    robot = RobotFile.load("kinova_gen3")
    urdf = added(
        robot.urdf, link("world"), link("table", "0.4 0.4 0.1"), joint("legs", "world", "table",
        xyz="0.6 0 0.1"), joint("rail", "world", "base_link", "prismatic", axis="1 0 0",
        extra='<limit lower="0" upper="1" velocity="1" effort="100"/>'),
    )  # fmt: skip
    model = ArmModel.from_xml(urdf, robot.payload_frame, ["rail", *robot.joints])
    geometry = description_geometry(urdf, model, Path())
    home = np.append(0.0, robot.home)
    clear, into = home.copy(), home.copy()
    into[0], clear[0] = 0.43, 0.3
    assert gap(model, geometry, ("base_link", "table"), into) < -0.07
    assert isinstance(certify(case_of(model, geometry), between(home, clear)), Certificate)
    refused(certify(case_of(model, geometry), between(home, into)), "base_link", "table")


def test_only_links_that_one_joint_joins_directly_are_exempt():
    robot = RobotFile.load("xarm7")
    urdf = added(robot.urdf, link("bracket", "0.02 0.02 0.02"), joint("bolts", "link7", "bracket"))
    model = ArmModel.from_xml(urdf, robot.payload_frame, robot.joints)
    geometry = description_geometry(urdf, model, robot.urdf_path.parent)
    own = [item.link for item in geometry.bodies]
    checked = {frozenset((own[i], own[j])) for i, j in geometry.pairs(model)}
    everything = {frozenset((a, b)) for a in own for b in own if a != b}
    assert everything - checked == {
        *(frozenset(pair) for pair in geometry.joined), frozenset(("link7", "bracket"))
    }  # fmt: skip
    certificate = certify(case_of(model, geometry), between(robot.home, robot.home + 0.01))
    assert any("link6 and link7" in sentence for sentence in certificate.assumptions)


def test_a_body_next_to_a_mere_frame_is_exempt_only_while_it_touches_by_construction():
    shoulder = '<collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>'
    arm = (
        '<robot name="r">'
        + link("root")
        + link("column", "0.2 0.2 0.2", "0 0 0", 5.0)
        + joint("bolts", "root", "column")
        + f'<link name="shoulder"><inertial><mass value="1"/>'
        '<inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>'
        f"{shoulder}</link>" + "{joint}</robot>"
    )
    turning = arm.format(joint=joint("j", "root", "shoulder", "revolute", "0 0 0.19"))
    model = ArmModel.from_xml(turning, "shoulder")
    geometry = description_geometry(turning, model, Path())
    assert [contact.bodies for contact in geometry.allowed] == [("column", "shoulder")]
    assert "by construction" in geometry.allowed[0].reason
    sliding = arm.format(joint=joint("j", "root", "shoulder", "prismatic", "0 0 0.19"))
    model = ArmModel.from_xml(sliding, "shoulder")
    geometry = description_geometry(sliding, model, Path())
    assert geometry.allowed == ()
    outcome = certify(case_of(model, geometry), between(np.array([1.0]), np.array([0.0])))
    refused(outcome, "column", "shoulder")


def test_links_without_a_body_get_the_hull_of_what_is_seen_or_are_refused():
    robot = RobotFile.load("kinova_gen3")
    seen = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    lamp = f'<link name="lamp">{seen}</link>'
    urdf = added(robot.urdf, lamp, joint("bolts", "forearm_link", "lamp"))
    model = ArmModel.from_xml(urdf, robot.payload_frame, robot.joints)
    geometry = description_geometry(urdf, model, Path())
    assert "lamp" in [item.name for item in geometry.bodies]
    urdf = added(robot.urdf, link("weight", mass=1.0), joint("bolts", "forearm_link", "weight"))
    model = ArmModel.from_xml(urdf, robot.payload_frame, robot.joints)
    with pytest.raises(ModelError, match="no collision geometry on weight"):
        description_geometry(urdf, model, Path())
    geometry = description_geometry(urdf, model, Path(), without_body={"weight": "inside the arm"})
    assert "weight has no body: inside the arm." in geometry.notes


FINGER = (
    link("palm", "0.02 0.02 0.02")
    + joint("grasp", "end_effector_link", "palm")
    + link("left", "0.01 0.01 0.1", "0 0 0.05")
    + joint("open", "palm", "left", "revolute", "0.03 0 0", "0 1 0",
            '<limit lower="0" upper="0.8" velocity="1" effort="10"/>')
    + link("right", "0.01 0.01 0.1", "0 0 0.05")
    + joint("follow", "palm", "right", "revolute", "-0.03 0 0", "0 1 0",
            '<limit lower="-0.8" upper="0" velocity="1" effort="10"/><mimic joint="open" '
            'multiplier="-1"/>')
)  # fmt: skip


def test_fingers_are_covered_over_their_whole_travel_or_where_they_are_said_to_be():
    robot = RobotFile.load("kinova_gen3")
    urdf = added(robot.urdf, FINGER)
    model = ArmModel.from_xml(urdf, robot.payload_frame, robot.joints)
    whole = description_geometry(urdf, model, Path())
    assert any("open may be anywhere from 0 to 0.8 rad" in note for note in whole.notes)
    assert any("follow is at -1 times open" in note for note in whole.notes)
    stated = description_geometry(
        held_still(urdf, held_joints(urdf, robot.joints, {"open": 0.4})), model, Path()
    )
    assert not stated.notes  # nothing is assumed: it is part of the description
    rng = np.random.default_rng(0)
    for geometry, angles in (
        (whole, rng.uniform(0, 0.8, 40)),
        (stated, np.array([0.4])),
    ):
        bodies = {item.name: item.body for item in geometry.bodies}
        for angle in angles:
            for name, side, sign in (("left", 0.03, 1), ("right", -0.03, -1)):
                turn = sign * angle
                R = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0],
                              [-np.sin(turn), 0, np.cos(turn)]])  # fmt: skip
                corners = rng.uniform(-1, 1, (50, 3)) * [0.005, 0.005, 0.05] + [0, 0, 0.05]
                points = corners @ R.T + [side, 0, 0]
                flange = model.payload_rotation, model.payload_translation
                assert inside(bodies[name], points @ flange[0].T + flange[1]).all()
    every = {item.name: item.body for item in whole.bodies}
    assert (bodies["left"].half < every["left"].half + 1e-9).all()


def inside(body: ConvexBody, points: np.ndarray) -> np.ndarray:
    """Tell which points are in a hull."""
    own = (points - body.translation) @ body.rotation
    if body.kind == "box":
        return (np.abs(own) <= np.array(body.size) / 2 + 1e-9).all(axis=1)
    planes = ConvexHull(body.points).equations
    return (own @ planes[:, :3].T + planes[:, 3] <= 1e-12).all(axis=1)
