"""What is handed on says what was found: exports, loads of controllers, comparisons, drafts."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
import yaml

from .arms import Motion, drawn_payload, is_physical, phi_of
from .command_line import is_one_sentence, payload_id
from .own_arm import JOINTS, own_arm
from .recorded import columns_of, noisy, write_table

NOISE = 0.02
SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
TO_FLANGE = ("--frame", "flange", "--rated-mass", 4.0)


class Case:
    """An own arm with a payload, a table of it, and what the command line says of that."""

    def __init__(self, folder: Path) -> None:
        self.folder, rng = folder, np.random.default_rng(3)
        self.arm, self.phi = own_arm(folder), drawn_payload(rng)
        self.motion = self.arm.motion(rng, 2.0)
        self.tau = noisy(rng, self.arm.torques(self.motion, self.phi), NOISE)
        self.table = write_table(folder / "run.csv", self.motion, self.tau)
        (folder / "columns.yaml").write_text(columns_of(JOINTS))

    def reads(self, table: Path | None = None) -> tuple[object, ...]:
        """Return the arguments that name recording, robot and columns."""
        robot = ("--robot", self.arm.name, "--columns", self.folder / "columns.yaml")
        return (table or self.table, *robot)

    def changed(self, name: str, change: Callable[[Motion, np.ndarray], Any]) -> Path:
        """Write another table, in which something is wrong."""
        return write_table(self.folder / f"{name}.csv", *change(self.motion, self.tau))


@pytest.fixture(scope="module")
def case(tmp_path_factory) -> Case:
    return Case(tmp_path_factory.mktemp("own"))


@pytest.fixture
def result(case, capsys) -> Path:
    """Return what `identify --json` printed, as a file."""
    path = case.folder / "result.json"
    if not path.exists():
        answer = payload_id(capsys, "identify", *case.reads(), "--json", "--intervals", "hull_lp")
        path.write_text(answer.out)
    return path


@pytest.fixture
def export(case, result, capsys) -> Callable[..., str]:
    """Return a function that exports the result and returns what is written."""

    def exported(target: str, *more: object) -> str:
        arguments = ("load", "export", result, "--as", target, "--robot", case.arm.name, *more)
        answer = payload_id(capsys, *arguments)
        assert answer.code == 0, answer.text
        return answer.out

    return exported


def pose(case: Case, link: str, other: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation and place of one link's frame in another's, by Pinocchio."""
    model = pin.buildModelFromXML(case.arm.file.urdf)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    placed = data.oMf[model.getFrameId(other)].actInv(data.oMf[model.getFrameId(link)])
    return placed.rotation, placed.translation


def body_of(phi: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and inertia about the centre of ten parameters about an origin."""
    mass, com = phi[0], np.asarray(phi[1:4]) / phi[0]
    about = np.zeros((3, 3))
    about[np.triu_indices(3)] = phi[4:]
    about = about + np.triu(about, 1).T
    return mass, com, about - mass * (com @ com * np.eye(3) - np.outer(com, com))


def in_flange(case: Case, phi: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and inertia about it of a payload, in the flange's frame."""
    mass, com, inertia = body_of(phi)
    R, p = pose(case, "tool", "flange")
    return mass, R @ com + p, R @ inertia @ R.T


def with_gripper(case: Case, phi: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the same with the gripper, whose numbers are those of `own_arm.py`."""
    R, p = pose(case, "gripper", "flange")
    turned = R @ pin.rpy.rpyToMatrix(0.2, 0.1, -0.4)
    own = np.array([[6e-4, 1e-4, 0], [1e-4, 5e-4, 5e-5], [0, 5e-5, 4e-4]])
    gripper = phi_of(0.4, R @ [0.01, 0.0, 0.03] + p, turned @ own @ turned.T)
    return body_of(gripper + phi_of(*in_flange(case, phi)))


def found(result: Path) -> dict[str, Any]:
    return json.loads(result.read_text())


def matrix(ixx, ixy, ixz, iyy, iyz, izz) -> np.ndarray:
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def same(given: tuple[Any, Any, Any], expected: tuple[Any, Any, Any]) -> None:
    """Check mass, centre and inertia; None where a target takes no inertia."""
    assert given[0] == pytest.approx(expected[0], rel=1e-9)
    np.testing.assert_allclose(given[1], expected[1], rtol=1e-9, atol=1e-12)
    if given[2] is not None:
        np.testing.assert_allclose(given[2], expected[2], rtol=1e-8, atol=1e-12)


# ------------------------------------------------------------------------------ the same body


def test_a_description_holds_the_payload_in_its_own_frame(case, result, export):
    """URDF: read by Pinocchio, beside an own look at the text."""
    phi = found(result)["phi"]
    link, joint = ElementTree.fromstring(f"<robot>{export('urdf')}</robot>")
    assert joint.find("parent").get("link") == "tool"
    same(of_link(link), body_of(phi))
    tree = ElementTree.fromstring(export("xacro"))
    macro = tree[0]
    assert "parent:=tool" in macro.get("params")
    same(of_link(macro.find("link")), body_of(phi))
    whole = case.arm.file.urdf.replace("</robot>", export("urdf") + "</robot>")
    loaded, bare = pin.buildModelFromXML(whole), pin.buildModelFromXML(case.arm.file.urdf)
    added = loaded.inertias[4].mass - bare.inertias[4].mass
    assert added == pytest.approx(phi[0])
    seen = ElementTree.fromstring(f"<robot>{export('urdf', '--frame', 'flange')}</robot>")
    assert seen[1].find("parent").get("link") == "flange"
    same(of_link(seen[0]), in_flange(case, phi))


def of_link(link: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and inertia about it of a link of a description, in its axes."""
    (one,) = link.iter("inertial")
    origin = one.find("origin")
    R = pin.rpy.rpyToMatrix(*map(float, (origin.get("rpy") or "0 0 0").split()))
    inertia = matrix(*(float(one.find("inertia").get(x)) for x in SIX))
    com = np.array(origin.get("xyz").split(), dtype=float)
    return float(one.find("mass").get("value")), com, R @ inertia @ R.T


def test_a_record_for_programs_has_all_of_it_with_intervals(case, result, export):
    told, phi = yaml.safe_load(export("yaml", "--frame", "flange")), found(result)
    same((told["mass"], told["center_of_mass"], matrix(**told["inertia"])),
         in_flange(case, phi["phi"]))  # fmt: skip
    assert told["status"] == phi["status"] and told["frame"] == "flange"
    assert told["mass_interval"] == [phi["lower"][0], phi["upper"][0]]
    assert told["not_identified"] == []


def test_controllers_get_their_units_and_what_hangs_on_their_flange(case, result, export):
    phi = found(result)["phi"]
    alone, both = in_flange(case, phi), with_gripper(case, phi)
    ur = yaml.safe_load(export("ur"))  # frame and rated mass are the robot file's
    centre = [ur["center_of_gravity"][x] for x in "xyz"]
    same((ur["mass"], centre, matrix(*(ur[x] for x in SIX))), both)
    assert ur["transition_time"] == 0.5
    light = yaml.safe_load(export("ur", "--no-inertia"))
    assert set(light) == {"mass", "center_of_gravity"} and light["mass"] == ur["mass"]
    xarm = yaml.safe_load(export("xarm", *TO_FLANGE))
    same((xarm["weight"], np.array(xarm["center_of_gravity"]) / 1e3, None), both)
    kinova = yaml.safe_load(export("kinova", *TO_FLANGE))
    same((kinova["payload_mass"], [kinova["payload_mass_center"][x] for x in "xyz"], None), alone)
    franka = yaml.safe_load(export("franka", *TO_FLANGE))
    columns = np.reshape(franka["load_inertia"], (3, 3)).T
    same((franka["mass"], franka["center_of_mass"], columns), alone)
    filtered = yaml.safe_load(export("gravity_filter", *TO_FLANGE))
    tool = filtered["tool"]
    same((tool["mass"], tool["CoG"], None), both)
    assert (filtered["world_frame"], filtered["sensor_frame"]) == ("base", "flange")
    assert tool["gravity_field"] == [0.0, 0.0, -9.81]


def test_what_hangs_beside_the_flange_or_carries_the_sensor_counts_too(
    case, result, tmp_path, capsys
):
    own_arm(tmp_path)
    beside = '<parent link="wrist"/><child link="gripper"/>\n'
    beside += '<origin xyz="{} {} 0.07" rpy="0 0 1.2"/>'
    text = (tmp_path / "own_arm.urdf").read_text()
    text = text.replace(
        '<parent link="flange"/><child link="gripper"/>\n<origin xyz="0 0.02 0.01" rpy="0 0 0.7"/>',
        beside.format(-0.02 * np.sin(0.5), 0.02 * np.cos(0.5)),
    )
    (tmp_path / "own_arm.urdf").write_text(text)
    told = {key: x for key, x in found(result).items() if key != "robot_digest"}
    expected = with_gripper(case, told["phi"])
    for robot, more in ((tmp_path / "own_arm.yaml", {}),
                        (case.arm.name, {"uncertainty": {"force_error": 0.1}})):  # fmt: skip
        (tmp_path / "result.json").write_text(json.dumps({**told, **more}))
        line = (
            "load",
            "export",
            tmp_path / "result.json",
            "--as",
            "ur",
            "--robot",
            robot,
            *TO_FLANGE,
        )
        answer = payload_id(capsys, *line)
        ur = yaml.safe_load(answer.out)
        centre = [ur["center_of_gravity"][x] for x in "xyz"]
        same((ur["mass"], centre, matrix(*(ur[x] for x in SIX))), expected)
        assert "gripper 0.4 kg" in answer.out


def turn(axis: int, angle: float) -> np.ndarray:
    """Return a rotation about x, y or z by an angle [deg]."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    made = np.eye(3)
    made[[j, k], [j, k]] = np.cos(np.radians(angle))
    made[k, j] = np.sin(np.radians(angle))
    made[j, k] = -made[k, j]
    return made


def of_quaternion(w: float, x: float, y: float, z: float) -> np.ndarray:
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def of_krc(m, x, y, z, a, b, c, *moments) -> tuple[float, Any, Any]:
    axes = turn(2, a) @ turn(1, b) @ turn(0, c)
    return m, [x / 1e3, y / 1e3, z / 1e3], axes @ np.diag(moments) @ axes.T


def of_rapid(m, x, y, z, q1, q2, q3, q4, *moments) -> tuple[float, Any, Any]:
    axes = of_quaternion(q1, q2, q3, q4)
    return m, [x / 1e3, y / 1e3, z / 1e3], axes @ np.diag(moments) @ axes.T


ENTERED = {  # controller: whether the gripper counts, what its numbers mean; None: no inertia
    "kuka_krc": (True, of_krc),
    "abb": (False, of_rapid),
    "kuka_sunrise": (True, lambda m, *c: (m, [x / 1e3 for x in c], None)),
    "doosan": (True, lambda m, *c: (m, [x / 1e3 for x in c[:3]], None)),
    "fanuc": (True, lambda m, x, y, z, *i: (
        m, [x / 1e2, y / 1e2, z / 1e2], np.array(i) * 9.80665 * 0.01)),  # kgf, cm
    "yaskawa": (True, lambda m, x, y, z, *i: (m, [x / 1e3, y / 1e3, z / 1e3], np.array(i))),
}  # fmt: skip


@pytest.mark.parametrize("target", ENTERED)
def test_industrial_controllers_get_what_their_manuals_say(case, result, export, target):
    phi = found(result)["phi"]
    whole, read = ENTERED[target]
    text = export(target, *TO_FLANGE)
    lines = [x for x in text.splitlines() if x[:2] not in ("# ", "; ", "! ", "//")]
    named = re.compile(r"\[[a-zA-Z][^\]]*\]|[A-Za-z_]+\d|\[1\]")  # units, digits of names
    digits = re.findall(r"-?\d[\d.]*(?:e-?\d+)?", named.sub("", "\n".join(lines)))
    mass, com, inertia = (with_gripper if whole else in_flange)(case, phi)
    given = read(*map(float, digits))
    assert given[0] == pytest.approx(mass, rel=1e-5)
    np.testing.assert_allclose(given[1], com, rtol=1e-5, atol=1e-9)
    if given[2] is not None:
        wanted = inertia if np.ndim(given[2]) == 2 else np.diag(inertia)
        np.testing.assert_allclose(given[2], wanted, rtol=1e-4, atol=1e-5 * np.trace(inertia))
    assert "restart" in text or "Lasts" in text


def ends(words: str, scale: float = 1.0) -> np.ndarray:
    """Return the intervals in a comment, shape (k, 2)."""
    pairs = re.findall(r"(-?[\d.]+(?:e-?\d+)?) to (-?[\d.]+(?:e-?\d+)?)", words)
    return np.array(pairs, dtype=float) * scale


@pytest.mark.parametrize("target", ["ur", "franka"])
def test_comments_say_how_far_intervals_reach_in_the_targets_frame(case, result, export, target):
    """Every body of the box that can be is in them, and they are not much wider than those."""
    box, rng = found(result), np.random.default_rng(8)
    seen = with_gripper if target == "ur" else in_flange
    lower, upper = np.array(box["lower"]), np.array(box["upper"])
    corners = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
    share = np.hstack([corners, rng.uniform(0, 1, (len(corners), 6))])
    bodies = [seen(case, x) for x in lower + share * (upper - lower)]
    lines = export(target, *TO_FLANGE).splitlines()
    said = {x.split(":")[0].strip("# "): x for x in lines if x.startswith("#")}
    (mass,) = ends(said["Mass"])
    com = ends(said["Centre of mass x, y, z"])
    inertia = ends(said["Inertia about it"])
    assert mass[0] == pytest.approx(min(x[0] for x in bodies), rel=1e-4)
    assert mass[1] == pytest.approx(max(x[0] for x in bodies), rel=1e-4)
    centres = np.array([x[1] for x in bodies])
    assert (com[:, 0] <= centres.min(0)).all() and (centres.max(0) <= com[:, 1]).all()
    assert (np.ptp(com, axis=1) < 2.0 * np.ptp(centres, axis=0)).all()
    drawn = lower + rng.uniform(0, 1, (400, 10)) * (upper - lower)
    real = [x for x in (*drawn, box["phi"]) if np.linalg.eigvalsh(body_of(x)[2])[0] >= 0.0]
    each = np.array([seen(case, x)[2][np.triu_indices(3)] for x in real])
    assert (inertia[:, 0] <= each.min(0)).all() and (each.max(0) <= inertia[:, 1]).all()
    assert (np.ptp(inertia, axis=1) < 6.0 * np.ptp(each, axis=0)).all()


def test_what_may_not_be_used_is_refused_with_the_reason(case, result, capsys):
    good, path = found(result), case.folder / "bad.json"
    phi, nine = good["phi"], [*[True] * 9, False]
    unlike = [phi[0], *phi[1:4], *[1e-9] * 6]
    assert not is_physical(np.array(unlike)[[0, 1, 2, 3, 4, 5, 7, 6, 8, 9]])
    wrong = (
        ({"status": "INCONSISTENT"}, "ur", "INCONSISTENT"),
        ({"status": "NOT_IDENTIFIABLE"}, "yaml", "NOT_IDENTIFIABLE"),
        ({"identifiable": nine}, "ur", "Izz"), ({"identifiable": nine}, "franka", "Izz"),
        ({"identifiable": [False, *[True] * 9]}, "xarm", "needs m"),
        ({"phi": [-1.0, *phi[1:]]}, "xarm", "-1 kg"), ({"phi": unlike}, "urdf", "no body"),
        ({"phi": [None] * 10}, "xarm", "bad.json"),
        ({"lower": good["upper"]}, "xarm", "outside of its own interval"),
        ({"upper": [x + 3.9 for x in good["upper"]]}, "ur", "4 kg are rated"),
        ({"payload_frame": "nowhere"}, "ur", "nowhere"), ({"robot_digest": "ab"}, "ur", "another"),
    )  # fmt: skip
    for change, target, words in wrong:
        path.write_text(json.dumps({**good, **change}))
        arguments = ("load", "export", path, "--as", target, "--robot", case.arm.name)
        answer = payload_id(capsys, *arguments, *(TO_FLANGE if target != "ur" else ()))
        assert is_one_sentence(answer) and words in answer.text, (change, answer)
        assert not answer.out
    path.write_text(json.dumps({**good, "identifiable": nine}))
    arguments = ("load", "export", path, "--robot", case.arm.name, "--as")
    for usable in ("xarm", "kinova", "gravity_filter"):  # they take no inertia
        assert payload_id(capsys, *arguments, usable, *TO_FLANGE).code == 0
    assert payload_id(capsys, *arguments, "ur", "--no-inertia").code == 0
    told = yaml.safe_load(payload_id(capsys, *arguments, "yaml").out)
    assert told["not_identified"] == ["Izz [kg m2]"] and told["inertia"] is None  # not zero
    # Which frame a Kinova takes it in, the robot file of this arm does not say.
    assert is_one_sentence(payload_id(capsys, *arguments, "kinova"))
    light = payload_id(capsys, *arguments, "yaml", "--rated-mass", 0.4)
    assert is_one_sentence(light) and "0.4 kg are rated" in light.text


def test_an_arm_is_told_the_same_load_and_only_with_confirmation(case, result, export, capsys):
    arguments = ("load", "send", result, "--robot", case.arm.name, "--to")
    shown = payload_id(capsys, *arguments, "ur")
    assert shown.code == 0 and "Nothing was sent" in shown.text and "/set" in shown.text
    request = yaml.safe_load(export("ur"))
    for name in ("mass", *SIX):
        assert float(re.search(rf"\b{name}: (-?[\d.e-]+)", shown.out)[1]) == request[name]
    refused = payload_id(capsys, *arguments, "ur", "--confirm")  # no such messages are installed
    assert is_one_sentence(refused) and "ur_msgs" in refused.text
    assert is_one_sentence(payload_id(capsys, *arguments, "kinova"))
    assert is_one_sentence(payload_id(capsys, *arguments, "ur", "--undo"))
    assert not list(case.folder.glob("*load_applied*"))
    small = case.folder / "small.json"
    small.write_text(json.dumps({**found(result), "status": "SMALL_LOAD"}))
    answer = payload_id(capsys, "load", "send", small, "--robot", case.arm.name, "--to", "ur")
    assert is_one_sentence(answer) and "GOOD or TOO_WIDE" in answer.text


# ------------------------------------------------------------------- looking, comparing, drafting


def test_compare_gives_the_errors_against_a_truth_and_ratios_to_the_hull(case, capsys):
    truth = ",".join(map(repr, case.phi.tolist()))
    which = ("--estimator", "lmi,ols", "--intervals", "hull,hull_lp,sensitivity", "--json")
    answer = payload_id(capsys, "identify", "--compare", *case.reads(), f"--truth={truth}", *which)
    told = json.loads(answer.out)
    mass, com, inertia = body_of(case.phi)
    for one in told["estimators"]:
        m, c, i = body_of(one["phi"])
        expected = {
            "mass": abs(m - mass) / mass,
            "com": np.linalg.norm(c - com) / np.linalg.norm(com),
            "inertia": np.linalg.norm(i - inertia) / np.linalg.norm(inertia),
        }
        for name, value in expected.items():
            assert one["errors_percent"][name] == pytest.approx(100 * value, rel=1e-6), one["name"]
    methods = {x["name"]: x for x in told["intervals"]}
    hull = np.subtract(methods["hull"]["upper"], methods["hull"]["lower"]) / 2
    for one in methods.values():
        half = np.subtract(one["upper"], one["lower"]) / 2
        np.testing.assert_allclose(one["half_width"], half)
        np.testing.assert_allclose(one["ratio_to_hull"], half / hull)
        assert one["mean_hull_over_this"] == pytest.approx((hull / half).mean())
        inside = (one["lower"] <= case.phi) & (case.phi <= one["upper"])
        assert one["contains_truth"] == inside.tolist()
        assert inside.all() or not one["guaranteed"]
    assert (hull <= np.array(methods["hull_lp"]["half_width"]) * (1 + 1e-6)).all()


def scaled(**factors: float) -> Callable[[Motion, np.ndarray], Any]:
    """Return what multiplies parts of a recording."""

    def change(motion: Motion, tau: np.ndarray) -> Any:
        parts = {x: getattr(motion, x) * factors.get(x, 1.0) for x in ("time", "q", "dq", "ddq")}
        return Motion(**parts), tau * factors.get("tau", 1.0)

    return change


def test_check_names_wrong_units_signs_orders_and_gaps(case, capsys):
    degrees = 180 / np.pi
    third = np.array([1.0, 1.0, -1.0, 1.0])
    exchanged = "upper_joint, shoulder_joint, lower_joint, wrist_joint"
    wrong = {
        "milliseconds": (scaled(time=1000.0), "rate", "0.25 Hz"),
        "degrees": (scaled(q=degrees, dq=degrees), "positions", "degrees"),
        "speeds": (scaled(dq=degrees), "samples", "degrees per second"),
        "reversed": (scaled(tau=-1.0), "torque sign", "all efforts"),
        "one_reversed": (lambda m, tau: (m, tau * third), "torque sign", "lower_joint"),
        "unit": (scaled(tau=1000.0), "units", "mN m"),
        "exchanged": (lambda m, tau: (m, tau[:, [1, 0, 2, 3]]), "joint order", exchanged),
    }
    good = payload_id(capsys, "check", *case.reads(), "--json")
    assert good.code == 0 and json.loads(good.out)["wrong"] is False
    assert all(x["verdict"] in ("good", "look") for x in json.loads(good.out)["lines"])
    for name, (change, subject, words) in wrong.items():
        answer = payload_id(capsys, "check", *case.reads(case.changed(name, change)), "--json")
        assert answer.code == 2 and json.loads(answer.out)["wrong"] is True, (name, answer.text)
        said = {x["subject"]: x for x in json.loads(answer.out)["lines"] if x["verdict"] == "wrong"}
        assert subject in said, (name, said)
        found, do = said[subject]["found"], said[subject]["do"]
        assert words in found + do and do, (name, said)


def test_a_draft_from_description_and_table_leads_to_a_verdict(case, capsys):
    out = case.folder / "draft" / "mine.yaml"
    out.parent.mkdir()
    urdf = case.folder / "own_arm.urdf"
    made = ("new-robot", urdf, "--table", case.table, "--payload-frame", "tool", "--out", out)
    assert payload_id(capsys, *made).code == 0
    assert is_one_sentence(payload_id(capsys, *made))  # nothing that exists is overwritten
    drafted = yaml.safe_load(out.read_text())
    assert drafted["joints"] == list(JOINTS) and drafted["payload_frame"] == "tool"
    (limits,) = drafted["limits"]["sets"].values()
    assert limits["velocity"] == [4.0] * 4 and limits["effort"] == [200.0] * 4
    assert limits["position_lower"] == [-2.5] * 4
    reads = ("--robot", out, "--columns", out.with_name("mine_columns.yaml"))
    assert payload_id(capsys, "check", case.table, *reads).code == 0
    quick = ("--intervals", "hull_lp", "--json")
    told = json.loads(payload_id(capsys, "identify", case.table, *reads, *quick).out)
    assert told["status"] in ("GOOD", "TOO_WIDE", "SMALL_LOAD", "NOT_IDENTIFIABLE")
    assert (told["lower"] <= case.phi).all() and (case.phi <= told["upper"]).all()
    assert told["phi"][0] == pytest.approx(case.phi[0], rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("measures", ["torque", "current"])
def test_bounds_that_a_bare_run_shows_narrow_a_draft_and_hold(case, capsys, measures):
    rng, folder = np.random.default_rng(8), case.folder / measures
    folder.mkdir()
    constant = np.array([9.0, -7.0, 5.0, 6.0]) if measures == "current" else np.ones(4)
    friction, motion = rng.uniform(0.1, 0.3, 4), case.arm.motion(rng, 4.0)

    def table(name: str, motion: Motion, phi: np.ndarray) -> Path:
        tau = case.arm.torques(motion, phi) + friction * np.sign(motion.dq)
        tau += rng.uniform(-0.2, 0.2, tau.shape)
        path = write_table(folder / f"{name}.csv", motion, tau / constant)
        path.write_text(path.read_text().replace("torque", measures))
        return path

    bare = table("without", motion, np.zeros(10))
    loaded = table("with", case.arm.motion(rng, 4.0), case.phi)
    draft, measured = folder / "guessed.yaml", folder / "guessed_measured.yaml"
    made = ("new-robot", case.folder / "own_arm.urdf", "--table", loaded, "--payload-frame", "tool")
    answer = payload_id(capsys, *made, "--out", draft, "--bare", bare)
    assert answer.code == 0 and measured.exists(), answer.text
    columns = ("--columns", draft.with_name("guessed_columns.yaml"))
    options = ("--robot", draft, *columns, "--out", measured, "--margin", 0.5)
    assert is_one_sentence(payload_id(capsys, "calibrate", "bounds", bare, *options))
    said = []
    for robot in (draft, measured):
        read = ("--robot", robot, *columns, "--intervals", "hull_lp", "--json")
        answer = payload_id(capsys, "identify", loaded, *read)
        said.append(json.loads(answer.out))
        assert (said[-1]["lower"] <= case.phi).all() and (case.phi <= said[-1]["upper"]).all()
    wide, narrow = (np.subtract(x["upper"], x["lower"])[0] for x in said)
    assert narrow < 0.3 * wide and narrow / 2 < 0.3 * case.phi[0]
    assert said[1]["phi"][0] == pytest.approx(case.phi[0], rel=0.05)
    assert said[0]["headline"]["kind"] == "confidence" and said[0]["width"]


@pytest.mark.slow
def test_a_bare_run_and_one_known_weight_fix_torque_constants(case, capsys):
    rng = np.random.default_rng(11)
    gain, friction = rng.uniform(0.87, 1.13, 4), rng.uniform(0.1, 0.3, 4)

    def table(name: str, phi: np.ndarray) -> Path:
        motion = case.arm.motion(rng, 4.0)
        tau = case.arm.torques(motion, phi) + friction * np.sign(motion.dq)
        return write_table(case.folder / f"{name}.csv", motion, noisy(rng, tau / gain, 0.1))

    bare, loaded = table("bare_gain", np.zeros(10)), table("loaded_gain", case.phi)
    weight, out = drawn_payload(rng, 1.0, 2.0), case.folder / "gains.yaml"
    runs = case.folder / "weight.yaml"
    runs.write_text(f"runs:\n  {table('weight', weight).name}: {{mass: {weight[0]:.6f}}}\n")
    reads = case.reads(bare)[1:]
    bounds = ("torque_gain=0.2", "friction_coulomb=0.5", "link_relative=0.1")
    stated = [f"--uncertainty={bound}" for bound in bounds]
    said = []
    for more in ((), ("--runs", runs)):
        options = (*more, *stated, "--out", out, "--json")
        answer = payload_id(capsys, "calibrate", "bounds", bare, *reads, *options)
        assert answer.code == 0, answer.text
        columns = (*reads[2:], "--json", "--intervals", "hull_lp")
        said.append(
            json.loads(payload_id(capsys, "identify", loaded, "--robot", out, *columns).out)
        )
        assert (said[-1]["lower"] <= case.phi).all() and (case.phi <= said[-1]["upper"]).all()
    without, known = (x["confidence"] for x in said)
    assert known["lower"][0] <= case.phi[0] <= known["upper"][0]
    assert said[1]["phi"][0] == pytest.approx(case.phi[0], rel=0.02)
    width = [x["upper"][0] - x["lower"][0] for x in (without, known)]
    assert width[1] < 0.5 * width[0]


def test_noise_measures_the_mean_of_the_noise_that_was_made(case, capsys):
    """A square wave is all of its height for a quarter of a second, and less over longer."""
    height, lengths = np.array([0.1, 0.05, 0.025, 0.01]), (0.1, 0.4)
    wave = np.sign(np.sin(2 * np.pi * (case.motion.time + 0.002) / 0.5))
    tau = case.arm.torques(case.motion, case.phi) + wave[:, None] * height
    table = write_table(case.folder / "noise.csv", case.motion, tau)
    payload = "--payload=" + ",".join(map(repr, case.phi.tolist()))
    bounds = ("--uncertainty=torque_relative=0", "--uncertainty=torque_absolute=1,0.5,0.25,0.1")
    options = (payload, *bounds, "--lengths", ",".join(map(str, lengths)), "--json")
    told = json.loads(payload_id(capsys, "calibrate", "noise", *case.reads(table), *options).out)[
        "lengths"
    ]
    for length, one in zip(lengths, told, strict=True):
        k = round(250 * length)
        largest = np.abs(np.convolve(wave, np.ones(k) / k, mode="valid")).max()
        assert 0.6 * largest <= one["factor"] / 0.1 <= largest * 1.001
        assert np.array(one["absolute"]) / height == pytest.approx(one["factor"] / 0.1, rel=0.02)
    assert told[0]["factor"] == pytest.approx(0.1, rel=1e-3)


def test_a_calibration_finds_offsets_and_tightens_what_follows(case, capsys):
    rng, offset = np.random.default_rng(6), np.array([0.3, -0.2, 0.1, -0.15])
    bare = case.arm.motion(rng, 1.2)
    tau = noisy(rng, case.arm.torques(bare, np.zeros(10)), NOISE) + offset
    table = write_table(case.folder / "bare.csv", bare, tau)
    out = case.folder / "calibrated.yaml"
    stated = ("--uncertainty=torque_offset=0.5",)
    answer = payload_id(
        capsys, "calibrate", "bounds", *case.reads(table), *stated, "--stated-noise",
        "--out", out, "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.text
    found = json.loads(answer.out)["parameters"]
    for joint, true in zip(JOINTS, offset, strict=True):
        one = found[f"{joint}.torque_offset"]
        assert one["lower"] <= true <= one["upper"] and one["upper"] - one["lower"] < 0.5
        assert one["estimate"] == pytest.approx(true, abs=0.05)
    loaded = write_table(case.folder / "loaded.csv", case.motion, case.tau + offset)
    columns = ("--columns", case.folder / "columns.yaml", "--json", "--intervals", "hull_lp")
    columns += ("--to", 0.5)  # too short to tell offsets by itself
    before = payload_id(capsys, "identify", loaded, "--robot", case.arm.name, *columns, *stated)
    after = payload_id(capsys, "identify", loaded, "--robot", out, *columns)
    wide, narrow = (json.loads(x.out) for x in (before, after))
    for told in (wide, narrow):
        assert (told["lower"] <= case.phi).all() and (case.phi <= told["upper"]).all()
    width = [np.subtract(x["upper"], x["lower"])[0] for x in (wide, narrow)]
    assert width[1] < 0.8 * width[0]
    away = columns_of(JOINTS).replace("...", f"effort_offset: {offset.tolist()}\n...")
    (case.folder / "columns_offset.yaml").write_text(away)
    reads = (
        *case.reads(loaded)[:3],
        "--columns",
        case.folder / "columns_offset.yaml",
        *columns[2:],
    )
    known = json.loads(payload_id(capsys, "identify", *reads).out)
    assert np.abs(np.subtract(known["phi"], case.phi)).max() < 0.05, known["phi"]
    signed = case.folder / "columns_reversed.yaml"
    signed.write_text(columns_of(JOINTS).replace("...", "effort_sign: -1.0\n..."))
    other = payload_id(capsys, "identify", loaded, "--robot", out, "--columns", signed)
    assert is_one_sentence(other) and "another factor" in other.text
    full = write_table(case.folder / "full.csv", bare, case.arm.torques(bare, case.phi))
    refused = payload_id(capsys, "identify", *case.reads(loaded), *stated, "--tare", full)
    assert is_one_sentence(refused) and "not of the bare arm" in refused.text
