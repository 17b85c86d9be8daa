"""Exports: units, order and frame of each target by round trip; what may not be used is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
import yaml

from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.errors import ConfigurationError, InputError, UnknownNameError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.files.export.exported import TARGETS, exported
from payload_id.files.export.loads.result_file import read_result
from payload_id.files.robots.description.urdf import read_urdf
from payload_id.files.robots.robot_file import RobotFile
from payload_id.files.robots.robot_model import RobotModel
from payload_id.files.runs.run_file import RunFile

MASS, COM = 1.25, np.array([0.012, -0.034, 0.056])
INERTIA = np.array([[4e-3, 1e-4, -2e-4], [1e-4, 5e-3, 3e-4], [-2e-4, 3e-4, 6e-3]])
PHI = from_mass_com_inertia(MASS, COM, INERTIA)
XARM, HOLDING = RobotFile.load("xarm7"), RobotFile.load("kinova_gen3_2f85")
NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def estimate(frame: str = "link_eef", known: int = 10, half: float = 1e-3, **changes) -> Estimate:
    entries = {
        "phi": PHI, "lower": PHI - half, "upper": PHI + half, "identifiable": np.arange(10) < known,
        "status": Status.GOOD, "message": "All is well.", "estimator": "lmi", "intervals": "hull",
        "payload_frame": frame,
    }  # fmt: skip
    return Estimate(**{**entries, **changes})


@pytest.fixture
def saved(tmp_path):
    """Return a function that writes an estimate as 'replay --json' does, and reads it."""

    def save(**changes):
        path = tmp_path / "result.json"
        path.write_text(json.dumps(estimate(**changes).to_dict()))
        return read_result(path)

    return save


def request(text: str) -> dict:
    """Return what a target reads."""
    return yaml.safe_load(text)


def test_xarm_takes_millimetres(saved):
    text = exported(saved(), "xarm", XARM)
    found = request(text)
    assert set(found) == {"weight", "center_of_gravity"}
    assert found["weight"] == pytest.approx(MASS)
    np.testing.assert_allclose(found["center_of_gravity"], [12.0, -34.0, 56.0])
    assert "/xarm/set_tcp_load" in text and "Nothing was sent" in text and "link_eef" in text
    assert "1.249 to 1.251 kg" in text


def test_ur_takes_metres_and_the_inertia_about_the_centre_of_mass(saved):
    found = request(exported(saved(), "ur", XARM, frame="link_eef"))
    centre = found.pop("center_of_gravity")
    np.testing.assert_allclose([centre[k] for k in "xyz"], COM)
    assert found.pop("mass") == pytest.approx(MASS)
    assert found.pop("transition_time") > 0.0
    upper = INERTIA[np.triu_indices(3)]
    assert found == {name: pytest.approx(x) for name, x in zip(NAMES, upper, strict=True)}


def test_ur_without_fields_for_the_inertia(saved):
    found = request(exported(saved(known=4), "ur", XARM, frame="link_eef", with_inertia=False))
    assert set(found) == {"mass", "center_of_gravity"}
    with pytest.raises(InputError, match="--no-inertia"):
        exported(saved(), "franka", XARM, frame="link_eef", with_inertia=False)


def test_franka_takes_columns(saved):
    found = request(exported(saved(), "franka", XARM, frame="link_eef"))
    np.testing.assert_allclose(np.reshape(found["load_inertia"], (3, 3), order="F"), INERTIA)
    np.testing.assert_allclose(found["center_of_mass"], COM)
    assert found["mass"] == pytest.approx(MASS)


def test_kinova_takes_the_load_at_the_flange_without_the_gripper(saved):
    # The tool frame of the gripper has the flange's axes, at a distance along z.
    link = f'child link="{HOLDING.payload_frame}"'
    joint = next(x for x in HOLDING.urdf.split("<joint")[1:] if link in x)
    away = np.array([float(x) for x in joint.split('xyz="')[1].split('"')[0].split()])
    assert away[2] > 0.1
    text = exported(saved(frame=HOLDING.payload_frame), "kinova", HOLDING)
    found = request(text)
    assert set(found) == {"payload_mass", "payload_mass_center"}
    assert found["payload_mass"] == pytest.approx(MASS)
    np.testing.assert_allclose(
        [found["payload_mass_center"][k] for k in "xyz"], COM + away, atol=1e-9
    )
    assert "end_effector_link" in text and "(identified in tool_frame)" in text


def test_a_result_of_another_arm_is_not_moved_by_this_ones_description(tmp_path):
    path = tmp_path / "result.json"
    arm = RobotModel.from_urdf(XARM.urdf, estimate().payload_frame, XARM.joints, XARM.gravity)
    entries = estimate().to_dict() | {"robot_digest": arm.digest}
    path.write_text(json.dumps(entries))
    assert exported(read_result(path), "xarm", XARM)
    path.write_text(json.dumps(entries | {"robot_digest": arm.digest[::-1]}))
    with pytest.raises(ConfigurationError, match="another arm than .*xarm7.yaml describes"):
        exported(read_result(path), "xarm", XARM)


def test_what_wants_everything_gets_the_gripper_too(saved):
    text = exported(saved(frame="tool_frame"), "xarm", HOLDING, frame="end_effector_link")
    assert request(text)["weight"] == pytest.approx(MASS + 0.920864, abs=1e-4)
    assert "0.9209 kg beyond end_effector_link" in text


def test_what_a_sensor_felt_is_not_added_again(tmp_path):
    path = tmp_path / "result.json"
    felt = {**estimate("end_effector_link").to_dict(), "uncertainty": {"force_error": 0.1}}
    path.write_text(json.dumps(felt))
    text = exported(read_result(path), "gravity_filter", HOLDING)
    assert request(text)["tool"]["mass"] == pytest.approx(MASS)
    assert "tool and payload together" in text


def test_the_filters_parameters_give_the_loads_weight(saved):
    found = request(exported(saved(), "gravity_filter", XARM))
    assert found["world_frame"] in XARM.urdf and found["sensor_frame"] == "link_eef"
    tool = found["tool"]
    weight = np.array(tool["gravity_field"]) * tool["mass"]  # sensor and world alike
    np.testing.assert_allclose(weight, [0, 0, -9.81 * MASS])
    np.testing.assert_allclose(np.cross(tool["CoG"], weight), np.cross(PHI[1:4], [0, 0, -9.81]))


def test_the_filter_needs_to_know_where_gravity_points(saved):
    felt = replace(saved(), of_wrench=True)
    with pytest.raises(ConfigurationError, match="world frame.*--robot"):
        exported(felt, "gravity_filter")


def mass_of(urdf: str, link: str) -> np.ndarray:
    """Return what a link adds to the joint that carries it, shape (10,), in its own frame."""
    root = ElementTree.fromstring(urdf)
    for each in root.findall("link"):
        for inertial in each.findall("inertial") if each.get("name") != link else ():
            each.remove(inertial)
    model = pin.buildModelFromXML(ElementTree.tostring(root, encoding="unicode"))
    placed = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
    body = placed.placement.actInv(model.inertias[placed.parentJoint])
    return from_mass_com_inertia(body.mass, np.array(body.lever), np.array(body.inertia))


def test_a_urdf_link_is_the_payload_again(saved, tmp_path):
    text = exported(saved(), "urdf", XARM)
    path = tmp_path / "loaded.urdf"
    path.write_text(XARM.urdf.replace("</robot>", f"{text}</robot>"))
    np.testing.assert_allclose(mass_of(read_urdf(path), "payload"), PHI, rtol=1e-12, atol=1e-15)


def test_a_xacro_macro_is_the_payload_again(saved, tmp_path):
    (tmp_path / "payload.xacro").write_text(exported(saved(), "xacro", XARM))
    (tmp_path / "arm.xacro").write_text(
        XARM.urdf.replace(
            "</robot>",
            '<xacro:include filename="payload.xacro"/><xacro:payload name="box"/></robot>',
        ).replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ', 1)
    )
    urdf = read_urdf(tmp_path / "arm.xacro")
    np.testing.assert_allclose(mass_of(urdf, "box"), PHI, rtol=1e-12, atol=1e-15)


def test_a_record_has_null_for_what_is_not_known(saved):
    lower, upper = PHI - 1e-3, PHI + 1e-3
    lower[4:], upper[4:] = -np.inf, np.inf
    result = saved(known=4, status=Status.USABLE, lower=lower, upper=upper)
    found = request(exported(result, "yaml", XARM))
    assert found["inertia"] is None and found["inertia_interval"]["ixx"] == [None, None]
    np.testing.assert_allclose(found["center_of_mass"], COM)
    low, high = np.transpose(found["center_of_mass_interval"])
    assert (low < COM).all() and (high > COM).all()
    assert len(found["not_identified"]) == 6


ALLOWED = (Status.GOOD, Status.USABLE, Status.SMALL_LOAD)


@pytest.mark.parametrize("status", [status for status in Status if status not in ALLOWED])
@pytest.mark.parametrize("name", TARGETS)
def test_a_verdict_that_allows_no_use_is_refused(saved, name, status):
    with pytest.raises(InputError, match=f"{status.value}.*GOOD, USABLE, SMALL_LOAD"):
        exported(saved(status=status), name, XARM, frame="link_eef")


@pytest.mark.parametrize(
    ("name", "known"), [(name, 3) for name in TARGETS if name != "yaml"]
    + [(name, 9) for name in ("ur", "franka", "urdf", "xacro")] + [("yaml", 0)],
)  # fmt: skip
def test_what_is_not_identified_is_not_written_as_zero(saved, name, known):
    with pytest.raises(InputError, match="unknown is not zero"):
        exported(saved(known=known), name, XARM, frame="link_eef")


@pytest.mark.parametrize("name", TARGETS)
def test_a_payload_that_may_be_heavier_than_rated_is_refused(saved, name):
    with pytest.raises(InputError, match=r"may weigh 1\.251 kg.*1\.25 kg are rated"):
        exported(saved(), name, XARM, frame="link_eef", rated_mass=1.25)
    upper = PHI + 1e-3
    upper[0] = np.inf
    with pytest.raises(InputError, match="may weigh inf kg"):
        exported(saved(upper=upper), name, XARM, frame="link_eef")


def test_an_arm_is_told_nothing_while_its_rated_load_or_frame_is_unknown(saved):
    with pytest.raises(ConfigurationError, match="--rated-mass"):
        exported(saved(), "franka")
    with pytest.raises(ConfigurationError, match="--frame"):
        exported(saved(), "franka", XARM)
    with pytest.raises(ConfigurationError, match="--robot"):
        exported(saved(), "franka", frame="flange", rated_mass=3.0)
    with pytest.raises(ConfigurationError, match="beside the payload is not known.*--robot"):
        exported(saved(), "ur", frame="link_eef", rated_mass=3.0)
    assert request(exported(saved(), "franka", frame="link_eef", rated_mass=3.0))


def test_a_link_that_moves_or_is_not_there_is_no_frame_for_the_load(saved):
    with pytest.raises(ConfigurationError, match="move against each other"):
        exported(saved(), "xarm", XARM, frame="link3")
    with pytest.raises(UnknownNameError, match="link_eef"):
        exported(saved(), "xarm", XARM, frame="link_ef")


def test_no_body_is_exported_as_one(saved):
    wrong = PHI.copy()
    wrong[4] = 1.0
    with pytest.raises(InputError, match="of no body"):
        exported(saved(phi=wrong), "urdf", XARM)


@pytest.mark.parametrize("name", ["yaml", "kinova", "urdf", "ur"])
def test_an_estimate_outside_of_its_own_interval_is_not_exported(saved, name):
    with pytest.raises(InputError, match="outside of its own interval in m"):
        exported(saved(phi=3.0 * PHI), name, XARM, frame="link_eef")


def test_names_cannot_carry_markup(saved):
    with pytest.raises(InputError, match="cannot be written"):
        exported(saved(frame="${system('x')}"), "xacro")


def test_a_saved_run_is_exported_with_its_own_description(tmp_path, capsys):
    RunFile(
        XARM.joints, "link_eef", XARM.urdf, robot="xarm7", result=estimate().to_dict()
    ).save(tmp_path)  # fmt: skip
    out = tmp_path / "deeper" / "load.yaml"
    assert main(["export", str(tmp_path), "--as", "xarm", "--out", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    assert main(["export", str(tmp_path), "--as", "xarm"]) == 0
    assert capsys.readouterr().out == out.read_text()
    assert main(["export", str(tmp_path), "--as", "gravity_filter"]) == 0
    assert request(capsys.readouterr().out)["tool"]["gravity_field"] == [0.0, 0.0, -9.81]


def test_a_robot_file_with_another_gripper_than_the_runs_is_refused(tmp_path, capsys):
    bare = RobotFile.load("kinova_gen3")
    RunFile(
        bare.joints, "end_effector_link", bare.urdf, robot="kinova_gen3",
        result=estimate("end_effector_link").to_dict(),
    ).save(tmp_path)  # fmt: skip
    words = ["export", str(tmp_path), "--as", "ur", "--frame", "end_effector_link", "--robot"]
    assert main([*words, "kinova_gen3"]) == 0
    assert main([*words, "kinova_gen3_2f85"]) == 2
    assert "0 kg, that of kinova_gen3_2f85.yaml 0.9209 kg" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "FINE"}, "'status'"),
        ({"phi": [1.0] * 9}, "'phi'"),
        ({"lower": ["a"] * 10}, "'lower'"),
        ({"upper": [True] * 10}, "'upper'"),
        ({"identifiable": [1] * 10}, "'identifiable'"),
        ({"payload_frame": ""}, "'payload_frame'"),
        ({"parameters": ["m"]}, "'parameters'"),
        ({"lower": [2.0] * 10}, "nowhere above"),
        ({"uncertainty": 3}, "'uncertainty'"),
    ],
)
def test_a_file_that_is_no_result_is_refused_in_a_sentence(tmp_path, capsys, changes, words):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({**estimate().to_dict(), **changes}))
    assert main(["export", str(path), "--as", "yaml"]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


@pytest.mark.parametrize("content", ["", "[]", "null", "{}", "nonsense"])
def test_other_files_and_folders_are_refused_in_a_sentence(tmp_path, capsys, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    for given in (path, tmp_path, tmp_path / "absent"):
        assert main(["export", str(given), "--as", "yaml"]) == 2
        assert capsys.readouterr().err.count("\n") == 1
