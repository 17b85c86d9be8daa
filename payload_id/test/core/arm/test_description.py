"""Robot descriptions that cannot be: a sentence names link or joint; none ends the process."""

import re
import warnings

import numpy as np
import pytest

from described_arms import BODY, INERTIAL, described, joint
from payload_id import RobotModel
from payload_id.core.errors import ModelError

NUMBER = re.compile(r'="([-\d. ]*\d[-\d. ]*)"')
NO_NUMBERS = ("", "abc", "nan", "-inf", "1e400", "1,5", "0x10", "1 2", "NaN kg")
LOOPS = (
    described(parent="lower"),
    described(parent="upper"),
    described(more=joint("back", "tool", "base")),  # through the base
    described(  # beside the arm
        more='<link name="x"/><link name="y"/>' + joint("xy", "x", "y") + joint("yx", "y", "x")
    ),
    described(more=joint("brace", "tool", "upper")),  # of two parents
)
NAMED = {  # description: what the refusal names
    **dict.fromkeys(LOOPS, "kinematic loop"),
    described(more='<link name="other"/>'): "other",  # two roots
    described(parent="ghost"): "ghost",
    described(child="ghost"): "ghost",
    described(more='<link name="upper"/>'): "upper",
    described(more='<link name="z"/>' + joint("elbow", "tool", "z")): "elbow",
    described(more="<link/>" + joint("j", "tool", "")): "link",
    described(inner='<mimic joint="shoulder"/>'): "shoulder",
    **{described(m=m): "'upper'" for m in ("-2", "1e9")},
    **{described(**{key: "-0.02"}): "'upper'" for key in ("ixx", "iyy", "izz")},
    described(ixy="5"): "'upper'",
    **{described(axis=axis): "'shoulder'" for axis in ("0 0 0", "0 -0 0", "1e-300 0 0")},
    **{described(kind=kind): "'shoulder'" for kind in ("floating", "ball", "", "Revolute")},
    '<sdf version="1.6"><model name="r"><link name="a"/></model></sdf>': "SDF",
    '<mujoco model="r"><worldbody><body name="a"/></worldbody></mujoco>': "MJCF",
    described(xyz="${length} 0 0"): "xacro",
    described(more='<xacro:arm xmlns:xacro="http://ros.org/wiki/xacro"/>'): "xacro",
    "<html><body>404 Not Found</body></html>": "robot",
    '<robot name="r"><group name="arm"/></robot>': "robot",
    described()[:500]: "well-formed",
    '{"a": "<robot>"}': "well-formed",
}


def read(text):
    return RobotModel.from_urdf(text, "tool")


def refused(text):
    """Return the sentence with which a description is refused, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ModelError) as error:
            read(text)
    return str(error.value)


def test_what_is_wrong_is_named():
    assert read(described()).joints == ("shoulder", "elbow")
    for text, name in NAMED.items():
        assert name in refused(text), text


def test_what_readers_of_urdf_do_not_take_and_means_nothing_is_left_out():
    plain = read(described())
    for text in (described(inner='<mimic joint="ghost"/>'), described().replace(' name="arm"', "")):
        np.testing.assert_array_equal(read(text).link_phi, plain.link_phi)
    for mass in ("0", "-0.0", "1e-320"):
        assert read(described(m=mass)).link_phi[:, 0].sum() < plain.link_phi[:, 0].sum()


def test_text_for_a_number_names_its_link_or_joint():
    for text in NO_NUMBERS:
        for key in ("m", "z", "ixx", "iyy", "izz", "ixy"):
            sentence = refused(described(**{key: text}))
            assert "'upper'" in sentence and text in sentence
        for key in ("xyz", "axis", "low", "high", "effort", "velocity"):
            sentence = refused(described(**{key: text}))
            assert "'shoulder'" in sentence and text in sentence


def test_space_around_a_number_changes_nothing():
    # Pinocchio's reader leaves out a whole <inertial> for it, and says so nowhere.
    plain = read(described()).link_phi
    np.testing.assert_allclose(plain[:, 0], 2.0)
    for spaced in ('" {}"', "'{} '", '"\t{}"', '"{}\n"', "'\n  {}  \n'"):
        text = NUMBER.sub(lambda x, spaced=spaced: "=" + spaced.format(x[1]), described())
        np.testing.assert_array_equal(read(text).link_phi, plain)
    for reference in ("&#10;", "&#9;", "&#32;"):
        np.testing.assert_array_equal(read(described(m=f"2.0{reference}")).link_phi, plain)


def test_frames_may_state_zeros_and_parts_rough_inertia_where_the_whole_is_a_body():
    """Sensors and covers of real descriptions; a negative moment is refused all the same."""
    nothing = INERTIAL.format(m="0", z="0", ixx="0", iyy="0", izz="0", ixy="0")
    text = described(more=f'<link name="mark">{nothing}</link>' + joint("m", "tool", "mark"))
    assert RobotModel.from_urdf(text, "mark").n == 2
    more = '<link name="lid">{}</link>' + joint("m", "tool", "lid")
    rough = {**BODY, "m": "0.01", "ixx": "1e-5", "iyy": "1e-5", "izz": "1e-4"}
    assert read(described(more=more.format(INERTIAL.format(**rough)))).n == 2
    negative = INERTIAL.format(**{**rough, "ixx": "-1e-5"})
    assert "'lid'" in refused(described(more=more.format(negative)))


@pytest.mark.slow
def test_a_long_chain_is_read_in_bounded_time():
    links = "".join(f'<link name="l{k}"/>' for k in range(500))
    joints = "".join(joint(f"f{k}", f"l{k - 1}" if k else "tool", f"l{k}") for k in range(500))
    assert read(described(more=links + joints)).n == 2
