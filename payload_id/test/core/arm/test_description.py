"""Robot descriptions that cannot be: a sentence names link or joint; none ends the process."""

import re
import warnings

import numpy as np
import pytest

from described_arms import BODY, INERTIAL, described, joint
from payload_id import RobotModel, Uncertainty
from payload_id.core.errors import InputError, ModelError, UnknownNameError

NUMBER = re.compile(r'="([-\d. ]*\d[-\d. ]*)"')
NO_NUMBERS = ("", "abc", "nan", "inf", "-inf", "1e400", "1,5", "0x10", "1 2", "NaN kg")
LOOPS = {
    "of joints that move": described(parent="lower"),
    "of one joint": described(parent="upper"),
    "through the base": described(more=joint("back", "tool", "base")),
    "beside the arm": described(
        more='<link name="x"/><link name="y"/>' + joint("xy", "x", "y") + joint("yx", "y", "x")
    ),
    "of two parents": described(more=joint("brace", "tool", "upper")),
}
PARTS = {
    "two roots": ("other", described(more='<link name="other"/>')),
    "a missing parent": ("ghost", described(parent="ghost")),
    "a missing child": ("ghost", described(child="ghost")),
    "a link twice": ("upper", described(more='<link name="upper"/>')),
    "a joint twice": ("elbow", described(more='<link name="z"/>' + joint("elbow", "tool", "z"))),
    "a link without a name": ("link", described(more="<link/>" + joint("j", "tool", ""))),
    "following a ghost": ("ghost", described(inner='<mimic joint="ghost"/>')),
    "following itself": ("shoulder", described(inner='<mimic joint="shoulder"/>')),
    "no limits": ("shoulder", described().replace('<limit lower="-3"', '<nolimit lower="-3"')),
}
OTHERS = {
    "SDF": '<sdf version="1.6"><model name="r"><link name="a"/></model></sdf>',
    "MJCF": '<mujoco model="r"><worldbody><body name="a"/></worldbody></mujoco>',
    "xacro": described(xyz="${length} 0 0"),
    "xacro that was not": described(more='<xacro:arm xmlns:xacro="http://ros.org/wiki/xacro"/>'),
    "html": "<html><body>404 Not Found</body></html>",
    "no links": '<robot name="r"><group name="arm"/></robot>',
    "has no name": described().replace(' name="arm"', ""),
    "well-formed": described()[:500],
    "not well-formed": '{"a": "<robot>"}',
}


def refused(text):
    """Return the sentence with which a description is refused, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModelError) as error:
            RobotModel.from_urdf(text, "tool")
    return str(error.value)


SPACED = pytest.mark.parametrize("spaced", [" {}", "{} ", "\t{}", "{}\n", "\n  {}  \n"])


@SPACED
@pytest.mark.parametrize("quote", ['"', "'"])
def test_space_around_a_number_changes_nothing(spaced, quote):
    # Pinocchio's reader leaves out a whole <inertial> for it, and says so nowhere.
    plain = RobotModel.from_urdf(described(), "tool")
    text = NUMBER.sub(lambda x: f"={quote}{spaced.format(x[1])}{quote}", described())
    assert spaced.format("2") in text
    model = RobotModel.from_urdf(text, "tool")
    np.testing.assert_array_equal(model.link_phi, plain.link_phi)


@pytest.mark.parametrize("reference", ["&#10;", "&#9;", "&#32;"])
def test_a_mass_that_is_not_read_is_never_left_out(reference):
    with pytest.raises(ModelError, match="weigh"):
        RobotModel.from_urdf(described(m=f"2.0{reference}"), "tool")


def test_the_arm_of_these_tests_is_sound():
    model = RobotModel.from_urdf(described(), "tool")
    assert model.joints == ("shoulder", "elbow")
    np.testing.assert_allclose(model.link_phi[:, 0], 2.0)


@pytest.mark.parametrize("key", ["m", "z", "ixx", "iyy", "izz", "ixy"])
@pytest.mark.parametrize("text", NO_NUMBERS)
def test_text_for_a_number_of_a_body_names_its_link(key, text):
    sentence = refused(described(**{key: text}))
    assert "'upper'" in sentence
    assert text in sentence


@pytest.mark.parametrize("key", ["xyz", "axis", "low", "high", "effort", "velocity"])
@pytest.mark.parametrize("text", NO_NUMBERS)
def test_text_for_a_number_of_a_joint_names_it(key, text):
    sentence = refused(described(**{key: text}))
    assert "'shoulder'" in sentence
    assert text in sentence


@pytest.mark.parametrize("m", ["0", "-0.0", "-2", "1e-320", "1e9"])
def test_a_mass_of_no_body_names_its_link(m):
    assert "'upper'" in refused(described(m=m))


@pytest.mark.parametrize("seed", range(20))
def test_inertias_of_some_body_are_taken_and_others_refused(seed):
    """Of principal moments about turned axes, within rounding to three digits."""
    rng = np.random.default_rng(seed)
    second = rng.dirichlet(np.ones(3)) * 10.0 ** rng.uniform(-4, 1)  # integrals of x2, y2, z2
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moments = second.sum() - second
    for possible in (True, False):
        if not possible:
            moments[np.argmax(moments)] = moments.sum() * rng.uniform(1.05, 20.0)
        I = turn @ np.diag(moments) @ turn.T
        upper = {key: f"{I[a, b]:.3g}" for key, a, b in
                 (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1))}  # fmt: skip
        text = INERTIAL.format(m="1", z="0", **upper).replace('ixz="0"', f'ixz="{I[0, 2]:.3g}"')
        text = described(inertial=text.replace('iyz="0"', f'iyz="{I[1, 2]:.3g}"'))
        if possible:
            assert RobotModel.from_urdf(text, "tool").n == 2
        else:
            sentence = refused(text)
            assert "has moments of inertia that no body has" in sentence
            assert "'shoulder'" in sentence
            assert "upper" in sentence


def test_a_negative_moment_is_refused():
    for key in ("ixx", "iyy", "izz"):
        assert "'upper'" in refused(described(**{key: "-0.02"}))
    assert "'upper'" in refused(described(ixy="5"))


@pytest.mark.parametrize("axis", ["0 0 0", "0 -0 0", "1e-300 0 0"])
def test_an_axis_without_direction_names_its_joint(axis):
    assert "'shoulder'" in refused(described(axis=axis))


@pytest.mark.parametrize("kind", LOOPS)
def test_a_kinematic_loop_is_named(kind):
    assert "kinematic loop" in refused(LOOPS[kind])


@pytest.mark.parametrize("kind", PARTS)
def test_parts_that_do_not_fit_are_named(kind):
    name, text = PARTS[kind]
    assert name in refused(text)


@pytest.mark.parametrize("kind", OTHERS)
def test_another_format_is_named(kind):
    assert kind in refused(OTHERS[kind]) or "robot" in refused(OTHERS[kind])


@pytest.mark.parametrize("kind", ["floating", "planar", "ball", "", "Revolute"])
def test_joints_of_other_kinds_are_named(kind):
    assert "'shoulder'" in refused(described(kind=kind))


def test_a_mere_frame_may_state_zeros():
    nothing = INERTIAL.format(m="0", z="0", ixx="0", iyy="0", izz="0", ixy="0")
    text = described(more=f'<link name="mark">{nothing}</link>' + joint("m", "tool", "mark"))
    assert RobotModel.from_urdf(text, "mark").n == 2


def test_a_part_with_rough_inertia_is_taken_where_the_whole_is_a_body():
    """Sensors and covers of real descriptions; a negative moment is refused all the same."""
    more = '<link name="lid">{}</link>' + joint("m", "tool", "lid")
    rough = {**BODY, "m": "0.01", "ixx": "1e-5", "iyy": "1e-5", "izz": "1e-4"}
    assert (
        RobotModel.from_urdf(described(more=more.format(INERTIAL.format(**rough))), "tool").n == 2
    )
    negative = INERTIAL.format(**{**rough, "ixx": "-1e-5"})
    assert "'lid'" in refused(described(more=more.format(negative)))


def test_a_long_chain_is_read_in_bounded_time():
    links = "".join(f'<link name="l{k}"/>' for k in range(500))
    joints = "".join(joint(f"f{k}", f"l{k - 1}" if k else "tool", f"l{k}") for k in range(500))
    assert RobotModel.from_urdf(described(more=links + joints), "tool").n == 2


@pytest.mark.parametrize("name", ["nowhere", "\ud800", "", "\0"])
def test_a_payload_frame_that_there_is_none_of_is_named_whatever_its_letters(name):
    with pytest.raises(UnknownNameError, match="payload frame"):
        RobotModel.from_urdf(described(), name)


@pytest.mark.parametrize("name", ["nonsense", [1], 0.1])
def test_a_bound_that_there_is_none_of_is_refused(name):
    with pytest.raises(InputError):
        Uncertainty().per_joint(name, 6)
