"""The shipped robot descriptions against the published figures and against physics."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

from payload_id.core.body.inertial import from_mass_com_inertia, is_physical
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.robots.arm_geometry import robot_geometry
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile, robot_names
from payload_id.files.robots.robot_model import RobotModel, shipped_as

GEN3 = share_folder() / "urdf" / "kinova_gen3.urdf.xacro"
XARM7 = share_folder() / "urdf" / "xarm7.urdf.xacro"
SERIAL_ARM = share_folder() / "urdf" / "serial_arm.urdf.xacro"
ARMS = tuple(sorted(path.stem for path in (SERIAL_ARM.parent / "arms").glob("*.yaml")))
SERIALS = ("HT_BR2", "HT_BR", "HT_LD", "UJ_BR_2403")
VARIANTS = (
    [
        (GEN3, {"gripper": gripper, "vision": vision})
        for gripper in ("none", "robotiq_2f_85")
        for vision in (True, False)
    ]
    + [
        (XARM7, {"inertials": f"xarm7_type7_{serial}", "shapes": shapes})
        for serial in SERIALS
        for shapes in ("classic", "model_1305")
    ]
    + [(SERIAL_ARM, {"arm": arm}) for arm in ARMS]
)


def position_of(urdf: str, frame: str) -> np.ndarray:
    """Return where a frame is at joint positions zero, shape (3,) [m]."""
    model = pin.buildModelFromXML(urdf)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    return np.array(data.oMf[model.getFrameId(frame)].translation)


def masses(urdf: str) -> dict[str, float]:
    """Return the mass of every link that has one [kg]."""
    links = ElementTree.fromstring(urdf).findall("link")
    found = {link.get("name"): link.find("inertial/mass") for link in links}
    return {k: float(v.get("value")) for k, v in found.items() if v is not None}


def vector(text: str) -> np.ndarray:
    """Return the numbers of an attribute."""
    return np.array(text.split(), dtype=float)


def test_what_a_serial_arm_reaches_and_weighs_is_as_published():
    """Reach at joint positions zero [m], by the vendors' DH parameters, and sum of masses [kg]."""
    for arm, frame, place, mass in (
        ("fr3", "fr3_link8", (0.088, 0.0, 0.926), 17.8914),
        ("iiwa14", "lbr_link_ee", (0.0, 0.0, 1.306), 29.8998),
        ("ur5e", "tool0", (0.8172, 0.2329, 0.0628), 21.7),
        ("ur10e", "tool0", (1.18425, 0.2907, 0.06085), 33.104),
    ):
        urdf = read_urdf(SERIAL_ARM, {"arm": arm})
        np.testing.assert_allclose(position_of(urdf, frame), place, atol=1e-5)
        assert sum(masses(urdf).values()) == pytest.approx(mass, abs=1e-3)


@pytest.mark.parametrize(
    ("path", "frame", "published"),
    [(GEN3, "end_effector_link", (0, -0.02486, 1.18738)), (XARM7, "link_eef", (0.206, 0, 0.1205))],
)
def test_forward_kinematics_at_zero_equal_the_published_transform(path, frame, published):
    # xArm7's y is 3.4e-6 with the rounded angles, published as 0.
    np.testing.assert_allclose(position_of(read_urdf(path), frame), published, atol=6e-6)


def test_the_arms_have_the_published_masses():
    for vision, total in ((True, 8.1879), (False, 8.0519)):
        assert sum(masses(read_urdf(GEN3, {"vision": vision})).values()) == pytest.approx(total)
    for serial, moving in zip(SERIALS, (10.4315, 9.5454, 10.7234, 11.7844), strict=True):
        found = masses(read_urdf(XARM7, {"inertials": f"xarm7_type7_{serial}"}))
        assert sum(found.values()) - found["link_base"] == pytest.approx(moving)


def test_gripper_adds_its_mass_where_it_is():
    bare, held = (
        pin.buildModelFromXML(read_urdf(GEN3, {"gripper": g})) for g in ("none", "robotiq_2f_85")
    )
    flange = bare.frames[bare.getFrameId("end_effector_link")]
    gripper = (
        pin.Inertia.FromDynamicParameters(held.inertias[7].toDynamicParameters()) - bare.inertias[7]
    ).se3ActionInverse(flange.placement)
    assert gripper.mass == pytest.approx(0.920864)
    np.testing.assert_allclose(gripper.lever, (0, 0, 0.047419), atol=1e-9)
    for k in range(7):
        np.testing.assert_allclose(
            held.inertias[k].toDynamicParameters(), bare.inertias[k].toDynamicParameters()
        )


def inertia_of(inertial: ElementTree.Element) -> np.ndarray:
    """Return phi of a link, shape (10,)."""
    mass = float(inertial.find("mass").get("value"))
    com = vector(inertial.find("origin").get("xyz"))
    i = {k: float(v) for k, v in inertial.find("inertia").attrib.items()}
    matrix = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]],
              [i["ixz"], i["iyz"], i["izz"]]]  # fmt: skip
    return from_mass_com_inertia(mass, com, matrix)


@pytest.mark.slow
def test_every_moving_link_is_a_body_whose_shapes_hold_its_centre_of_mass():
    """Inertial figures of another frame convention put the centre of mass outside the link."""
    for path, arguments in VARIANTS:
        for link in ElementTree.fromstring(read_urdf(path, arguments)).findall("link"):
            inertial = link.find("inertial")
            if inertial is None or link.get("name") == "fr3_link7":  # see fr3.yaml
                continue
            phi, shapes = inertia_of(inertial), link.findall("collision")
            assert is_physical(phi), link.get("name")
            assert shapes and len(shapes) == len(link.findall("visual"))
            corners = np.array([shape_extent(shape) for shape in shapes])
            low, high = corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)
            com = phi[1:4] / phi[0]
            assert ((low <= com) & (com <= high)).all(), (link.get("name"), com)


def shape_extent(collision: ElementTree.Element) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper corner of a box or cylinder in its link's frame [m]."""
    centre = vector(collision.find("origin").get("xyz"))
    rotation = pin.rpy.rpyToMatrix(vector(collision.find("origin").get("rpy")))
    box, cylinder = collision.find("geometry/box"), collision.find("geometry/cylinder")
    if box is not None:
        size = vector(box.get("size"))
    else:
        radius, length = float(cylinder.get("radius")), float(cylinder.get("length"))
        size = np.array([2 * radius, 2 * radius, length])
    half = np.abs(rotation) @ size / 2
    return centre - half, centre + half


@pytest.mark.parametrize("name", robot_names())
def test_limits_of_the_description_equal_the_set_urdf(name):
    robot = RobotFile.load(name)
    limits = robot.limits_named("urdf")
    joints = {j.get("name"): j for j in ElementTree.fromstring(robot.urdf).findall("joint")}
    for k, joint in enumerate(joints[name] for name in robot.joints):
        limit = joint.find("limit")
        assert joint.get("type") == (
            "prismatic"
            if name == "omnid"
            else "revolute"
            if np.isfinite(limits.position_lower[k])
            else "continuous"
        )
        assert float(limit.get("lower", "-inf")) == limits.position_lower[k]
        assert float(limit.get("upper", "inf")) == limits.position_upper[k]
        assert float(limit.get("velocity")) == limits.velocity[k]
        assert float(limit.get("effort")) == limits.torque[k]


def test_the_grippers_bodies_cover_the_whole_travel_of_its_fingers():
    """Of the linkage as ros2_robotiq_gripper describes it, knuckle joint from 0 to 0.81 rad."""
    robot = RobotFile.load("kinova_gen3_2f85")
    model = RobotModel.from_robot_file(robot)
    gripper = [item.body for item in robot_geometry(robot, model).bodies if "2f_85" in item.link]
    to_flange = pin_pose(model, "end_effector_link")
    knuckle, inner = np.array([0.03060114, 0.0, 0.05490452]), np.array([0.0127, 0.0, 0.06142])
    finger = np.array([0.03152616, 0.0, -0.00376347])
    tip = finger + [0.00563134, 0.0, 0.04718515]
    parts = (  # axis, place of the part's frame from it, whether it turns, centre, size
        (knuckle, np.zeros(3), True, (0.0150, 0.0002, 0.0002), (0.0449, 0.0166, 0.0201)),
        (knuckle, finger, True, (-0.0002, -0.0008, 0.0234), (0.0286, 0.0272, 0.0594)),
        (inner, np.zeros(3), True, (0.0186, 0.0002, 0.0217), (0.0492, 0.0350, 0.0554)),
        (knuckle, tip, False, (-0.0097, -0.0008, 0.0225), (0.0312, 0.0270, 0.0570)),
    )
    corners = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape(-1, 3)
    longest = 0.0
    for angle in np.linspace(0.0, 0.81, 82):
        R = Rotation.from_rotvec([0.0, -angle, 0.0]).as_matrix()
        for axis, place, turns, centre, size in parts:
            own = np.array(centre) + corners * size
            points = axis + R @ place + (own @ R.T if turns else own)
            longest = max(longest, points[:, 2].max())
            for side in (1.0, -1.0):
                at_flange = points * [side, 1.0, 1.0]
                there = at_flange @ to_flange.rotation.T + to_flange.translation
                assert any(holds(body, there) for body in gripper)
    assert longest > 0.163


def holds(body, points):
    """Tell whether a box contains points."""
    own = (points - body.translation) @ body.rotation
    return body.kind == "box" and (np.abs(own) <= body.half + 1e-9).all()


def pin_pose(model, frame):
    """Return a frame's pose on the joint that carries it."""
    return model.pinocchio.frames[model.pinocchio.getFrameId(frame)].placement


@pytest.mark.parametrize("name", ("lite6", "kinova_gen3", "ur5e"))
def test_an_arm_is_known_again_by_names_and_distances_of_its_joints(name):
    arm = RobotModel.described(RobotFile.load(name))
    assert name in shipped_as(arm)
    on_a_table = arm.translation + np.eye(arm.n)[:, :1] * [0.0, 0.0, 0.8]
    assert name in shipped_as(replace(arm, translation=on_a_table))
    assert not shipped_as(replace(arm, translation=1.1 * arm.translation))
    assert not shipped_as(replace(arm, joints=tuple(reversed(arm.joints))))
